import { accountingMonth, isAccountingMonth } from "../../core/accounting-day.ts";
import { formatCsvLine } from "../../formats/csv-line.ts";
import { readJournal } from "../../ledger/journal.sql.ts";
import { journalHeader, formatJournalLines } from "../../ledger/journal.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Tx } from "../../postgres/sql.ts";
import { queryAsOwner, type Operator } from "../../operator-session/owner-session.ts";
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
    yield formatCsvLine(journalHeader);
    for await (const transfers of readJournal(tx, accountingMonth(month))) {
      rowCount += transfers.length;
      yield transfers.map(formatJournalLines).join("");
    }
  };
  await queryAsOwner(url, environment, systemScope, (tx) => writeLines(file, lines(tx)), {
    statementTimeoutMs,
  });
  return rowCount;
}
