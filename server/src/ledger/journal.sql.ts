import { isHomeHere } from "../cells/home.sql.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import { toPostedTransfer, transferColumns, type TransferRow } from "./transfer.sql.ts";
import type { PostedTransfer } from "./transfer.ts";

export interface JournalTransfer extends PostedTransfer {
  readonly clientId: string;
}

const batchRows = 5_000;

/**
 * Reads all ledger rows of a period in order, through a database cursor in chunks of 5,000. All rows come from one
 * snapshot, and only one chunk is in memory. The function is for the operator and needs a transaction.
 */
export async function* readJournal(
  tx: Tx,
  { from, until }: { readonly from: Date; readonly until: Date },
): AsyncGenerator<readonly JournalTransfer[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  await tx.query(sql`
    declare journal no scroll cursor for
    select client_id, ${transferColumns}
    from ledger_transfers
    where at >= ${from} and at < ${until}
      and ${isHomeHere}
    order by at, subject_id, effect, line
  `);
  for (;;) {
    // The number of rows is a constant of the statement, because `fetch` accepts no parameters.
    const rows = await tx.query<JournalRow>(sql`fetch 5000 from journal`);
    if (rows.length > 0) yield rows.map((row) => ({ clientId: row.client_id, ...toPostedTransfer(row) }));
    if (rows.length < batchRows) return;
  }
}

interface JournalRow extends TransferRow {
  readonly client_id: string;
}
