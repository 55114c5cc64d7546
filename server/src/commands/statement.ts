import { writeFile } from "node:fs/promises";
import { bookDayOf, bookMonth, isBookMonth } from "../core/book-day.ts";
import { bucketOf } from "../core/bucket.ts";
import { csvLine } from "../core/csv-line.ts";
import { toDecimal } from "../core/money.ts";
import { pdfOf } from "../core/pdf.ts";
import { findStatement } from "../ledger/statement.sql.ts";
import { addToDays, netOf, type StatementDay, type StatementLine } from "../ledger/statement.ts";
import type { Tx } from "../postgres/sql.ts";
import { asOwner, type Operator } from "./as-owner.ts";
import { UsageError } from "./command.ts";
import { writeLines } from "./csv-file.ts";

export interface StatementToWrite {
  readonly clientId: string;
  readonly currency: string;
  readonly month: string;
  readonly format: "csv" | "pdf";
  readonly file: string;
}

const statementTimeoutMs = 10 * 60 * 1000;
const pageLines = 5_000;

/** A merchant's month: as CSV every movement, as PDF a line for each day. Returns how many movements there were. */
export async function writeStatement(
  { url, environment }: Operator,
  asked: StatementToWrite,
): Promise<{ readonly file: string; readonly lineCount: number }> {
  const { clientId, currency, month, format, file } = asked;
  if (!isBookMonth(month)) throw new UsageError("--month has to be a month, such as 2026-11.");
  const minor = (sum: bigint): string => toDecimal({ currency, minor: sum });
  let lineCount = 0;
  let balance: bigint | undefined;
  let days: readonly StatementDay[] = [];
  const lines = async function* (tx: Tx): AsyncGenerator<string> {
    yield csvLine(["day", "time", "record", "effect", "gross", "fee", "tax", "net", "balance", "currency"]);
    for await (const { openingMinor, shown } of readPages(tx, asked)) {
      if (balance === undefined)
        yield csvLine(["", "", "", "opening", "", "", "", "", minor(openingMinor), currency]);
      let now = openingMinor;
      const cells = shown.map((line) => {
        now += netOf(line);
        const sums = [line.grossMinor, line.feeMinor, line.taxMinor, netOf(line), now].map(minor);
        return csvLine([
          bookDayOf(line.at),
          line.at.toISOString(),
          line.subjectId,
          line.effect,
          ...sums,
          currency,
        ]);
      });
      balance = now;
      lineCount += shown.length;
      days = addToDays(days, shown);
      yield cells.join("");
    }
    yield csvLine(["", "", "", "closing", "", "", "", "", minor(balance ?? 0n), currency]);
  };
  const write = async (tx: Tx): Promise<void> => {
    if (format === "csv") return writeLines(file, lines(tx));
    for await (const _ of lines(tx));
    const page = statementPage(asked, days, balance ?? 0n);
    return writeFile(file, pdfOf([page], { font: "Courier", size: 8, leading: 14 }));
  };
  await asOwner(url, environment, [clientId], write, { statementTimeoutMs, readsWholeTables: false });
  return { file, lineCount };
}

async function* readPages(
  tx: Tx,
  { clientId, currency, month }: StatementToWrite,
): AsyncGenerator<{ readonly openingMinor: bigint; readonly shown: readonly StatementLine[] }> {
  const key = { bucket: bucketOf(clientId), clientId };
  let after: StatementLine["place"] | undefined;
  for (;;) {
    const asked = { currency, ...bookMonth(month), after, limit: pageLines };
    const { openingMinor, lines } = await findStatement(tx, key, asked);
    const shown = lines.slice(0, pageLines);
    yield { openingMinor, shown };
    after = shown.at(-1)?.place;
    if (lines.length <= pageLines) return;
  }
}

/** One page: what was owed before, each day, and what was owed after. */
export function statementPage(
  { clientId, currency, month }: Pick<StatementToWrite, "clientId" | "currency" | "month">,
  days: readonly StatementDay[],
  closingMinor: bigint,
): readonly string[] {
  const minor = (sum: bigint): string => toDecimal({ currency, minor: sum });
  const opening = days.reduce((sum, day) => sum - netOf(day), closingMinor);
  const row = (first: string, cells: readonly string[]): string =>
    first.padEnd(12) + cells.map((cell) => cell.padStart(15)).join("");
  let balance = opening;
  return [
    `Statement of account ${month}`,
    "",
    `Merchant  ${clientId}`,
    `Currency  ${currency}`,
    "Days end at midnight UTC+8.",
    "",
    row("day", ["gross", "fees", "tax", "net", "balance"]),
    row("opening", ["", "", "", "", minor(opening)]),
    ...days.map((day) => {
      balance += netOf(day);
      return row(day.day, [day.grossMinor, day.feeMinor, day.taxMinor, netOf(day), balance].map(minor));
    }),
    row("closing", ["", "", "", "", minor(closingMinor)]),
  ];
}
