import { bookDayOf } from "../core/book-day.ts";
import { csvLine } from "../core/csv-line.ts";
import { toDecimal } from "../core/money.ts";
import { pdfOf } from "../core/pdf.ts";
import { netOf, type StatementDay, type StatementPart } from "./statement.ts";

/** A merchant's month as a file. */
export interface StatementOf {
  readonly clientId: string;
  readonly currency: string;
  readonly month: string;
}

export type StatementFormat = "CSV" | "PDF";

export function statementName({ clientId, currency, month }: StatementOf, format: StatementFormat): string {
  return `STATEMENT_${clientId}_${currency}_${month}.${format.toLowerCase()}`;
}

/** A part of the file that has every movement. What stood before is in front of the first part, what stood after behind the last. */
export function statementCsv(
  { currency }: StatementOf,
  { openingMinor, lines }: StatementPart,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): string {
  const shown = (minor: bigint): string => toDecimal({ currency, minor });
  const stood = (what: string, minor: bigint): string =>
    csvLine(["", "", "", what, "", "", "", "", shown(minor), currency]);
  let balance = openingMinor;
  const moved = lines.map((line) => {
    balance += netOf(line);
    const sums = [line.grossMinor, line.feeMinor, line.taxMinor, netOf(line), balance].map(shown);
    return csvLine([
      bookDayOf(line.at),
      line.at.toISOString(),
      line.subjectId,
      line.effect,
      ...sums,
      currency,
    ]);
  });
  return [
    ...(isFirst ? [csvLine(head), stood("opening", openingMinor)] : []),
    ...moved,
    ...(isLast ? [stood("closing", balance)] : []),
  ].join("");
}

const head = ["day", "time", "record", "effect", "gross", "fee", "tax", "net", "balance", "currency"];

/** One page: what was owed before, each day, and what was owed after. */
export function statementPdf(
  { clientId, currency, month }: StatementOf,
  openingMinor: bigint,
  days: readonly StatementDay[],
): Buffer {
  const shown = (minor: bigint): string => toDecimal({ currency, minor });
  const row = (first: string, cells: readonly string[]): string =>
    first.padEnd(12) + cells.map((cell) => cell.padStart(15)).join("");
  let balance = openingMinor;
  const moved = days.map((day) => {
    balance += netOf(day);
    return row(day.day, [day.grossMinor, day.feeMinor, day.taxMinor, netOf(day), balance].map(shown));
  });
  const page = [
    `Statement of account ${month}`,
    "",
    `Merchant  ${clientId}`,
    `Currency  ${currency}`,
    "Days end at midnight UTC+8.",
    "",
    row("day", ["gross", "fees", "tax", "net", "balance"]),
    row("opening", ["", "", "", "", shown(openingMinor)]),
    ...moved,
    row("closing", ["", "", "", "", shown(balance)]),
  ];
  return pdfOf([page], { font: "Courier", size: 8, leading: 14 });
}
