import { bookMonth, isBookMonth } from "../core/book-day.ts";
import { csvLine } from "../core/csv-line.ts";
import { readJournal } from "../ledger/journal.sql.ts";
import { journalHead, journalLines } from "../ledger/journal.ts";
import { systemScope } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { asOwner, type Operator } from "./as-owner.ts";
import { UsageError } from "./command.ts";
import { writeLines } from "./csv-file.ts";

const statementTimeoutMs = 30 * 60 * 1000;

/** The journal of a month for a general ledger; returns how many rows of the ledger it has. */
export async function exportLedger(
  { url, environment }: Operator,
  { month, file }: { readonly month: string; readonly file: string | undefined },
): Promise<number> {
  if (!isBookMonth(month)) throw new UsageError("--month has to be a month, such as 2026-11.");
  let rowCount = 0;
  const lines = async function* (tx: Tx): AsyncGenerator<string> {
    yield csvLine(journalHead);
    for await (const transfers of readJournal(tx, bookMonth(month))) {
      rowCount += transfers.length;
      yield transfers.map(journalLines).join("");
    }
  };
  await asOwner(url, environment, systemScope, (tx) => writeLines(file, lines(tx)), { statementTimeoutMs });
  return rowCount;
}
