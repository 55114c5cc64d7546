import type { ClientKey } from "../core/client-key.ts";
import type { ResultCode } from "../core/result.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import type { Transaction, TransactionStatus, TransactionType } from "./transaction.ts";

/** `listTransactions` lists the captures, refunds and reversals of a payment, including failed ones; oldest first. */
export async function listTransactions(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  paymentId: string,
): Promise<readonly Transaction[]> {
  const rows = await tx.query<TransactionRow>(sql`
    select 'CAPTURE' as type, status, result_code, capture_id as id, capture_request_id as request_id, currency,
      amount_minor, created_at, finished_at, null::timestamptz as reversed_at
    from captures where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
    union all
    select 'REFUND', status, result_code, refund_id, refund_request_id, currency, amount_minor, created_at, finished_at,
      reversed_at
    from refunds where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
    union all
    -- A late success appears as a refund, which the merchant did not request.
    select case reason when 'CANCEL' then 'CANCEL' else 'REFUND' end, status, result_code, reversal_id, reference,
      currency, amount_minor, created_at, finished_at, reversed_at
    from reversals where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
    order by created_at, id
  `);
  return rows.map((row) => ({
    type: row.type,
    status: row.status,
    // A transaction in progress always has the result code PAYMENT_IN_PROCESS, whatever its kind.
    resultCode: row.status === "PROCESSING" ? "PAYMENT_IN_PROCESS" : (row.result_code ?? "PROCESS_FAIL"),
    transactionId: row.id,
    requestId: row.request_id,
    amount: { currency: row.currency, minor: BigInt(row.amount_minor) },
    createdAt: row.created_at,
    finishedAt: row.finished_at ?? undefined,
    reversedAt: row.reversed_at ?? undefined,
  }));
}

interface TransactionRow {
  readonly type: TransactionType;
  readonly status: TransactionStatus;
  readonly result_code: ResultCode | null;
  readonly id: string;
  readonly request_id: string;
  readonly currency: string;
  readonly amount_minor: string;
  readonly created_at: Date;
  readonly finished_at: Date | null;
  readonly reversed_at: Date | null;
}
