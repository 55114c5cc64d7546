import type { Money } from "../core/money.ts";
import type { ResultCode } from "../core/result.ts";
import type { HeldJob } from "../jobs/job.ts";
import { databaseTime, leaseSeconds } from "../jobs/job.sql.ts";
import { inOneOrder } from "../postgres/lock-order.ts";
import { fragment, sql, type SqlElement, type Tx } from "../postgres/sql.ts";
import type { CaptureMode, InStoreScenario, Payment, PaymentStatus, ProductCode } from "./payment.ts";
import type { Change } from "./settlement.ts";

/** The key of a merchant. The bucket comes first in every key. */
export interface Owner {
  readonly bucket: number;
  readonly clientId: string;
}

export async function findPayment(tx: Tx, owner: Owner, paymentId: string): Promise<Payment | undefined> {
  const [row] = await tx.query<PaymentRow>(sql`
    select ${columns} from payments
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and payment_id = ${paymentId}
  `);
  return row && toPayment(row);
}

export async function findPaymentByRequest(
  tx: Tx,
  owner: Owner,
  requestId: string,
): Promise<Payment | undefined> {
  const [row] = await tx.query<PaymentRow>(sql`
    select ${columns} from payments
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and payment_request_id = ${requestId}
  `);
  return row && toPayment(row);
}

/** Takes the payment's row lock, so that no other transaction can settle it until this one ends. */
export async function lockPayment(tx: Tx, owner: Owner, paymentId: string): Promise<Payment | undefined> {
  const [row] = await tx.query<PaymentRow>(sql`
    select ${columns} from payments
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and payment_id = ${paymentId}
    for update
  `);
  return row && toPayment(row);
}

/**
 * Inserts new payments in a batch, with their first events, and returns the ids of those that were written.
 * Idempotency: a request id that exists writes nothing. The unique key decides, so two processes that race
 * cannot both be first. The job that drives a payment is inserted with it, leased to this process. One
 * statement, because `pay` is the write that has to be quick.
 */
export async function insertPayments(
  tx: Tx,
  payments: readonly Payment[],
  job: string | undefined,
): Promise<ReadonlySet<string>> {
  const sorted = inOneOrder(payments, ({ bucket, clientId, paymentRequestId }) => [
    bucket,
    clientId,
    paymentRequestId,
  ]);
  const each = <Value extends SqlElement>(read: (payment: Payment) => Value | undefined): (Value | null)[] =>
    sorted.map((payment) => read(payment) ?? null);
  const rows = await tx.query<{ payment_id: string }>(sql`
    with inserted as (
      insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code,
        currency, amount_minor, sequence, created_at, fingerprint, payment_method_type, order_description,
        redirect_url, notify_url, metadata, wallet, wallet_reference, expires_at, cancel_requested_at, cancelled_at,
        capture_mode, fee_basis_points, scenario, sealed_code)
      select * from unnest(${each((p) => p.bucket)}::smallint[], ${each((p) => p.paymentId)}::text[],
        ${each((p) => p.clientId)}::text[], ${each((p) => p.paymentRequestId)}::text[],
        ${each((p) => p.productCode)}::text[], ${each((p) => p.status)}::text[], ${each((p) => p.resultCode)}::text[],
        ${each((p) => p.amount?.currency)}::text[], ${each((p) => p.amount?.minor)}::bigint[],
        ${each((p) => p.sequence)}::int[], ${each((p) => p.createdAt)}::timestamptz[],
        ${each((p) => p.fingerprint)}::bytea[], ${each((p) => p.paymentMethodType)}::text[],
        ${each((p) => p.orderDescription)}::text[], ${each((p) => p.redirectUrl)}::text[],
        ${each((p) => p.notifyUrl)}::text[], ${each((p) => p.metadata)}::text[],
        ${each((p) => p.wallet?.connector)}::text[], ${each((p) => p.wallet?.reference)}::text[],
        ${each((p) => p.expiresAt)}::timestamptz[], ${each((p) => p.cancelRequestedAt)}::timestamptz[],
        ${each((p) => p.cancelledAt)}::timestamptz[], ${each((p) => p.captureMode)}::text[],
        ${each((p) => p.feeBasisPoints)}::int[], ${each((p) => p.scenario)}::text[],
        ${each((p) => p.sealedCode)}::bytea[])
      on conflict (bucket, client_id, payment_request_id) do nothing
      returning bucket, payment_id, sequence, client_id, created_at, status, result_code, wallet
    ), job as (
      insert into jobs (bucket, subject_id, job, client_id, connector, due_at, sent_at)
      select bucket, payment_id, ${job}::text, client_id, wallet,
        clock_timestamp() + make_interval(secs => ${leaseSeconds}), null::timestamptz
      from inserted where ${job}::text is not null
    )
    insert into payment_events (bucket, payment_id, sequence, client_id, at, status, result_code)
    select bucket, payment_id, sequence, client_id, created_at, status, result_code from inserted
    returning payment_id
  `);
  return new Set(rows.map(({ payment_id }) => payment_id));
}

