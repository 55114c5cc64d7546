import assert from "node:assert/strict";
import { nextBookDay } from "../core/book-day.ts";
import type { Lifecycle } from "../core/lifecycle.ts";
import type { Money } from "../core/money.ts";
import { accountNameOf } from "../ledger/account.ts";
import type { Price } from "../ledger/exchange.ts";

export type BatchStatus = "DUE" | "CARRIED" | "PAYING" | "PAID";

/**
 * A batch is owed until a payout takes it, and again when the payout failed or came back. A carried one is part of a later one; a due
 * one becomes carried when a later, negative batch takes it in.
 */
export const batchLifecycle = {
  DUE: ["PAYING", "CARRIED"],
  CARRIED: [],
  PAYING: ["PAID", "DUE"],
  PAID: ["DUE"],
} as const satisfies Lifecycle<BatchStatus>;

/** A batch is a day, a week from Monday, or a month. */
export const cycles = ["D", "W", "M"] as const;
export type Cycle = (typeof cycles)[number];

/** How a merchant is settled in one currency, from a day of the books on. */
export interface Terms {
  readonly fromDay: string;
  readonly cycle: Cycle;
  /** Working days between the end of a batch and the day on which it is due. */
  readonly daysAfter: number;
  /** A smaller batch is carried over. */
  readonly minimumMinor: bigint;
  readonly reserveBasisPoints: number;
  /** Days of the calendar. */
  readonly reserveDays: number;
  /** The currency that it is paid in; that of the sales when it is absent. */
  readonly settleIn: string | undefined;
}

/** Days of the books, both included. */
export interface Window {
  readonly fromDay: string;
  readonly toDay: string;
}

/** The window of a cycle that a day is in. */
export function windowOf(day: string, cycle: Cycle): Window {
  if (cycle === "D") return { fromDay: day, toDay: day };
  if (cycle === "W") {
    const monday = addDays(day, -((weekdayOf(day) + 6) % 7));
    return { fromDay: monday, toDay: addDays(monday, 6) };
  }
  const [year = 0, month = 0] = day.split("-").map(Number);
  const last = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
  return { fromDay: `${day.slice(0, 8)}01`, toDay: last };
}

/**
 * The window that a movement is settled in, with its terms. A movement of a day that is closed (it was committed late), or from before
 * the first terms, belongs to the next window that can still take it. Windows never overlap: they end where other terms begin.
 */
export function windowFor(
  movementDay: string,
  terms: readonly Terms[],
  closedDay: string | undefined,
): (Window & { readonly terms: Terms }) | undefined {
  const [first] = terms;
  if (!first) return undefined;
  const day = latest(
    movementDay,
    first.fromDay,
    ...(closedDay === undefined ? [] : [nextBookDay(closedDay)]),
  );
  const found = terms.findLast(({ fromDay }) => fromDay <= day);
  assert(found, "The first terms are from no later than that day.");
  const next = terms[terms.indexOf(found) + 1];
  const { fromDay, toDay } = windowOf(day, found.cycle);
  return {
    fromDay: latest(fromDay, found.fromDay, ...(closedDay === undefined ? [] : [nextBookDay(closedDay)])),
    toDay: next && next.fromDay <= toDay ? addDays(next.fromDay, -1) : toDay,
    terms: found,
  };
}

/** The last window that has ended by a day and is not closed yet, with its terms. Undefined when there is none. */
export function lastWindowBy(
  day: string,
  terms: readonly Terms[],
  closedDay: string,
): (Window & { readonly terms: Terms }) | undefined {
  const around = windowFor(day, terms, closedDay);
  if (!around || around.toDay <= day) return around;
  const endOfLast = addDays(around.fromDay, -1);
  const [first] = terms;
  if (!first || endOfLast <= closedDay || endOfLast < first.fromDay) return undefined;
  return windowFor(endOfLast, terms, closedDay);
}

/**
 * Days without a movement after which a carried sum is paid although it is below the minimum: 30, or the longest wait of the terms if that is
 * longer. Twice the working days until a payout is more than their days of the calendar.
 */
export function idleDaysOf({ daysAfter, reserveDays }: Pick<Terms, "daysAfter" | "reserveDays">): number {
  return Math.max(30, 2 * daysAfter, reserveDays);
}

