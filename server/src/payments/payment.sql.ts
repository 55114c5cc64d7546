import type { Money } from "../core/money.ts";
import type { ResultCode } from "../core/result.ts";
import { leaseSeconds } from "../jobs/job.sql.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import type { Payment, PaymentStatus, ProductCode } from "./payment.ts";
import type { Change } from "./settlement.ts";

/** Whose payments are asked for. The bucket comes first in every key. */
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

/** Reads a payment and holds it until the transaction ends, so that nobody else can settle it meanwhile. */
export async function lockPayment(tx: Tx, owner: Owner, paymentId: string): Promise<Payment | undefined> {
  const [row] = await tx.query<PaymentRow>(sql`
    select ${columns} from payments
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and payment_id = ${paymentId}
    for update
  `);
  return row && toPayment(row);
}

/**
 * Records a new payment and its first event; false when its request id was taken before, in which case
 * nothing is written. The unique key decides, so two processes that ask at once cannot both be first. The
 * job that drives it goes in with it, held by this process: paying is the write that has to be quick.
 */
export async function insertPayment(tx: Tx, payment: Payment, job: string | undefined): Promise<boolean> {
  const { bucket, clientId, amount, wallet } = payment;
  const rows = await tx.query(sql`
    with inserted as (
      insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code,
        currency, amount_minor, sequence, created_at, fingerprint, payment_method_type, order_description,
        redirect_url, notify_url, metadata, wallet, wallet_reference, expires_at, cancel_requested_at, cancelled_at)
      values (${bucket}, ${payment.paymentId}, ${clientId}, ${payment.paymentRequestId}, ${payment.productCode},
        ${payment.status}, ${payment.resultCode}, ${amount?.currency}, ${amount?.minor}, ${payment.sequence},
        ${payment.createdAt}, ${payment.fingerprint}, ${payment.paymentMethodType}, ${payment.orderDescription},
        ${payment.redirectUrl}, ${payment.notifyUrl}, ${payment.metadata}, ${wallet?.connector}, ${wallet?.reference},
        ${payment.expiresAt}, ${payment.cancelRequestedAt}, ${payment.cancelledAt})
      on conflict (bucket, client_id, payment_request_id) do nothing
      returning bucket, payment_id, sequence, client_id, created_at, status, result_code
    ), job as (
      insert into jobs (bucket, subject_id, job, client_id, due_at)
      select bucket, payment_id, ${job}::text, client_id,
        clock_timestamp() + make_interval(secs => ${leaseSeconds})
      from inserted where ${job}::text is not null
    )
    insert into payment_events (bucket, payment_id, sequence, client_id, at, status, result_code)
    select bucket, payment_id, sequence, client_id, created_at, status, result_code from inserted
    returning payment_id
  `);
  return rows.length === 1;
}

/** Moves a payment that the transaction holds, and writes its event: one cannot happen without the other. */
export function updatePaymentMoved(tx: Tx, payment: Payment, change: Change, now: Date): Payment {
  tx.write(sql`
    with moved as (
      update payments set status = ${change.status}, result_code = ${change.resultCode}, sequence = sequence + 1,
        paid_currency = coalesce(${change.paidAmount?.currency}, paid_currency),
        paid_minor = coalesce(${change.paidAmount?.minor}, paid_minor),
        paid_at = coalesce(${change.paidAt}, paid_at),
        cancelled_at = coalesce(${change.cancelledAt}, cancelled_at)
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

export function updateCancelRequested(tx: Tx, payment: Payment, now: Date): void {
  tx.write(sql`
    update payments set cancel_requested_at = coalesce(cancel_requested_at, ${now}::timestamptz)
    where bucket = ${payment.bucket} and client_id = ${payment.clientId} and payment_id = ${payment.paymentId}
  `);
}

/** Named one by one: a `*` would change its meaning under a connection that has prepared the statement. */
const columns = fragment`bucket, client_id, payment_id, payment_request_id, product_code, status, result_code,
  currency, amount_minor, paid_currency, paid_minor, sequence, created_at, paid_at, fingerprint,
  payment_method_type, order_description, redirect_url, notify_url, metadata, wallet, wallet_reference,
  wallet_accepted_at, wallet_code, wallet_url, expires_at, cancel_requested_at, cancelled_at`;

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
