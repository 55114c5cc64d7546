import type { ClientKey } from "../core/client-key.ts";
import type { PageWindow } from "../core/page-window.ts";
import type { ResultCode } from "../core/result.ts";
import type { Fee } from "../ledger/fee.ts";
import { changedColumns, insertEvent } from "../payments/payment.sql.ts";
import type { ProductCode } from "../payments/payment.ts";
import type { OrderOwner } from "../providers/provider.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import type { Refund, RefundStatus } from "./refund.ts";

export async function findRefund(tx: Tx, owner: ClientKey, refundId: string): Promise<Refund | undefined> {
  const [row] = await tx.query<RefundRow>(sql`
    select ${columns} from refunds
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and refund_id = ${refundId}
  `);
  return row && toRefund(row);
}

/** `findRefundByReference` returns a refund by its payment and its reference at the provider. */
export async function findRefundByReference(
  tx: Tx,
  owner: ClientKey,
  { paymentId, reference }: { readonly paymentId: string; readonly reference: string },
): Promise<Refund | undefined> {
  const [row] = await tx.query<RefundRow>(sql`
    select ${columns} from refunds
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and payment_id = ${paymentId}
      and reference = ${reference}
  `);
  return row && toRefund(row);
}

export async function findRefundByRequest(
  tx: Tx,
  owner: ClientKey,
  requestId: string,
): Promise<Refund | undefined> {
  const [row] = await tx.query<RefundRow>(sql`
    select ${columns} from refunds
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and refund_request_id = ${requestId}
  `);
  return row && toRefund(row);
}

/**
 * `listRefunds` lists the merchant's refunds, the newest first. It returns one row more than the limit, to show whether
 * there is a next page. It scans the primary key and skips rows with another status.
 */
export async function listRefunds(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { status }: { readonly status: string | undefined },
  { idFrom, idBefore, limit }: PageWindow,
): Promise<readonly Refund[]> {
  const rows = await tx.query<RefundRow>(sql`
    select ${columns} from refunds
    where bucket = ${bucket} and client_id = ${clientId} and refund_id >= ${idFrom} and refund_id < ${idBefore}
      and (${status}::text is null or status = ${status})
    order by refund_id desc limit ${limit}::int + 1
  `);
  return rows.map(toRefund);
}

/**
 * `insertRefund` inserts a refund. It returns false and writes nothing if the request id exists. Idempotency: the
 * unique key decides a race.
 */
export async function insertRefund(tx: Tx, refund: Refund): Promise<boolean> {
  const { bucket, clientId, refundId, amount } = refund;
  const { returned, charged } = refund.fee;
  const rows = await tx.query(sql`
    insert into refunds (bucket, refund_id, client_id, refund_request_id, payment_id, status, result_code, currency,
      amount_minor, fingerprint, reference_refund_id, reason, notify_url, metadata, connector, reference, created_at,
      returned_fee_minor, returned_tax_minor, charged_fee_minor, charged_tax_minor)
    values (${bucket}, ${refundId}, ${clientId}, ${refund.refundRequestId}, ${refund.paymentId}, ${refund.status},
      ${refund.resultCode}, ${amount.currency}, ${amount.minor}, ${refund.fingerprint}, ${refund.referenceRefundId},
      ${refund.reason}, ${refund.notifyUrl}, ${refund.metadata}, ${refund.connector}, ${refund.reference},
      ${refund.createdAt}, ${nullIfZero(returned.feeMinor)}, ${nullIfZero(returned.taxMinor)},
      ${nullIfZero(charged.feeMinor)}, ${nullIfZero(charged.taxMinor)})
    on conflict (bucket, client_id, refund_request_id) do nothing
    returning refund_id
  `);
  return rows.length === 1;
}

export function updateRefundAccepted(tx: Tx, { bucket, clientId, refundId }: Refund, now: Date): void {
  tx.write(sql`
    update refunds set accepted_at = ${now}
    where bucket = ${bucket} and client_id = ${clientId} and refund_id = ${refundId}
  `);
}

export function updateRefundFinished(tx: Tx, refund: Refund, now: Date): void {
  tx.write(sql`
    update refunds set status = ${refund.status}, result_code = ${refund.resultCode}, finished_at = ${now}
    where bucket = ${refund.bucket} and client_id = ${refund.clientId} and refund_id = ${refund.refundId}
  `);
}

export function updateRefundReversed(tx: Tx, refund: Refund, now: Date): void {
  tx.write(sql`
    update refunds set status = 'FAIL', result_code = ${refund.resultCode}, reversed_at = ${now}
    where bucket = ${refund.bucket} and client_id = ${refund.clientId} and refund_id = ${refund.refundId}
  `);
}

/** `sumReturnedFees` returns the fees that refunds of a payment returned, including refunds in progress. */
export async function sumReturnedFees(tx: Tx, owner: ClientKey, paymentId: string): Promise<Fee> {
  const [row] = await tx.query<{ fee: string | null; tax: string | null }>(sql`
    select sum(returned_fee_minor) as fee, sum(returned_tax_minor) as tax from refunds
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and payment_id = ${paymentId}
      and status <> 'FAIL'
  `);
  return { feeMinor: minorOf(row?.fee ?? null), taxMinor: minorOf(row?.tax ?? null) };
}

/** `updateRefundCounted` adds the amount of a new refund to its payment, which the transaction has locked. */
export function updateRefundCounted(tx: Tx, { bucket, clientId, paymentId, amount }: Refund): void {
  tx.write(sql`
    update payments set refunded_minor = refunded_minor + ${amount.minor},
      transaction_count = transaction_count + 1
    where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
  `);
}