/** Moves a payment that the transaction has locked, and writes its event in the same statement. */
export function updatePaymentMoved(tx: Tx, payment: Payment, change: Change, now: Date): Payment {
  tx.write(sql`
    with moved as (
      update payments set status = ${change.status}, result_code = ${change.resultCode}, sequence = sequence + 1,
        paid_currency = coalesce(${change.paidAmount?.currency}, paid_currency),
        paid_minor = coalesce(${change.paidAmount?.minor}, paid_minor),
        paid_at = coalesce(${change.paidAt}, paid_at),
        captured_minor = case when capture_mode = 'AUTOMATIC'
          then coalesce(${change.paidAmount?.minor}, captured_minor) else captured_minor end,
        auth_expires_at = coalesce(${change.authExpiresAt}, auth_expires_at),
        cancelled_at = coalesce(${change.cancelledAt}, cancelled_at),
        cancel_requested_at = case when ${change.status} = 'SUCCESS' then null else cancel_requested_at end,
        sealed_code = case when ${change.status} = 'PENDING' then sealed_code end
      where bucket = ${payment.bucket} and client_id = ${payment.clientId} and payment_id = ${payment.paymentId}
      returning bucket, payment_id, sequence, client_id, status, result_code
    )
    insert into payment_events (bucket, payment_id, sequence, client_id, at, status, result_code)
    select bucket, payment_id, sequence, client_id, ${now}::timestamptz, status, result_code from moved
  `);
  const { effect: _effect, ...changed } = change;
  return { ...payment, ...changed, sequence: payment.sequence + 1 };
}

export function updateOrderAccepted(
  tx: Tx,
  payment: Payment,
  order: { readonly code: string | undefined; readonly url: string | undefined },
  now: Date,
): void {
  tx.write(sql`
    update payments
    set wallet_accepted_at = ${now}, wallet_code = ${order.code}, wallet_url = ${order.url}
    where bucket = ${payment.bucket} and client_id = ${payment.clientId} and payment_id = ${payment.paymentId}
  `);
}

/** An order that its wallet accepted. The job's epoch is the fencing token of the process that called. */
export interface Accepted {
  readonly payment: Payment;
  readonly held: HeldJob;
  readonly code: string | undefined;
  readonly url: string | undefined;
  readonly at: Date;
  /** When to poll the wallet. */
  readonly lookAt: Date;
}

/**
 * The same in a batch, each with its job's next due time. Says of each whether it was written: not if another
 * process has taken over the lease (the epoch differs), or the payment has moved on. Lock order: payments
 * before jobs.
 */
export async function updateOrdersAccepted(tx: Tx, given: readonly Accepted[]): Promise<readonly boolean[]> {
  const all = inOneOrder(given, ({ payment: { bucket, paymentId } }) => [bucket, paymentId]);
  const rows = await tx.query<{ payment_id: string }>(sql`
    with given as (
      select * from unnest(${all.map(({ payment }) => payment.bucket)}::smallint[],
        ${all.map(({ payment }) => payment.clientId)}::text[], ${all.map(({ payment }) => payment.paymentId)}::text[],
        ${all.map(({ held }) => held.epoch)}::int[], ${all.map(({ code }) => code ?? null)}::text[],
        ${all.map(({ url }) => url ?? null)}::text[], ${all.map(({ at }) => at)}::timestamptz[],
        ${all.map(({ lookAt, held }) => databaseTime(lookAt, held.aheadMs))}::timestamptz[])
        as given (bucket, client_id, payment_id, epoch, code, url, at, look_at)
    ), accepted as (
      update payments
      set wallet_accepted_at = given.at, wallet_code = given.code, wallet_url = given.url
      from given join jobs on jobs.bucket = given.bucket and jobs.subject_id = given.payment_id
        and jobs.job = 'drive-payment' and jobs.client_id = given.client_id and jobs.epoch = given.epoch
      where payments.bucket = given.bucket and payments.client_id = given.client_id
        and payments.payment_id = given.payment_id and payments.status = 'PROCESSING'
        and payments.wallet_accepted_at is null and payments.cancel_requested_at is null
      returning given.bucket, given.client_id, given.payment_id, given.epoch, given.look_at
    )
    update jobs set due_at = accepted.look_at, business = true, attempts = 0
    from accepted
    where jobs.bucket = accepted.bucket and jobs.subject_id = accepted.payment_id and jobs.job = 'drive-payment'
      and jobs.client_id = accepted.client_id and jobs.epoch = accepted.epoch
    returning accepted.payment_id
  `);
  const written = new Set(rows.map(({ payment_id }) => payment_id));
  return given.map(({ payment }) => written.has(payment.paymentId));
}

