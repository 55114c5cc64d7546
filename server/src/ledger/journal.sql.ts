import { sql, type Tx } from "../postgres/sql.ts";
import type { EffectName, PostedTransfer } from "./transfer.ts";

export interface JournalTransfer extends PostedTransfer {
  readonly clientId: string;
}

const batch = 5_000;

/**
 * All rows of the ledger of some time, in its order, some thousand at a time: by a cursor of the database, so that all are of one snapshot,
 * and none but those are in memory. For the operator, in a transaction.
 */
export async function* readJournal(
  tx: Tx,
  { from, until }: { readonly from: Date; readonly until: Date },
): AsyncGenerator<readonly JournalTransfer[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  await tx.query(sql`
    declare journal no scroll cursor for
    select client_id, subject_id, effect, line, debit_account, credit_account, currency, amount_minor, at
    from ledger_transfers
    where at >= ${from} and at < ${until}
      and client_id not in (select client from client_homes where state <> 'here')
    order by at, subject_id, effect, line
  `);
  for (;;) {
    // The number is a constant of the statement: `fetch` takes no parameters.
    const rows = await tx.query<JournalRow>(sql`fetch 5000 from journal`);
    if (rows.length > 0) yield rows.map(toJournal);
    if (rows.length < batch) return;
  }
}

interface JournalRow {
  readonly client_id: string;
  readonly subject_id: string;
  readonly effect: EffectName;
  readonly line: number;
  readonly debit_account: string;
  readonly credit_account: string;
  readonly currency: string;
  readonly amount_minor: string;
  readonly at: Date;
}

function toJournal(row: JournalRow): JournalTransfer {
  return {
    clientId: row.client_id,
    subjectId: row.subject_id,
    effect: row.effect,
    line: row.line,
    debit: row.debit_account,
    credit: row.credit_account,
    amount: { currency: row.currency, minor: BigInt(row.amount_minor) },
    at: row.at,
  };
}