/**
 * `updatePaymentRefunded` writes an event of the payment: its status is unchanged, but its refunded sum has changed.
 */
export function updatePaymentRefunded(
  tx: Tx,
  { bucket, clientId, paymentId, status, amount }: Refund,
  now: Date,
): void {
  const failedMinor = status === "FAIL" ? amount.minor : 0n;
  tx.write(sql`
    with changed as (
      update payments set sequence = sequence + 1, refunded_minor = refunded_minor - ${failedMinor}
      where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
      returning ${changedColumns}, ${now}::timestamptz as at
    )
    ${insertEvent}
  `);
}

/** A refund with the order that it refunds. */
export interface RefundWithOrder {
  readonly refund: Refund;
  readonly order: RefundedOrder;
}

export interface RefundedOrder {
  /** The reference of the refunded order at the provider. */
  readonly reference: string;
  readonly owner: OrderOwner;
  /** The version of the payment. */
  readonly sequence: number;
  readonly isInStore: boolean;
}

export async function findRefundedOrder(
  tx: Tx,
  owner: ClientKey,
  refundId: string,
): Promise<RefundedOrder | undefined> {
  const [row] = await tx.query<OrderRow>(sql`
    select client_id, payments.provider_reference, payments.provider_account, payments.provider_registration_id,
      payments.sequence, payments.product_code
    from refunds join payments using (bucket, client_id, payment_id)
    where refunds.bucket = ${owner.bucket} and refunds.client_id = ${owner.clientId}
      and refunds.refund_id = ${refundId}
  `);
  return row && toOrder(row);
}

/**
 * `lockRefund` locks the payment, and reads the refund. Both queries are pipelined before the first response, so that
 * the caller's next lock, its job, comes after them. Lock order: payment before job.
 */
export async function lockRefund(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  refundId: string,
): Promise<RefundWithOrder | undefined> {
  const [[order], refund] = await Promise.all([
    tx.query<OrderRow>(sql`
      select client_id, provider_reference, provider_account, provider_registration_id, sequence, product_code
      from payments
      where bucket = ${bucket} and client_id = ${clientId} and payment_id = (
        select payment_id from refunds
        where bucket = ${bucket} and client_id = ${clientId} and refund_id = ${refundId})
      for update
    `),
    findRefund(tx, { bucket, clientId }, refundId),
  ]);
  return order && refund && { refund, order: toOrder(order) };
}

interface OrderRow {
  readonly client_id: string;
  readonly provider_reference: string;
  readonly provider_account: string | null;
  readonly provider_registration_id: string | null;
  readonly sequence: number;
  readonly product_code: ProductCode | null;
}

function toOrder(row: OrderRow): RefundedOrder {
  return {
    reference: row.provider_reference,
    owner: {
      merchantId: row.client_id,
      account: row.provider_account ?? undefined,
      registrationId: row.provider_registration_id ?? undefined,
    },
    sequence: row.sequence,
    isInStore: row.product_code === "IN_STORE_PAYMENT",
  };
}

const columns = fragment`bucket, client_id, refund_id, refund_request_id, payment_id, status, result_code, currency,
  amount_minor, fingerprint, reference_refund_id, reason, notify_url, metadata, connector, reference, created_at,
  accepted_at, finished_at, reversed_at, returned_fee_minor, returned_tax_minor, charged_fee_minor, charged_tax_minor`;

interface RefundRow {
  readonly bucket: number;
  readonly client_id: string;
  readonly refund_id: string;
  readonly refund_request_id: string;
  readonly payment_id: string;
  readonly status: RefundStatus;
  readonly result_code: ResultCode;
  readonly currency: string;
  readonly amount_minor: string;
  readonly fingerprint: Buffer;
  readonly reference_refund_id: string | null;
  readonly reason: string | null;
  readonly notify_url: string | null;
  readonly metadata: string | null;
  readonly connector: string;
  readonly reference: string;
  readonly created_at: Date;
  readonly accepted_at: Date | null;
  readonly finished_at: Date | null;
  readonly reversed_at: Date | null;
  readonly returned_fee_minor: string | null;
  readonly returned_tax_minor: string | null;
  readonly charged_fee_minor: string | null;
  readonly charged_tax_minor: string | null;
}

/** Stores null instead of zero: null uses no space in a row, and most refunds change no fees. */
function nullIfZero(minor: bigint): bigint | undefined {
  return minor === 0n ? undefined : minor;
}

function minorOf(value: string | null): bigint {
  return BigInt(value ?? 0);
}

function toRefund(row: RefundRow): Refund {
  return {
    bucket: row.bucket,
    clientId: row.client_id,
    refundId: row.refund_id,
    refundRequestId: row.refund_request_id,
    paymentId: row.payment_id,
    status: row.status,
    resultCode: row.result_code,
    amount: { currency: row.currency, minor: BigInt(row.amount_minor) },
    fee: {
      returned: { feeMinor: minorOf(row.returned_fee_minor), taxMinor: minorOf(row.returned_tax_minor) },
      charged: { feeMinor: minorOf(row.charged_fee_minor), taxMinor: minorOf(row.charged_tax_minor) },
    },
    fingerprint: row.fingerprint,
    referenceRefundId: row.reference_refund_id ?? undefined,
    reason: row.reason ?? undefined,
    notifyUrl: row.notify_url ?? undefined,
    metadata: row.metadata ?? undefined,
    connector: row.connector,
    reference: row.reference,
    createdAt: row.created_at,
    acceptedAt: row.accepted_at ?? undefined,
    finishedAt: row.finished_at ?? undefined,
    reversedAt: row.reversed_at ?? undefined,
  };
}
