import type { ClientKey } from "../core/client-key.ts";
import { sql, type Tx } from "../postgres/sql.ts";

/**
 * `findOpenPayout` returns a batch of a merchant whose payout has begun and is not handed over to the bank, or undefined. The file of such
 * a payout is in this cell's database: only this cell can hand it over. A payout that was sent is not open: any cell can import the
 * bank's answer.
 */
export async function findOpenPayout(tx: Tx, { bucket, clientId }: ClientKey): Promise<string | undefined> {
  const [row] = await tx.query<{ batch_id: string }>(sql`
    select batch_id from payouts where bucket = ${bucket} and client_id = ${clientId} and status = 'CREATED'
    union all
    select batch_id from settlement_batches
    where bucket = ${bucket} and client_id = ${clientId} and status = 'PAYING' and payout_id is null
    order by batch_id limit 1
  `);
  return row?.batch_id;
}
