import type { Money } from "../core/money.ts";
import type { ResultCode } from "../core/result.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import type { Payment, PaymentStatus, ProductCode } from "./payment.ts";

/** Whose payments are asked for. The bucket comes first in every key. */
interface Owner {
  readonly bucket: number;
  readonly clientId: string;
}

export async function findPayment(tx: Tx, owner: Owner, paymentId: string): Promise<Payment | undefined> {
  const [row] = await tx.query<PaymentRow>(sql`
    select payment_id, payment_request_id, product_code, status, result_code, currency, amount_minor,
      paid_currency, paid_minor, sequence, created_at, paid_at
    from payments
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
    select payment_id, payment_request_id, product_code, status, result_code, currency, amount_minor,
      paid_currency, paid_minor, sequence, created_at, paid_at
    from payments
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and payment_request_id = ${requestId}
  `);
  return row && toPayment(row);
}

interface PaymentRow {
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
}

function toPayment(row: PaymentRow): Payment {
  return {
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
  };
}

function toMoney(currency: string | null, minor: string | null): Money | undefined {
  return currency === null || minor === null ? undefined : { currency, minor: BigInt(minor) };
}
