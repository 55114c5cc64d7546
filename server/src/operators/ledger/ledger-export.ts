import { accountingMonth, isAccountingMonth } from "../../core/accounting-day.ts";
import { csvLine } from "../../formats/csv-line.ts";
import { readJournal } from "../../ledger/journal.sql.ts";
import { journalHead, journalLines } from "../../ledger/journal.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Tx } from "../../postgres/sql.ts";
import { asOwner, type Operator } from "../../operator-session/as-owner.ts";
import { UsageError } from "../../core/command-errors.ts";
import { writeLines } from "../framework/csv-file.ts";

const statementTimeoutMs = 30 * 60 * 1000;

/** `exportLedger` writes the journal of a month for a general ledger. It returns the number of ledger rows. */
export async function exportLedger(
  { url, environment }: Operator,
  { month, file }: { readonly month: string; readonly file: string | undefined },
): Promise<number> {
  if (!isAccountingMonth(month)) throw new UsageError("--month must be a month, such as 2026-11.");
  let rowCount = 0;
  const lines = async function* (tx: Tx): AsyncGenerator<string> {
    yield csvLine(journalHead);
    for await (const transfers of readJournal(tx, accountingMonth(month))) {
      rowCount += transfers.length;
      yield transfers.map(journalLines).join("");
    }
  };
  await asOwner(url, environment, systemScope, (tx) => writeLines(file, lines(tx)), { statementTimeoutMs });
  return rowCount;
}