export function updateCancelRequested(tx: Tx, payment: Payment, now: Date): void {
  tx.write(sql`
    update payments set cancel_requested_at = coalesce(cancel_requested_at, ${now}::timestamptz)
    where bucket = ${payment.bucket} and client_id = ${payment.clientId} and payment_id = ${payment.paymentId}
  `);
}

/** No `*`: after a migration adds a column, it would break prepared statements of open connections. */
const columns = fragment`bucket, client_id, payment_id, payment_request_id, product_code, status, result_code,
  currency, amount_minor, paid_currency, paid_minor, sequence, created_at, paid_at, fingerprint,
  payment_method_type, order_description, redirect_url, notify_url, metadata, wallet, wallet_reference,
  wallet_accepted_at, wallet_code, wallet_url, expires_at, cancel_requested_at, cancelled_at, capture_mode,
  auth_expires_at, released_at, captured_minor, refunded_minor, disputed_minor, fee_basis_points, transaction_count,
  scenario, sealed_code, session_expires_at, chosen_at`;

interface PaymentRow {
  readonly bucket: number;
  readonly client_id: string;
  readonly payment_id: string;
  readonly payment_request_id: string;
  readonly product_code: ProductCode;
  readonly status: PaymentStatus;
  readonly result_code: ResultCode;
  readonly currency: string | null;
  readonly amount_minor: string | null;
  readonly paid_currency: string | null;
  readonly paid_minor: string | null;
  readonly sequence: number;
  readonly created_at: Date;
  readonly paid_at: Date | null;
  readonly fingerprint: Buffer | null;
  readonly payment_method_type: string | null;
  readonly order_description: string | null;
  readonly redirect_url: string | null;
  readonly notify_url: string | null;
  readonly metadata: string | null;
  readonly wallet: string | null;
  readonly wallet_reference: string | null;
  readonly wallet_accepted_at: Date | null;
  readonly wallet_code: string | null;
  readonly wallet_url: string | null;
  readonly expires_at: Date | null;
  readonly cancel_requested_at: Date | null;
  readonly cancelled_at: Date | null;
  readonly capture_mode: CaptureMode;
  readonly auth_expires_at: Date | null;
  readonly released_at: Date | null;
  readonly captured_minor: string;
  readonly refunded_minor: string;
  readonly disputed_minor: string;
  readonly fee_basis_points: number;
  readonly transaction_count: number;
  readonly scenario: InStoreScenario | null;
  readonly sealed_code: Buffer | null;
  readonly session_expires_at: Date | null;
  readonly chosen_at: Date | null;
}

function toPayment(row: PaymentRow): Payment {
  return {
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
    orderDescription: row.order_description ?? undefined,
    redirectUrl: row.redirect_url ?? undefined,
    notifyUrl: row.notify_url ?? undefined,
    metadata: row.metadata ?? undefined,
    wallet: toOrder(row),
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
    transactionCount: row.transaction_count,
    scenario: row.scenario ?? undefined,
    sealedCode: row.sealed_code ?? undefined,
    session: row.session_expires_at
      ? { expiresAt: row.session_expires_at, chosenAt: row.chosen_at ?? undefined }
      : undefined,
  };
}

function toOrder(row: PaymentRow): Payment["wallet"] {
  if (row.wallet === null || row.wallet_reference === null) return undefined;
  return {
    connector: row.wallet,
    reference: row.wallet_reference,
    acceptedAt: row.wallet_accepted_at ?? undefined,
    code: row.wallet_code ?? undefined,
    url: row.wallet_url ?? undefined,
  };
}

function toMoney(currency: string | null, minor: string | null): Money | undefined {
  return currency === null || minor === null ? undefined : { currency, minor: BigInt(minor) };
}
