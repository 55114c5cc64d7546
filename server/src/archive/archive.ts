/** Tables whose rows are archived with their payment. */
export const archivedTables = [
  "payments",
  "payment_events",
  "provider_events",
  "notifications",
  "notification_attempts",
] as const;
export type ArchivedTable = (typeof archivedTables)[number];

export type RowCounts = Readonly<Record<ArchivedTable, number>>;

/** An archive file, as recorded in the database. */
export interface Archive {
  readonly archiveId: number;
  /** The month in which the payments in the file were created, such as 2025-05. */
  readonly month: string;
  readonly bucket: number;
  /** The path of the archive file within the archive's folder. */
  readonly file: string;
  readonly sha256: string;
  readonly byteCount: number;
  readonly paymentCount: number;
  readonly rowCounts: RowCounts;
}

/**
 * The facts that decide whether a payment may be archived: its open records, and the time of its last movement of
 * money.
 */
export interface ArchiveCandidate {
  readonly paymentId: string;
  readonly openRecords: readonly string[];
  readonly movedAt: Date;
  /** Refund window of the payment's connector in days; 0 if the payment was never paid. */
  readonly refundWindowDays: number;
}

/** Minimum age in days: merchants read the history of a payment, and resend its webhooks, for at least half a year. */
const ageDaysMin = 180;
const dayMs = 24 * 3600 * 1000;

/**
 * `retentionReason` returns why a payment is not archived; undefined if it may be. A refundable payment counts as
 * recent.
 */
export function retentionReason(candidate: ArchiveCandidate, now: Date): "open" | "recent" | undefined {
  if (candidate.openRecords.length > 0) return "open";
  const days = Math.max(ageDaysMin, candidate.refundWindowDays);
  return now.getTime() - candidate.movedAt.getTime() < days * dayMs ? "recent" : undefined;
}

/** A calendar month, with the range of its payment ids. */
export interface Month {
  readonly month: string;
  readonly idFrom: string;
  readonly idBefore: string;
}

export function isMonth(text: string): boolean {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text);
}

/** `monthsBetween` lists the months from one up to, and not including, another. */
export function monthsBetween(from: string, before: string): readonly Month[] {
  const months: Month[] = [];
  for (let month = from; month < before; month = monthAfter(month))
    months.push({ month, idFrom: idStart(month), idBefore: idStart(monthAfter(month)) });
  return months;
}

/** `monthOfId` returns the month in which a payment was created, from its id. */
export function monthOfId(paymentId: string): string {
  return `${paymentId.slice(0, 4)}-${paymentId.slice(4, 6)}`;
}

function monthAfter(month: string): string {
  const [year = 0, monthNumber = 0] = month.split("-").map(Number);
  const next = monthNumber === 12 ? [year + 1, 1] : [year, monthNumber + 1];
  return `${String(next[0]).padStart(4, "0")}-${String(next[1]).padStart(2, "0")}`;
}

function idStart(month: string): string {
  return month.replace("-", "");
}

/**
 * `archiveFileName` derives an archive file's name from its content. So a repeated batch writes the same file again.
 * And no file can replace another one, not even a file of another installation in the same folder.
 */
export function archiveFileName({
  archiveId,
  month,
  sha256,
}: Pick<Archive, "archiveId" | "month" | "sha256">): string {
  return `${month}/${String(archiveId).padStart(8, "0")}-${sha256.slice(0, 16)}.ndjson.gz`;
}

/** A row in a file: its payment, its table, and the row as PostgreSQL formats it as JSON. */
export interface ArchivedRow {
  readonly paymentId: string;
  readonly table: ArchivedTable;
  readonly row: string;
}

/**
 * `formatLine` writes an archived row as a line of JSON. It inserts the row as text, because parsing it as JSON would
 * lose the last digits of long numbers.
 */
export function formatLine({ paymentId, table, row }: ArchivedRow): string {
  return `{"paymentId":"${paymentId}","table":"${table}","row":${row}}\n`;
}

const lineForm = /^\{"paymentId":"(\d{35})","table":"([a-z_]+)","row":(\{.*\})\}$/;

/** `parseLine` parses a line of an archive file; undefined for an invalid line. */
export function parseLine(line: string): ArchivedRow | undefined {
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

/** `contentProblem` returns the problem of a file's content; undefined if it is complete. */
export function contentProblem(
  text: string,
  { paymentCount, rowCounts }: Pick<Archive, "paymentCount" | "rowCounts">,
): string | undefined {
  const lines = text.split("\n").slice(0, -1);
  const rows = lines.map(parseLine).filter((row) => row !== undefined);
  if (rows.length < lines.length || !text.endsWith("\n")) return "has an invalid line";
  const actualCounts = countRows(rows);
  const wrongTable = archivedTables.find((table) => actualCounts[table] !== (rowCounts[table] ?? 0));
  if (wrongTable)
    return `has ${actualCounts[wrongTable]} rows of ${wrongTable} instead of ${rowCounts[wrongTable] ?? 0}`;
  const payments = new Set(rows.map(({ paymentId }) => paymentId)).size;
  return payments === paymentCount ? undefined : `has ${payments} payments instead of ${paymentCount}`;
}
