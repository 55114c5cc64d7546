import type { ClientKey } from "../core/client-key.ts";
import type { JobName } from "../core/job-name.ts";
import { leaseSeconds } from "../jobs/job.sql.ts";
import { columnNames, unnest, type ColumnTable, type RowOf } from "../postgres/column-table.ts";
import { sortForLocking } from "../postgres/lock-order.ts";
import { toMoney } from "../postgres/money-columns.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import { orderKeyOf, orderOf, withoutChoice } from "./payment.ts";
import type { Payment, ProviderOrder, SessionTimes } from "./payment.ts";
import type { PaymentChange } from "./decide-payment.ts";
import { actionColumns, actionOfRow } from "./next-actions/next-action-columns.ts";
import { insertOrderData } from "./order-data/order-data.sql.ts";
import { textColumns, textsOfRow } from "./request-texts.ts";

export async function findPayment(tx: Tx, owner: ClientKey, paymentId: string): Promise<Payment | undefined> {
  const [row] = await tx.query<PaymentRow>(sql`
    select ${columns} from payments
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and payment_id = ${paymentId}
  `);
  return row && toPayment(row);
}

export async function findPaymentByRequest(
  tx: Tx,
  owner: ClientKey,
  requestId: string,
): Promise<Payment | undefined> {
  const [row] = await tx.query<PaymentRow>(sql`
    select ${columns} from payments
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and payment_request_id = ${requestId}
  `);
  return row && toPayment(row);
}

/** A lookup of one caller in a batch: by our id or, without it, by the merchant's own request id. */
export interface PaymentLookup extends ClientKey {
  readonly paymentId?: string | undefined;
  readonly paymentRequestId?: string | undefined;
}

/**
 * `findPaymentsBatch` returns the payments of many callers in the order of the keys. Isolation: the client id is
 * part of each key, and results are assigned by position, so no caller gets another merchant's payment.
 */
export async function findPaymentsBatch(
  tx: Tx,
  keys: readonly PaymentLookup[],
): Promise<readonly (Payment | undefined)[]> {
  const paymentsByKey = Array.from<Payment | undefined>({ length: keys.length });
  const rows = await tx.query<PaymentRow & { readonly place: number }>(sql`
    with given as (
      select * from unnest(${keys.map(({ bucket }) => bucket)}::smallint[], ${keys.map(({ clientId }) => clientId)}::text[],
        ${keys.map(({ paymentId }) => paymentId ?? null)}::text[], ${keys.map(({ paymentRequestId }) => paymentRequestId ?? null)}::text[])
        with ordinality as given (of_bucket, of_client, of_payment, of_request, place)
    )
    select place::int, ${columns} from given
    join payments on bucket = of_bucket and client_id is not distinct from of_client and payment_id = of_payment
    union all
    select place::int, ${columns} from given
    join payments on bucket = of_bucket and client_id = of_client and payment_request_id = of_request
    where of_payment is null
  `);
  for (const row of rows) paymentsByKey[row.place - 1] = toPayment(row);
  return paymentsByKey;
}

/** `listPayments` returns payments by their ids, in no particular order. */
export async function listPayments(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  paymentIds: readonly string[],
): Promise<readonly Payment[]> {
  const rows = await tx.query<PaymentRow>(sql`
    select ${columns} from payments
    where bucket = ${bucket} and client_id = ${clientId} and payment_id = any(${paymentIds}::text[])
  `);
  return rows.map(toPayment);
}

/** `lockPayment` locks the payment's row: no other transaction can settle the payment until this transaction ends. */
export async function lockPayment(tx: Tx, owner: ClientKey, paymentId: string): Promise<Payment | undefined> {
  const [row] = await tx.query<PaymentRow>(sql`
    select ${columns} from payments
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and payment_id = ${paymentId}
    for update
  `);
  return row && toPayment(row);
}

/**
 * `lockPayments` locks many payments by their ids. A payment that another transaction has locked is skipped, so that no
 * payment in the batch waits for another one (head-of-line blocking). `is not distinct from` keeps the planner off the
 * client's index, which would read all payments of a merchant.
 */
