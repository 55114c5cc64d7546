/** Tables whose rows go into a file with their payment, and what is counted of each. */
export const archivedTables = [
  "payments",
  "payment_events",
  "wallet_events",
  "notifications",
  "notification_attempts",
] as const;
export type ArchivedTable = (typeof archivedTables)[number];

export type RowCounts = Readonly<Record<ArchivedTable, number>>;

/** A file of the archive, as the database remembers it. */
export interface Archive {
  readonly archiveId: number;
  /** The month in which its payments began, such as 2025-05. */
  readonly month: string;
  readonly bucket: number;
  /** Below the archive's folder. */
  readonly file: string;
  readonly sha256: string;
  readonly byteCount: number;
  readonly paymentCount: number;
  readonly rowCounts: RowCounts;
}

/** What decides whether a payment may go: all that is open, and when its money moved last. */
export interface Standing {
  readonly paymentId: string;
  readonly open: readonly string[];
  readonly movedAt: Date;
  /** The refund window of its wallet; zero for what was never paid. */
  readonly refundWindowDays: number;
}

/** Rows that a payment's end is told by stay for half a year at least: merchants read them, and have them sent again. */
const daysMin = 180;
const dayMs = 24 * 3600 * 1000;

/** Why a payment stays whole, or undefined when it may go. What can still be refunded is not over. */
export function reasonToStay(standing: Standing, now: Date): "open" | "recent" | undefined {
  if (standing.open.length > 0) return "open";
  const days = Math.max(daysMin, standing.refundWindowDays);
  return now.getTime() - standing.movedAt.getTime() < days * dayMs ? "recent" : undefined;
}

/** A month of the calendar, with the ids that payments of it begin with. */
export interface Month {
  readonly month: string;
  readonly idFrom: string;
  readonly idBefore: string;
}

export function isMonth(text: string): boolean {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text);
}

/** The months from one up to, and not including, another. */
export function monthsBetween(from: string, before: string): readonly Month[] {
  const months: Month[] = [];
  for (let month = from; month < before; month = monthAfter(month))
    months.push({ month, idFrom: idStart(month), idBefore: idStart(monthAfter(month)) });
  return months;
}

/** The month that a payment began in, by its id. */
export function monthOfId(paymentId: string): string {
  return `${paymentId.slice(0, 4)}-${paymentId.slice(4, 6)}`;
}

function monthAfter(month: string): string {
  const [year = 0, number = 0] = month.split("-").map(Number);
  const next = number === 12 ? [year + 1, 1] : [year, number + 1];
  return `${String(next[0]).padStart(4, "0")}-${String(next[1]).padStart(2, "0")}`;
}

function idStart(month: string): string {
  return month.replace("-", "");
}

/**
 * The name follows from the content. A batch that was cut off and is done again writes the same file over; and no file can take the place of
 * another, not even that of another installation in the same folder.
 */
export function fileOf({
  archiveId,
  month,
  sha256,
}: Pick<Archive, "archiveId" | "month" | "sha256">): string {
  return `${month}/${String(archiveId).padStart(8, "0")}-${sha256.slice(0, 16)}.ndjson.gz`;
}

/** A row in a file: its payment, its table, and the row itself, as PostgreSQL writes it as JSON. */
export interface ArchivedRow {
  readonly paymentId: string;
  readonly table: ArchivedTable;
  readonly row: string;
}

/** The row is put in as text: read as JSON, a long number would lose its last digits. */
export function lineOf({ paymentId, table, row }: ArchivedRow): string {
  return `{"paymentId":"${paymentId}","table":"${table}","row":${row}}\n`;
}

const lineForm = /^\{"paymentId":"(\d{35})","table":"([a-z_]+)","row":(\{.*\})\}$/;

/** Undefined for what is no line of ours. */
export function readLine(line: string): ArchivedRow | undefined {
  const [, paymentId = "", name, row = ""] = lineForm.exec(line) ?? [];
  const table = archivedTables.find((each) => each === name);
  return table && { paymentId, table, row };
}

export function countRows(rows: readonly Pick<ArchivedRow, "table">[]): RowCounts {
  const counts = Object.fromEntries(archivedTables.map((table) => [table, 0])) as Record<
    ArchivedTable,
    number
  >;
  for (const { table } of rows) counts[table] += 1;
  return counts;
}

/** What is wrong with a file's content, or undefined when it has all that was put into it. */
export function contentProblem(
  text: string,
  { paymentCount, rowCounts }: Pick<Archive, "paymentCount" | "rowCounts">,
): string | undefined {
  const lines = text.split("\n").slice(0, -1);
  const rows = lines.map(readLine).filter((row) => row !== undefined);
  if (rows.length < lines.length || !text.endsWith("\n")) return "has a line that is no row";
  const counted = countRows(rows);
  const wrong = archivedTables.find((table) => counted[table] !== (rowCounts[table] ?? 0));
  if (wrong) return `has ${counted[wrong]} rows of ${wrong} and not ${rowCounts[wrong] ?? 0}`;
  const payments = new Set(rows.map(({ paymentId }) => paymentId)).size;
  return payments === paymentCount ? undefined : `is of ${payments} payments and not of ${paymentCount}`;
}
