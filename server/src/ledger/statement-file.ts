import { accountingDayOf, accountingMonth } from "../core/accounting-day.ts";
import { formatCsvLine } from "../formats/csv-line.ts";
import { toDecimal } from "../core/money.ts";
import { calculateNet, type StatementDay, type StatementPart } from "./statement.ts";

/** A merchant's monthly statement as a file. */
export interface StatementKey {
  readonly clientId: string;
  readonly currency: string;
  readonly month: string;
}

export type StatementFormat = "CSV" | "PDF";

export function statementFileName(
  { clientId, currency, month }: StatementKey,
  format: StatementFormat,
): string {
  return `STATEMENT_${clientId}_${currency}_${month}.${format.toLowerCase()}`;
}

/**
 * Formats a part of the CSV file with all movements of a merchant. The first part begins with the opening balance, the
 * last one ends with the closing balance.
 */
export function formatStatementCsv(
  { currency }: StatementKey,
  { openingMinor, lines }: StatementPart,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): string {
  const formatMinor = (minor: bigint): string => toDecimal({ currency, minor });
  const formatBalanceLine = (label: string, minor: bigint): string =>
    formatCsvLine(["", "", "", label, "", "", "", "", formatMinor(minor), currency]);
  let balance = openingMinor;
  const movementLines = lines.map((line) => {
    balance += calculateNet(line);
    const sums = [line.grossMinor, line.feeMinor, line.taxMinor, calculateNet(line), balance].map(
      formatMinor,
    );
    return formatCsvLine([
      accountingDayOf(line.at),
      line.at.toISOString(),
      line.subjectId,
      line.effect,
      ...sums,
      currency,
    ]);
  });
  return [
    ...(isFirst ? [formatCsvLine(csvHeader), formatBalanceLine("opening", openingMinor)] : []),
    ...movementLines,
    ...(isLast ? [formatBalanceLine("closing", balance)] : []),
  ].join("");
}

const csvHeader = ["day", "time", "record", "effect", "gross", "fee", "tax", "net", "balance", "currency"];

/** Creates the PDF of a statement, with the opening balance, the days and the closing balance. */
export async function createStatementPdf(
  { clientId, currency, month }: StatementKey,
  merchantName: string | undefined,
  openingMinor: bigint,
  days: readonly StatementDay[],
): Promise<Buffer> {
  // The PDF module is imported on demand, because the PDF libraries are slow to load.
  const { createPdf } = await import("../pdf/create-pdf.ts");
  const formatMinor = (minor: bigint): string => toDecimal({ currency, minor });
  let balance = openingMinor;
  const dayRows = days.map((day) => {
    balance += calculateNet(day);
    return [
      day.day,
      ...[day.grossMinor, day.feeMinor, day.taxMinor, calculateNet(day), balance].map(formatMinor),
    ];
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
    ["opening", "", "", "", "", formatMinor(openingMinor)],
    ...dayRows,
    ["closing", "", "", "", "", formatMinor(balance)],
  ];
  return createPdf(lines, { title, createdAt: accountingMonth(month).until, size: 8, leading: 14 });
}