export async function lockPayments(
  tx: Tx,
  keys: readonly (ClientKey & { readonly paymentId: string })[],
): Promise<Map<string, Payment>> {
  const sorted = sortForLocking(keys, ({ bucket, paymentId }) => [bucket, paymentId]);
  const rows = await tx.query<PaymentRow>(sql`
    select ${columns}
    from unnest(${sorted.map(({ bucket }) => bucket)}::smallint[], ${sorted.map(({ clientId }) => clientId)}::text[],
      ${sorted.map(({ paymentId }) => paymentId)}::text[]) as given (of_bucket, of_client, of_payment)
    join payments on bucket = of_bucket and client_id is not distinct from of_client and payment_id = of_payment
    for update of payments skip locked
  `);
  return new Map(rows.map((row) => [row.payment_id, toPayment(row)]));
}

/**
 * `insertPayments` inserts new payments in a batch, with their first events, and returns the ids that were inserted.
 * Idempotency: an existing request id writes nothing. The unique key decides a race between two processes. The job that
 * drives a payment is inserted with it, leased to this process. Latency: `pay` needs a short write, so this is one
 * statement, and one more for payments with data that their connector wants.
 */
export async function insertPayments(
  tx: Tx,
  payments: readonly Payment[],
  job: JobName | undefined,
): Promise<ReadonlySet<string>> {
  const sorted = sortForLocking(payments, (each) => [each.bucket, each.clientId, each.paymentRequestId]);
  const rows = await tx.query<{ payment_id: string }>(sql`
    with inserted as (
      insert into payments (${insertedColumnNames}) select * from ${unnest(insertedColumns, sorted)}
      on conflict (bucket, client_id, payment_request_id) do nothing
      returning bucket, payment_id, sequence, client_id, created_at, status, result_code, connector
    ), job as (
      insert into jobs (bucket, subject_id, job, client_id, connector, due_at, sent_at)
      select bucket, payment_id, ${job}::text, client_id, connector,
        clock_timestamp() + make_interval(secs => ${leaseSeconds}), null::timestamptz
      from inserted where ${job}::text is not null
    )
    insert into payment_events (bucket, payment_id, sequence, client_id, at, status, result_code)
    select bucket, payment_id, sequence, client_id, created_at, status, result_code from inserted
    returning payment_id
  `);
  const inserted = new Set(rows.map(({ payment_id }) => payment_id));
  insertOrderData(tx, payments, inserted);
  return inserted;
}

/**
 * Columns from which a payment's event is built. The time of the event is a parameter: `returning ${changedColumns},
 * ${now}::timestamptz as at`.
 */
export const changedColumns = fragment`payments.bucket, payments.payment_id, payments.sequence, payments.client_id,
        payments.status, payments.result_code`;

/**
 * The end of each statement that increments a payment's sequence: `with changed as (update payments …) ${insertEvent}`.
 */
export const insertEvent = fragment`insert into payment_events (bucket, payment_id, sequence, client_id, at, status,
      result_code)
    select bucket, payment_id, sequence, client_id, at, status, result_code from changed`;

/**
 * `updatePaymentStatus` changes the status of a payment that the transaction has locked, and inserts its event in the
 * same statement.
 */
export function updatePaymentStatus(tx: Tx, payment: Payment, change: PaymentChange, now: Date): Payment {
  tx.write(sql`
    with changed as (
      update payments set status = ${change.status}, result_code = ${change.resultCode}, sequence = sequence + 1,
        paid_currency = coalesce(${change.paidAmount?.currency}, paid_currency),
        paid_minor = coalesce(${change.paidAmount?.minor}, paid_minor),
        paid_at = coalesce(${change.paidAt}, paid_at),
        captured_minor = case when capture_mode = 'AUTOMATIC'
          then coalesce(${change.paidAmount?.minor}, captured_minor) else captured_minor end,
        auth_expires_at = coalesce(${change.authExpiresAt}, auth_expires_at),
        cancelled_at = coalesce(${change.cancelledAt}, cancelled_at), provider_details = coalesce(${change.providerDetails}, provider_details),
        cancel_requested_at = case when ${change.status} = 'SUCCESS' then null else cancel_requested_at end,
        sealed_code = case when ${change.status} = 'PENDING' then sealed_code end, next_action = null
      where bucket = ${payment.bucket} and client_id = ${payment.clientId} and payment_id = ${payment.paymentId}
      returning ${changedColumns}, ${now}::timestamptz as at
    )
    ${insertEvent}
  `);
  const { effect: _effect, ...changed } = change;
  return { ...payment, ...changed, sequence: payment.sequence + 1 };
}

