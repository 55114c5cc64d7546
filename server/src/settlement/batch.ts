import assert from "node:assert/strict";
import { nextAccountingDay } from "../core/accounting-day.ts";
import type { Lifecycle } from "../core/lifecycle.ts";
import type { Money } from "../core/money.ts";
import { findAccountName } from "../ledger/account.ts";
import type { FxPrice } from "../ledger/currency-conversion.ts";

export type BatchStatus = "DUE" | "CARRIED" | "PAYING" | "PAID";

/**
 * Lifecycle of a settlement batch. A batch is due until a payout pays it, and due again if the payout fails or is
 * returned. A carried batch is part of a later one; a due batch becomes carried if a later, negative batch joins it.
 */
export const batchLifecycle = {
  DUE: ["PAYING", "CARRIED"],
  CARRIED: [],
  PAYING: ["PAID", "DUE"],
  PAID: ["DUE"],
} as const satisfies Lifecycle<BatchStatus>;

/** Settlement periods: a day, a week from Monday, or a month. */
export const cycles = ["D", "W", "M"] as const;
export type Cycle = (typeof cycles)[number];

/** A merchant's settlement terms in one currency, from an accounting day on. */
export interface Terms {
  readonly fromDay: string;
  readonly cycle: Cycle;
  /** Business days between the end of a batch and its due day. */
  readonly daysAfter: number;
  /** A smaller batch is carried over. */
  readonly minimumMinor: bigint;
  readonly reserveBasisPoints: number;
  /** Calendar days. */
  readonly reserveDays: number;
  /** The payout currency; absent if it is the currency of the sales. */
  readonly settleIn: string | undefined;
}

/** First and last accounting day of a settlement window, both included. */
export interface SettlementWindow {
  readonly fromDay: string;
  readonly toDay: string;
}