/** So many working days after a day: Monday to Friday, but for holidays. Never on a weekend, and never on a holiday. */
export function workingDayAfter(day: string, days: number, holidays: ReadonlySet<string>): string {
  const isWorkingDay = (each: string): boolean => ![0, 6].includes(weekdayOf(each)) && !holidays.has(each);
  let [at, left] = [day, days];
  while (left > 0 || !isWorkingDay(at)) {
    at = nextBookDay(at);
    if (isWorkingDay(at) && left > 0) left -= 1;
  }
  return at;
}

/** Sunday is 0. */
const weekdayOf = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay();

export function addDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

const latest = (first: string, ...others: readonly string[]): string =>
  others.reduce((so, day) => (day > so ? day : so), first);

/** All movements of one kind in a batch: their effect, the account on the other side, and what they change in what we owe. */
export interface Moved {
  readonly effect: string;
  readonly otherAccount: string;
  readonly minor: bigint;
}

/** Where a movement is counted: by the account on its other side, and where that is a wallet, by why it moved. */
export type MovedKind = "gross" | "refunds" | "disputes" | "fees" | "tax" | "other";

export function kindOf({ effect, otherAccount }: Pick<Moved, "effect" | "otherAccount">): MovedKind {
  if (effect.startsWith("dispute")) return "disputes";
  const account = accountNameOf(otherAccount);
  if (account === "fee revenue") return "fees";
  if (account === "tax payable") return "tax";
  if (account !== "wallet receivable") return "other";
  return effect === "payment" || effect === "capture" ? "gross" : "refunds";
}

/** What is kept back of a batch, and until which day. */
export interface Held {
  readonly batchId: string;
  readonly minor: bigint;
}

/** What a batch comes to. All sums are changes in what we owe the merchant. */
export interface BatchSums extends Readonly<Record<MovedKind, bigint>> {
  readonly reserve: bigint;
  readonly carried: bigint;
  readonly net: bigint;
  /** What this batch keeps back; part of `reserve`, where it is negative. */
  readonly held: bigint;
}

/** Adds a batch up. The part that is kept back is rounded down, and never more than there is to pay. */
export function sumsOf(
  moved: readonly Moved[],
  terms: Pick<Terms, "reserveBasisPoints" | "reserveDays">,
  { released, carried }: { readonly released: bigint; readonly carried: bigint },
): BatchSums {
  const sums = { gross: 0n, refunds: 0n, disputes: 0n, fees: 0n, tax: 0n, other: 0n };
  for (const each of moved) sums[kindOf(each)] += each.minor;
  const before = Object.values(sums).reduce((sum, minor) => sum + minor, released + carried);
  const held = terms.reserveDays === 0 ? 0n : heldOf(sums.gross, before, terms.reserveBasisPoints);
  return { ...sums, reserve: released - held, carried, net: before - held, held };
}

function heldOf(gross: bigint, payable: bigint, basisPoints: number): bigint {
  const wanted = gross > 0n ? (gross * BigInt(basisPoints)) / 10_000n : 0n;
  const most = payable > 0n ? payable : 0n;
  return wanted < most ? wanted : most;
}

/** Whether a batch is paid, or part of a later one: because it is too small, or because the merchant owes us. */
export function statusOf(netMinor: bigint, minimumMinor: bigint): "DUE" | "CARRIED" {
  return netMinor > 0n && netMinor >= minimumMinor ? "DUE" : "CARRIED";
}

/** A batch that is due and that no payout has, in the currency in which it is paid. */
export interface DueBatch {
  readonly batchId: string;
  readonly minor: bigint;
}

/** The batches that a negative batch takes in: as few as cover what it lacks, in the given order. All, if all do not cover it. */
export function batchesToJoin(due: readonly DueBatch[], lackMinor: bigint): readonly DueBatch[] {
  let left = lackMinor;
  return due.filter(({ minor }) => {
    const isNeeded = left > 0n;
    if (isNeeded) left -= minor;
    return isNeeded;
  });
}

/** What a batch was changed into, and by which quote. */
export interface Changed {
  readonly quoteId: string;
  readonly price: Price;
  readonly got: Money;
}

/** A batch as it is kept. */
export interface Batch extends Window {
  readonly batchId: string;
  readonly currency: string;
  readonly dueDay: string;
  readonly sums: BatchSums;
  readonly releaseDay: string | undefined;
  readonly status: BatchStatus;
  /** Absent when it is paid in the currency of the sales, and when it is carried over. */
  readonly changed: Changed | undefined;
  readonly closedAt: Date;
}
