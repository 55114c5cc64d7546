import { bookDayOf, isBookDay, startOfBookDay } from "../core/book-day.ts";
import { refuse, type Refusal } from "../core/result.ts";
import type { EffectName } from "./transfer.ts";

/** What one effect changed in what we owe a merchant, in minor units. What it takes away is below zero. */
export interface StatementLine {
  readonly subjectId: string;
  readonly effect: EffectName;
  readonly at: Date;
  /** What moved, before our fee and its tax. */
  readonly grossMinor: bigint;
  readonly feeMinor: bigint;
  readonly taxMinor: bigint;
  /** Behind which the next page begins. */
  readonly place: StatementPlace;
}

/** The place of a line: time in microseconds since 1970, as PostgreSQL keeps it, because two lines may share a millisecond. */
export interface StatementPlace {
  readonly atMicros: string;
  readonly subjectId: string;
  readonly effect: string;
}

export function netOf({
  grossMinor,
  feeMinor,
  taxMinor,
}: Pick<StatementLine, "grossMinor" | "feeMinor" | "taxMinor">): bigint {
  return grossMinor + feeMinor + taxMinor;
}

/** A part of a statement. What stood before its first line, plus its lines, is what stood after its last, whatever is posted meanwhile. */
export interface StatementPart {
  readonly openingMinor: bigint;
  readonly lines: readonly StatementLine[];
}

export function closingOf({ openingMinor, lines }: StatementPart): bigint {
  return lines.reduce((sum, line) => sum + netOf(line), openingMinor);
}

/** The form of a cursor: `1794700000000000 20261115093000123047601530017744120 dispute freeze`. */
export const statementCursorForm = "^[0-9]{16} [\\x21-\\x7E]{1,64} [a-z ]{1,32}$";

export function cursorOf({ atMicros, subjectId, effect }: StatementPlace): string {
  return `${atMicros} ${subjectId} ${effect}`;
}

export function placeOf(cursor: string): StatementPlace {
  const [atMicros = "", subjectId = "", ...words] = cursor.split(" ");
  return { atMicros, subjectId, effect: words.join(" ") };
}

/**
 * The time from which the index is searched for lines after a place. In whole milliseconds, and a parameter of its own: under row-level
 * security PostgreSQL does not search an index with `coalesce`.
 */
export function startOf(from: Date, after: StatementPlace | undefined): Date {
  const afterMs = Math.floor(Number(after?.atMicros ?? 0) / 1_000);
  return afterMs > from.getTime() ? new Date(afterMs) : from;
}

/** Days that one statement can have. */
export const daysMax = 31;

/** The first reason why these are no days of a statement. */
export function daysRefusal(fromDay: string, toDay: string): Refusal<"PARAM_ILLEGAL"> | undefined {
  if (!isBookDay(fromDay))
    return refuse("PARAM_ILLEGAL", { field: "fromDay", detail: "There is no such day." });
  if (!isBookDay(toDay)) return refuse("PARAM_ILLEGAL", { field: "toDay", detail: "There is no such day." });
  if (toDay < fromDay)
    return refuse("PARAM_ILLEGAL", { field: "toDay", detail: "The last day is before the first." });
  const last = bookDayOf(new Date(startOfBookDay(fromDay).getTime() + (daysMax - 1) * 24 * 3600 * 1000));
  if (toDay > last)
    return refuse("PARAM_ILLEGAL", { field: "toDay", detail: `These are more than ${daysMax} days.` });
  return undefined;
}

/** What a day of a statement comes to. */
export interface StatementDay {
  readonly day: string;
  readonly lineCount: number;
  readonly grossMinor: bigint;
  readonly feeMinor: bigint;
  readonly taxMinor: bigint;
}