/** `updateOrderAbandoned` resets a session for its buyer's next choice, and stores the name of the closed order. */
export function updateOrderAbandoned(tx: Tx, payment: Payment, session: SessionTimes): Payment {
  const leftOrder = orderKeyOf(orderOf(payment));
  tx.write(sql`
    update payments
    set payment_method_type = null, fee_terms = null, connector = null, provider_reference = null, provider_accepted_at = null,
      provider_code = null, provider_url = null, next_action = null, provider_account = null, provider_registration_id = null, expires_at = null,
      chosen_at = null, change_requested_at = null,
      left_orders = concat_ws(E'\\n', left_orders, ${leftOrder}::text)
    where bucket = ${payment.bucket} and client_id = ${payment.clientId} and payment_id = ${payment.paymentId}
  `);
  const abandonedOrders = [...session.abandonedOrders, leftOrder];
  const resetSession = { ...session, chosenAt: undefined, changeRequestedAt: undefined, abandonedOrders };
  return { ...payment, ...withoutChoice, session: resetSession };
}

export function updateCancelRequested(tx: Tx, payment: Payment, now: Date): void {
  tx.write(sql`
    update payments set cancel_requested_at = coalesce(cancel_requested_at, ${now}::timestamptz)
    where bucket = ${payment.bucket} and client_id = ${payment.clientId} and payment_id = ${payment.paymentId}
  `);
}

/** Columns that `pay` writes when it inserts a payment. */
const insertedColumns = [
  ["bucket", "smallint", ({ bucket }) => bucket],
  ["payment_id", "text", ({ paymentId }) => paymentId],
  ["client_id", "text", ({ clientId }) => clientId],
  ["payment_request_id", "text", ({ paymentRequestId }) => paymentRequestId],
  ["product_code", "text", ({ productCode }) => productCode],
  ["status", "text", ({ status }) => status],
  ["result_code", "text", ({ resultCode }) => resultCode],
  ["currency", "text", ({ amount }) => amount?.currency],
  ["amount_minor", "bigint", ({ amount }) => amount?.minor],
  ["sequence", "int", ({ sequence }) => sequence],
  ["created_at", "timestamptz", ({ createdAt }) => createdAt],
  ["fingerprint", "bytea", ({ fingerprint }) => fingerprint],
  ["payment_method_type", "text", ({ paymentMethodType }) => paymentMethodType],
  ...textColumns,
  ["order_shown", "text", ({ checkoutOrder }) => checkoutOrder],
  ["connector", "text", ({ order }) => order?.connector],
  ["provider_reference", "text", ({ order }) => order?.reference],
  ["provider_account", "text", ({ order }) => order?.account],
  ["provider_registration_id", "text", ({ order }) => order?.registrationId],
  ["expires_at", "timestamptz", ({ expiresAt }) => expiresAt],
  ["cancel_requested_at", "timestamptz", ({ cancelRequestedAt }) => cancelRequestedAt],
  ["cancelled_at", "timestamptz", ({ cancelledAt }) => cancelledAt],
  ["capture_mode", "text", ({ captureMode }) => captureMode],
  ["fee_basis_points", "int", ({ feeBasisPoints }) => feeBasisPoints],
  ["fee_terms", "text", ({ feeTerms }) => feeTerms],
  ["scenario", "text", ({ scenario }) => scenario],
  ["sealed_code", "bytea", ({ sealedSecret }) => sealedSecret],
] as const satisfies ColumnTable<Payment>;

