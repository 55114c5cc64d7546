import { accountingDayOf, isAccountingDay, startOfAccountingDay } from "../core/accounting-day.ts";
import { refuse, type Refusal } from "../core/result.ts";
import type { EffectName } from "./transfer.ts";

/** The change of a merchant's balance by one effect, in minor units; negative for a debit. */
export interface StatementLine {
  readonly subjectId: string;
  readonly effect: EffectName;
  readonly at: Date;
  /** The amount before our fee and its tax. */
  readonly grossMinor: bigint;
  readonly feeMinor: bigint;
  readonly taxMinor: bigint;
  /** The position of the line, after which the next page begins. */
  readonly position: StatementPosition;
}

/**
 * The position of a line: time in microseconds since 1970, as in PostgreSQL, because two lines can share a
 * millisecond.
 */
export interface StatementPosition {
  readonly atMicros: string;
  readonly subjectId: string;
  readonly effect: string;
}

export function calculateNet({
  grossMinor,
  feeMinor,
  taxMinor,
}: Pick<StatementLine, "grossMinor" | "feeMinor" | "taxMinor">): bigint {
  return grossMinor + feeMinor + taxMinor;
}

/**
 * A part of a statement. Its opening balance plus its lines equals its closing balance, also if there are concurrent
 * postings.
 */
export interface StatementPart {
  readonly openingMinor: bigint;
  readonly lines: readonly StatementLine[];
}

export function calculateClosing({ openingMinor, lines }: StatementPart): bigint {
  return lines.reduce((sum, line) => sum + calculateNet(line), openingMinor);
}

export function formatStatementCursor({ atMicros, subjectId, effect }: StatementPosition): string {
  return `${atMicros} ${subjectId} ${effect}`;
}

export function parseStatementCursor(cursor: string): StatementPosition {
  const [atMicros = "", subjectId = "", ...words] = cursor.split(" ");
  return { atMicros, subjectId, effect: words.join(" ") };
}

/**
 * Returns the time from which the index is searched for lines after a position. The time is in whole milliseconds and a
 * separate parameter, because under row-level security PostgreSQL does not use an index for a condition with
 * `coalesce`.
 */
export function searchStart(from: Date, after: StatementPosition | undefined): Date {
  const afterMs = Math.floor(Number(after?.atMicros ?? 0) / 1_000);
  return afterMs > from.getTime() ? new Date(afterMs) : from;
}

/** Maximum number of days in a statement. */
export const daysMax = 31;

/** Returns the first problem of the days of a statement. */
export function findDaysRefusal(fromDay: string, toDay: string): Refusal<"PARAM_ILLEGAL"> | undefined {
  if (!isAccountingDay(fromDay))
    return refuse("PARAM_ILLEGAL", { field: "fromDay", detail: "There is no such day." });
  if (!isAccountingDay(toDay))
    return refuse("PARAM_ILLEGAL", { field: "toDay", detail: "There is no such day." });
  if (toDay < fromDay)
    return refuse("PARAM_ILLEGAL", { field: "toDay", detail: "The last day is before the first." });
  const last = accountingDayOf(
    new Date(startOfAccountingDay(fromDay).getTime() + (daysMax - 1) * 24 * 3600 * 1000),
  );
  if (toDay > last)
    return refuse("PARAM_ILLEGAL", { field: "toDay", detail: `These are more than ${daysMax} days.` });
  return undefined;
}

/** The sum of a day in a statement. */
export interface StatementDay {
  readonly day: string;
  readonly lineCount: number;
  readonly grossMinor: bigint;
  readonly feeMinor: bigint;
  readonly taxMinor: bigint;
}