/** Returns the window of a settlement period that contains a day. */
export function cycleWindowOf(day: string, cycle: Cycle): SettlementWindow {
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
 * Returns the window in which a movement is settled, with its terms. A movement of a closed day (committed late), or
 * from before the first terms, belongs to the next open window. Windows never overlap, because a window ends when new
 * terms begin.
 */
export function settlementWindowFor(
  movementDay: string,
  terms: readonly Terms[],
  closedDay: string | undefined,
): (SettlementWindow & { readonly terms: Terms }) | undefined {
  const [first] = terms;
  if (!first) return undefined;
  const day = latest(
    movementDay,
    first.fromDay,
    ...(closedDay === undefined ? [] : [nextAccountingDay(closedDay)]),
  );
  const found = terms.findLast(({ fromDay }) => fromDay <= day);
  assert(found, "The first terms begin on that day or before.");
  const next = terms[terms.indexOf(found) + 1];
  const { fromDay, toDay } = cycleWindowOf(day, found.cycle);
  return {
    fromDay: latest(
      fromDay,
      found.fromDay,
      ...(closedDay === undefined ? [] : [nextAccountingDay(closedDay)]),
    ),
    toDay: next && next.fromDay <= toDay ? addDays(next.fromDay, -1) : toDay,
    terms: found,
  };
}

/** Returns the last unclosed window that has ended by a day, with its terms; undefined if there is none. */
export function lastWindowBy(
  day: string,
  terms: readonly Terms[],
  closedDay: string,
): (SettlementWindow & { readonly terms: Terms }) | undefined {
  const around = settlementWindowFor(day, terms, closedDay);
  if (!around || around.toDay <= day) return around;
  const endOfLast = addDays(around.fromDay, -1);
  const [first] = terms;
  if (!first || endOfLast <= closedDay || endOfLast < first.fromDay) return undefined;
  return settlementWindowFor(endOfLast, terms, closedDay);
}

/**
 * Days without a movement after which a carried sum below the minimum is paid: 30, or the longest wait of the terms
 * if that is longer. Business days are doubled, which is more than their calendar days.
 */
export function idleDaysOf({ daysAfter, reserveDays }: Pick<Terms, "daysAfter" | "reserveDays">): number {
  return Math.max(30, 2 * daysAfter, reserveDays);
}

/** Returns the day that is `days` business days after a day. Business days are Monday to Friday without holidays. */
export function businessDayAfter(day: string, days: number, holidays: ReadonlySet<string>): string {
  const isBusinessDay = (each: string): boolean => ![0, 6].includes(weekdayOf(each)) && !holidays.has(each);
  let [current, remaining] = [day, days];
  while (remaining > 0 || !isBusinessDay(current)) {
    current = nextAccountingDay(current);
    if (isBusinessDay(current) && remaining > 0) remaining -= 1;
  }
  return current;
}

/** Sunday is 0. */
const weekdayOf = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay();

export function addDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

const latest = (first: string, ...others: readonly string[]): string =>
  others.reduce((latestSoFar, day) => (day > latestSoFar ? day : latestSoFar), first);

/**
 * The sum of all movements of one kind in a batch: their effect, the account on the other side, and the change of the
 * merchant's balance.
 */
export interface MovementSum {
  readonly effect: string;
  readonly otherAccount: string;
  readonly minor: bigint;
}

/** Categories of the movements of a batch: by the account on the other side, and for providers by the effect. */
export type MovementCategory = "gross" | "refunds" | "disputes" | "fees" | "tax" | "other";

export function categoryOf({
  effect,
  otherAccount,
}: Pick<MovementSum, "effect" | "otherAccount">): MovementCategory {
  if (effect.startsWith("dispute")) return "disputes";
  const account = findAccountName(otherAccount);
  if (account === "fee revenue") return "fees";
  if (account === "tax payable") return "tax";
  if (account !== "provider receivable") return "other";
  return effect === "payment" || effect === "capture" ? "gross" : "refunds";
}

/** The amount of a batch that is held in reserve, and its release day. */
export interface HeldReserve {
  readonly batchId: string;
  readonly minor: bigint;
}

/** The sums of a batch. All are changes of the merchant's balance. */
export interface BatchSums extends Readonly<Record<MovementCategory, bigint>> {
  readonly reserve: bigint;
  readonly carried: bigint;
  readonly net: bigint;
  /** The amount that this batch holds back; `reserve` includes it as a negative amount. */
  readonly held: bigint;
}

/** Sums a batch. The reserve is rounded down, and is never more than the payable sum. */
export function sumBatch(
  movementSums: readonly MovementSum[],
  terms: Pick<Terms, "reserveBasisPoints" | "reserveDays">,
  { released, carried }: { readonly released: bigint; readonly carried: bigint },
): BatchSums {
  const sums = { gross: 0n, refunds: 0n, disputes: 0n, fees: 0n, tax: 0n, other: 0n };
  for (const each of movementSums) sums[categoryOf(each)] += each.minor;
  const before = Object.values(sums).reduce((sum, minor) => sum + minor, released + carried);
  const held = terms.reserveDays === 0 ? 0n : reserveToHold(sums.gross, before, terms.reserveBasisPoints);
  return { ...sums, reserve: released - held, carried, net: before - held, held };
}

function reserveToHold(gross: bigint, payable: bigint, basisPoints: number): bigint {
  const wantedMinor = gross > 0n ? (gross * BigInt(basisPoints)) / 10_000n : 0n;
  const maxMinor = payable > 0n ? payable : 0n;
  return wantedMinor < maxMinor ? wantedMinor : maxMinor;
}

/**
 * Returns the status of a new batch: DUE if it is paid, or CARRIED if it becomes part of a later one, because it is
 * below the minimum or negative.
 */
export function newBatchStatus(netMinor: bigint, minimumMinor: bigint): "DUE" | "CARRIED" {
  return netMinor > 0n && netMinor >= minimumMinor ? "DUE" : "CARRIED";
}

/** A due batch without a payout, in its payout currency. */
export interface DueBatch {
  readonly batchId: string;
  readonly minor: bigint;
}

/**
 * Returns the due batches that a negative batch joins: as few as cover its lack, in the given order. If they do not
 * suffice, it returns all.
 */
export function batchesToJoin(due: readonly DueBatch[], lackMinor: bigint): readonly DueBatch[] {
  let leftMinor = lackMinor;
  return due.filter(({ minor }) => {
    const isNeeded = leftMinor > 0n;
    if (isNeeded) leftMinor -= minor;
    return isNeeded;
  });
}

/** The converted amount of a batch, and the FX rate. */
export interface BatchConversion {
  readonly quoteId: string;
  readonly price: FxPrice;
  readonly got: Money;
}

/** A batch as it is stored. */
export interface Batch extends SettlementWindow {
  readonly batchId: string;
  readonly currency: string;
  readonly dueDay: string;
  readonly sums: BatchSums;
  readonly releaseDay: string | undefined;
  readonly status: BatchStatus;
  /**
   * The conversion of the batch; absent if the payout currency is the currency of the sales, or if the batch is carried
   * over.
   */
  readonly changed: BatchConversion | undefined;
  readonly closedAt: Date;
}