/** Columns that `pay` does not insert, because they are set later. Omitting them keeps the write of `pay` short. */
const laterColumns = [
  ["paid_currency", "text", ({ paidAmount }) => paidAmount?.currency],
  ["paid_minor", "bigint", ({ paidAmount }) => paidAmount?.minor],
  ["paid_at", "timestamptz", ({ paidAt }) => paidAt],
  ["provider_accepted_at", "timestamptz", ({ order }) => order?.acceptedAt],
  ["provider_code", "text", ({ order }) => order && actionColumns(order).code],
  ["provider_url", "text", ({ order }) => order && actionColumns(order).url],
  ["next_action", "text", ({ order }) => order && actionColumns(order).json],
  ["auth_expires_at", "timestamptz", ({ authExpiresAt }) => authExpiresAt],
  ["released_at", "timestamptz", ({ releasedAt }) => releasedAt],
  ["captured_minor", "bigint", ({ capturedMinor }) => capturedMinor],
  ["refunded_minor", "bigint", ({ refundedMinor }) => refundedMinor],
  ["disputed_minor", "bigint", ({ disputedMinor }) => disputedMinor],
  ["transaction_count", "int", ({ transactionCount }) => transactionCount],
  ["provider_details", "text", ({ providerDetails }) => providerDetails],
  ["session_expires_at", "timestamptz", ({ session }) => session?.expiresAt],
  ["chosen_at", "timestamptz", ({ session }) => session?.chosenAt],
  ["change_requested_at", "timestamptz", ({ session }) => session?.changeRequestedAt],
  ["left_orders", "text", ({ session }) => session?.abandonedOrders.join("\n") || undefined],
] as const satisfies ColumnTable<Payment>;

/** The list is exported for the test that `toPayment` reads each column into the field from which it is written. */
export const paymentColumns = [...insertedColumns, ...laterColumns] as const;

const insertedColumnNames = columnNames(insertedColumns);
/** The columns instead of `*`: a column that a migration adds would break prepared statements of open connections. */
const columns = columnNames(paymentColumns);

type PaymentRow = RowOf<typeof paymentColumns>;

function toPayment(row: PaymentRow): Payment {
  return {
    ...textsOfRow(row),
    bucket: row.bucket,
    clientId: row.client_id,
    paymentId: row.payment_id,
    paymentRequestId: row.payment_request_id,
    productCode: row.product_code,
    status: row.status,
    resultCode: row.result_code,
    amount: toMoney(row.currency, row.amount_minor),
    paidAmount: toMoney(row.paid_currency, row.paid_minor),
    createdAt: row.created_at,
    paidAt: row.paid_at ?? undefined,
    sequence: row.sequence,
    fingerprint: row.fingerprint ?? undefined,
    paymentMethodType: row.payment_method_type ?? undefined,
    checkoutOrder: row.order_shown ?? undefined,
    order: toOrder(row),
    expiresAt: row.expires_at ?? undefined,
    cancelRequestedAt: row.cancel_requested_at ?? undefined,
    cancelledAt: row.cancelled_at ?? undefined,
    captureMode: row.capture_mode,
    authExpiresAt: row.auth_expires_at ?? undefined,
    releasedAt: row.released_at ?? undefined,
    capturedMinor: BigInt(row.captured_minor),
    refundedMinor: BigInt(row.refunded_minor),
    disputedMinor: BigInt(row.disputed_minor),
    feeBasisPoints: row.fee_basis_points,
    feeTerms: row.fee_terms ?? undefined,
    transactionCount: row.transaction_count,
    providerDetails: row.provider_details ?? undefined,
    scenario: row.scenario ?? undefined,
    sealedSecret: row.sealed_code ?? undefined,
    session: toSession(row),
  };
}

function toSession(row: PaymentRow): SessionTimes | undefined {
  if (!row.session_expires_at) return undefined;
  return {
    expiresAt: row.session_expires_at,
    chosenAt: row.chosen_at ?? undefined,
    changeRequestedAt: row.change_requested_at ?? undefined,
    abandonedOrders: row.left_orders?.split("\n") ?? [],
  };
}

function toOrder(row: PaymentRow): ProviderOrder | undefined {
  if (row.connector === null || row.provider_reference === null) return undefined;
  return {
    connector: row.connector,
    reference: row.provider_reference,
    account: row.provider_account ?? undefined,
    registrationId: row.provider_registration_id ?? undefined,
    acceptedAt: row.provider_accepted_at ?? undefined,
    ...actionOfRow(row),
  };
}
