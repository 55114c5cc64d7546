import type { PlannedTerms } from "./month-plan.ts";

/**
 * The amounts and due days of a merchant's payouts in one currency, by its contract. Written without the gateway's
 * code: a movement belongs to the first batch that ends on its day or later and is still open.
 */
export interface ExpectedSettlement {
  /** Records a change of the owed amount. `soldMinor` is the sales in it before fees, of which a part is reserved. */
  addMovement(day: string, minor: bigint, soldMinor: bigint): void;
  /** Closes all batches that have ended by a day. */
  close(day: string, ledgerEffects: LedgerEffects): void;
  /** Batches to be paid by a day, the oldest first. */
  dueBatches(day: string): readonly ExpectedBatch[];
  /** Batches that are in a payout, or that a payout has paid. */
  batchesInPayout(): readonly ExpectedBatch[];
}

/** The effects of a batch on the ledger model. */
export interface LedgerEffects {
  /** Joins batches to be paid in this currency, latest due date first, until they cover a sum; returns their total. */
  joinBatches(shortfall: bigint): bigint;
  /** Returns whether a batch is due that could be joined. */
  hasDue(): boolean;
  /** Records a change of the reserve: a positive amount is released, a negative amount is newly reserved. */
  moveReserve(minor: bigint): void;
  /** Returns the payout for a batch's sum, or undefined if the batch is carried to the next one. */
  payout(net: bigint): Money | undefined;
  /** Returns whether `payout` would pay a carried sum. */
  canPay(net: bigint): boolean;
}

export interface Money {
  readonly currency: string;
  readonly minor: bigint;
}

export interface ExpectedBatch {
  /** The last day up to which the closing run closed it. */
  readonly closedOn: string;
  readonly dueDay: string;
  /** Its last day. */
  readonly endsOn: string;
  readonly payout: Money;
  /** True if the batch is in a payout, or a payout has paid it. */
  isInPayout: boolean;
  /** True if a later batch includes this batch, because refunds or disputes made the later batch negative. */
  isJoined: boolean;
}

/** Days without a batch after which a sum below the minimum is paid, by the contract. */
const idleDays = (terms: PlannedTerms): number => Math.max(30, 2 * terms.daysAfter, terms.reserveDays);

export function newSettlement(terms: PlannedTerms): ExpectedSettlement {
  let openMovements: { readonly day: string; readonly minor: bigint; readonly soldMinor: bigint }[] = [];
  let heldReserves: { readonly minor: bigint; readonly releaseDay: string }[] = [];
  let carriedMinor = 0n;
  let closedDay = "";
  const batches: ExpectedBatch[] = [];

  const nextEnd = (): string | undefined => {
    const days = [
      ...openMovements.map(({ day }) => day),
      ...heldReserves.map(({ releaseDay }) => releaseDay),
    ];
    const [first] = days.toSorted();
    if (first === undefined) return undefined;
    const day = first > closedDay ? first : addDays(closedDay, 1);
    return terms.cycle === "D" ? day : nextSunday(day);
  };

  /**
   * Returns the latest day up to the given day that ends a batch and is not closed, if the carried sum can be paid on
   * that day without new movements.
   */
  const carriedEnd = (
    day: string,
    ledgerEffects: LedgerEffects,
  ): { readonly end: string; readonly isIdle: boolean } | undefined => {
    const end = terms.cycle === "D" || nextSunday(day) === day ? day : addDays(nextSunday(day), -7);
    if (carriedMinor === 0n || openMovements.some((each) => each.day <= day) || end <= closedDay)
      return undefined;
    if (carriedMinor < 0n) return ledgerEffects.hasDue() ? { end, isIdle: false } : undefined;
    const isIdle = addDays(closedDay, idleDays(terms)) <= end;
    return (isIdle || carriedMinor >= terms.minimum) && ledgerEffects.canPay(carriedMinor)
      ? { end, isIdle }
      : undefined;
  };

  const closeBatch = (day: string, end: string, isIdle: boolean, ledgerEffects: LedgerEffects): void => {
    const movements = openMovements.filter((each) => each.day <= end);
    const released = heldReserves.filter(({ releaseDay }) => releaseDay <= end);
    openMovements = openMovements.filter((each) => each.day > end);
    heldReserves = heldReserves.filter(({ releaseDay }) => releaseDay > end);
    closedDay = end;

    const releasedMinor = sum(released.map(({ minor }) => minor));
    const closingMinor = sum(movements.map(({ minor }) => minor)) + releasedMinor + carriedMinor;
    const beforeReserve =
      closingMinor < 0n ? closingMinor + ledgerEffects.joinBatches(-closingMinor) : closingMinor;
    const sales = sum(movements.map(({ soldMinor }) => soldMinor));
    const wantedReserve = (sales * BigInt(terms.reserveBasisPoints)) / 10_000n;
    const reserveMax = beforeReserve > 0n ? beforeReserve : 0n;
    const reserveMinor = wantedReserve < reserveMax ? wantedReserve : reserveMax;
    if (reserveMinor > 0n)
      heldReserves.push({ minor: reserveMinor, releaseDay: addDays(end, terms.reserveDays) });
    for (const minor of [releasedMinor, -reserveMinor]) if (minor !== 0n) ledgerEffects.moveReserve(minor);

    const net = beforeReserve - reserveMinor;
    const payout = net > 0n && (isIdle || net >= terms.minimum) ? ledgerEffects.payout(net) : undefined;
    carriedMinor = payout ? 0n : net;
    const dueDay = addWorkingDays(end, terms.daysAfter);
    if (payout)
      batches.push({ closedOn: day, dueDay, endsOn: end, payout, isInPayout: false, isJoined: false });
  };

  return {
    addMovement: (day, minor, soldMinor) => void openMovements.push({ day, minor, soldMinor }),

    close(day, ledgerEffects) {
      for (let endDay = nextEnd(); endDay !== undefined && endDay <= day; endDay = nextEnd())
        closeBatch(day, endDay, false, ledgerEffects);
      const carriedBatch = carriedEnd(day, ledgerEffects);
      if (carriedBatch) closeBatch(day, carriedBatch.end, carriedBatch.isIdle, ledgerEffects);
    },

    dueBatches: (day) =>
      batches.filter(({ dueDay, isInPayout, isJoined }) => dueDay <= day && !isInPayout && !isJoined),
    batchesInPayout: () => batches.filter(({ isInPayout }) => isInPayout),
  };
}

const sum = (all: readonly bigint[]): bigint => all.reduce((total, each) => total + each, 0n);

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

const weekday = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay();

const nextSunday = (day: string): string => addDays(day, (7 - weekday(day)) % 7);

function addWorkingDays(day: string, count: number): string {
  let [at, remaining] = [day, count];
  while (remaining > 0) {
    at = addDays(at, 1);
    if (weekday(at) % 6 !== 0) remaining -= 1;
  }
  while (weekday(at) % 6 === 0) at = addDays(at, 1);
  return at;
}
