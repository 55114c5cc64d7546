import { accountingDayOf, accountingMonth } from "../core/accounting-day.ts";
import { csvLine } from "../formats/csv-line.ts";
import { toDecimal } from "../core/money.ts";
import { netOf, type StatementDay, type StatementPart } from "./statement.ts";

/** A merchant's monthly statement as a file. */
export interface StatementOf {
  readonly clientId: string;
  readonly currency: string;
  readonly month: string;
}

export type StatementFormat = "CSV" | "PDF";

export function statementName({ clientId, currency, month }: StatementOf, format: StatementFormat): string {
  return `STATEMENT_${clientId}_${currency}_${month}.${format.toLowerCase()}`;
}

/**
 * Formats a part of the CSV file with all movements of a merchant. The first part begins with the opening balance, the
 * last one ends with the closing balance.
 */
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
      accountingDayOf(line.at),
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

/** Creates the PDF of a statement, with the opening balance, the days and the closing balance. */
export async function statementPdf(
  { clientId, currency, month }: StatementOf,
  merchantName: string | undefined,
  openingMinor: bigint,
  days: readonly StatementDay[],
): Promise<Buffer> {
  // The PDF module is imported on demand, because the PDF libraries are slow to load.
  const { createPdf } = await import("../pdf/create-pdf.ts");
  const shown = (minor: bigint): string => toDecimal({ currency, minor });
  let balance = openingMinor;
  const moved = days.map((day) => {
    balance += netOf(day);
    return [day.day, ...[day.grossMinor, day.feeMinor, day.taxMinor, netOf(day), balance].map(shown)];
  });
  const title = `Statement of account ${month}`;
  const lines = [
    title,
    "",
    `Merchant: ${clientId}${merchantName === undefined ? "" : ` ${merchantName}`}`,
    `Currency: ${currency}`,
    "Days end at midnight UTC+8.",
    "",
    ["day", "gross", "fees", "tax", "net", "balance"],
    ["opening", "", "", "", "", shown(openingMinor)],
    ...moved,
    ["closing", "", "", "", "", shown(balance)],
  ];
  return createPdf(lines, { title, createdAt: accountingMonth(month).until, size: 8, leading: 14 });
}
