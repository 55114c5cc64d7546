import { fragment, sql, type Tx } from "../postgres/sql.ts";
import type { Owner } from "./payment.sql.ts";
import type { Reversal, ReversalStatus } from "./reversal.ts";

/** False when the payment is being reversed already, however often its wallet reports the same. */
export async function insertReversal(tx: Tx, reversal: Reversal): Promise<boolean> {
  const { bucket, clientId, amount } = reversal;
  const rows = await tx.query(sql`
    insert into reversals
      (bucket, reversal_id, payment_id, client_id, wallet, reference, status, currency, amount_minor, created_at)
    values (${bucket}, ${reversal.reversalId}, ${reversal.paymentId}, ${clientId}, ${reversal.connector},
      ${reversal.reference}, ${reversal.status}, ${amount.currency}, ${amount.minor}, ${reversal.createdAt})
    on conflict (bucket, payment_id) do nothing
    returning reversal_id
  `);
  return rows.length === 1;
}

export async function findReversal(tx: Tx, owner: Owner, reversalId: string): Promise<Reversal | undefined> {
  const [row] = await tx.query<ReversalRow>(sql`
    select ${columns} from reversals
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and reversal_id = ${reversalId}
  `);
  return row && toReversal(row);
}

export function updateReversalFinished(
  tx: Tx,
  { bucket, clientId, reversalId }: Reversal,
  status: ReversalStatus,
  now: Date,
): void {
  tx.write(sql`
    update reversals set status = ${status}, finished_at = ${now}
    where bucket = ${bucket} and client_id = ${clientId} and reversal_id = ${reversalId}
  `);
}

const columns = fragment`bucket, client_id, reversal_id, payment_id, wallet, reference, status, currency,
  amount_minor, created_at`;

interface ReversalRow {
  readonly bucket: number;
  readonly client_id: string;
  readonly reversal_id: string;
  readonly payment_id: string;
  readonly wallet: string;
  readonly reference: string;
  readonly status: ReversalStatus;
  readonly currency: string;
  readonly amount_minor: string;
  readonly created_at: Date;
}

function toReversal(row: ReversalRow): Reversal {
  return {
    bucket: row.bucket,
    clientId: row.client_id,
    reversalId: row.reversal_id,
    paymentId: row.payment_id,
    connector: row.wallet,
    reference: row.reference,
    status: row.status,
    amount: { currency: row.currency, minor: BigInt(row.amount_minor) },
    createdAt: row.created_at,
  };
}
