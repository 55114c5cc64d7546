import type { ClientKey } from "../../core/client-key.ts";
import type { ResultCode } from "../../core/result.ts";
import { fragment, sql, type Tx } from "../../postgres/sql.ts";
import { changedColumns, insertEvent } from "../payment.sql.ts";
import type { Payment } from "../payment.ts";
import type { Reversal, ReversalReason, ReversalStatus } from "./reversal.ts";

/**
 * `insertReversal` inserts a reversal. It returns false if the payment already has one. Idempotency: repeated reports
 * of the provider insert nothing.
 */
export async function insertReversal(tx: Tx, reversal: Reversal): Promise<boolean> {
  const { bucket, clientId, amount } = reversal;
  const rows = await tx.query(sql`
    with inserted as (
      insert into reversals (bucket, reversal_id, payment_id, client_id, connector, reference, reason, status,
        currency, amount_minor, created_at)
      values (${bucket}, ${reversal.reversalId}, ${reversal.paymentId}, ${clientId}, ${reversal.connector},
        ${reversal.reference}, ${reversal.reason}, ${reversal.status}, ${amount.currency}, ${amount.minor},
        ${reversal.createdAt})
      on conflict (bucket, payment_id) do nothing
      returning bucket, client_id, payment_id
    )
    update payments set transaction_count = transaction_count + 1
    from inserted
    where payments.bucket = inserted.bucket and payments.client_id = inserted.client_id
      and payments.payment_id = inserted.payment_id
    returning payments.payment_id
  `);
  return rows.length === 1;
}

export async function findReversal(
  tx: Tx,
  owner: ClientKey,
  reversalId: string,
): Promise<Reversal | undefined> {
  const [row] = await tx.query<ReversalRow>(sql`
    select ${columns} from reversals
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and reversal_id = ${reversalId}
  `);
  return row && toReversal(row);
}

export async function findReversalOfPayment(
  tx: Tx,
  owner: ClientKey,
  paymentId: string,
): Promise<Reversal | undefined> {
  const [row] = await tx.query<ReversalRow>(sql`
    select ${columns} from reversals
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and payment_id = ${paymentId}
  `);
  return row && toReversal(row);
}

export function updateReversalFinished(
  tx: Tx,
  { bucket, clientId, reversalId }: Reversal,
  { status, resultCode }: { readonly status: ReversalStatus; readonly resultCode: ResultCode },
  now: Date,
): void {
  tx.write(sql`
    update reversals set status = ${status}, result_code = ${resultCode}, finished_at = ${now}
    where bucket = ${bucket} and client_id = ${clientId} and reversal_id = ${reversalId}
  `);
}

export function updateReversalReturned(
  tx: Tx,
  { bucket, clientId, reversalId }: Reversal,
  resultCode: ResultCode,
  now: Date,
): void {
  tx.write(sql`
    update reversals set status = 'FAIL', result_code = ${resultCode}, reversed_at = ${now}
    where bucket = ${bucket} and client_id = ${clientId} and reversal_id = ${reversalId}
  `);
}

export function updateReversalAccepted(tx: Tx, { bucket, clientId, reversalId }: Reversal, now: Date): void {
  tx.write(sql`
    update reversals set accepted_at = ${now}
    where bucket = ${bucket} and client_id = ${clientId} and reversal_id = ${reversalId}
  `);
}

/** `updateCancelRefused` clears the cancel request of a payment, which is then as before the cancel. */
export function updateCancelRefused(tx: Tx, { bucket, clientId, paymentId }: Payment, now: Date): void {
  tx.write(sql`
    with changed as (
      update payments set cancel_requested_at = null, sequence = sequence + 1
      where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
      returning ${changedColumns}, ${now}::timestamptz as at
    )
    ${insertEvent}
  `);
}

/** `updateHoldReleased` records that the provider released the rest of the authorization hold to the buyer. */
export function updateHoldReleased(tx: Tx, owner: ClientKey, paymentId: string, now: Date): void {
  tx.write(sql`
    with changed as (
      update payments set released_at = ${now}, sequence = sequence + 1
      where bucket = ${owner.bucket} and client_id = ${owner.clientId} and payment_id = ${paymentId}
      returning ${changedColumns}, ${now}::timestamptz as at
    )
    ${insertEvent}
  `);
}

const columns = fragment`bucket, client_id, reversal_id, payment_id, connector, reference, reason, status,
  result_code, currency, amount_minor, created_at, accepted_at`;

interface ReversalRow {
  readonly bucket: number;
  readonly client_id: string;
  readonly reversal_id: string;
  readonly payment_id: string;
  readonly connector: string;
  readonly reference: string;
  readonly reason: ReversalReason;
  readonly status: ReversalStatus;
  readonly result_code: ResultCode | null;
  readonly currency: string;
  readonly amount_minor: string;
  readonly created_at: Date;
  readonly accepted_at: Date | null;
}

function toReversal(row: ReversalRow): Reversal {
  return {
    bucket: row.bucket,
    clientId: row.client_id,
    reversalId: row.reversal_id,
    paymentId: row.payment_id,
    connector: row.connector,
    reference: row.reference,
    reason: row.reason,
    status: row.status,
    resultCode: row.result_code ?? undefined,
    amount: { currency: row.currency, minor: BigInt(row.amount_minor) },
    createdAt: row.created_at,
    acceptedAt: row.accepted_at ?? undefined,
  };
}
