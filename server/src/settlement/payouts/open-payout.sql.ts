import type { ClientKey } from "../../core/client-key.ts";
import { sql, type Tx } from "../../postgres/sql.ts";

/**
 * `findOpenPayout` returns a batch of a merchant whose payout file is released and not handed over to the bank, or
 * undefined. Only this cell can hand over the payout file. A planned or approved file does not block a move: the
 * merchant's line is dropped from it. A sent payout is not open: any cell can import the bank's response.
 */
export async function findOpenPayout(tx: Tx, { bucket, clientId }: ClientKey): Promise<string | undefined> {
  const [row] = await tx.query<{ batch_id: string }>(sql`
    select batch_id from payouts where bucket = ${bucket} and client_id = ${clientId} and status = 'CREATED'
    union all
    select l.batch_id from payout_file_lines as l join payout_files as f using (file_id)
    where l.bucket = ${bucket} and l.client_id = ${clientId} and f.status = 'RELEASED' and l.dropped_for is null
      and not exists (select from payouts as p where p.bucket = l.bucket and p.client_id = l.client_id and p.payout_id = l.payout_id)
    order by batch_id limit 1
  `);
  return row?.batch_id;
}
