import type { PlannedTerms } from "./plan.ts";

/**
 * The amounts and due days of a merchant's payouts in one currency, by its contract. Written without the gateway's
 * code: a movement belongs to the first batch that ends on its day or later and is still open.
 */
export interface ExpectedSettlement {
  /** Records a change of the owed amount. `sold` is the sales in it before fees, of which a part is reserved. */
  moved(day: string, minor: bigint, sold: bigint): void;
  /** Closes all batches that have ended by a day. */
  close(day: string, keeper: Keeper): void;
  /** Batches to be paid by a day, the oldest first. */
  due(day: string): readonly ExpectedBatch[];
  /** Batches that are in a payout, or that a payout has paid. */
  taken(): readonly ExpectedBatch[];
}

/** The effects of a batch on the ledger model. */
export interface Keeper {
  /** Joins batches to be paid in this currency, latest due date first, until they cover a sum; returns their total. */
  joins(lack: bigint): bigint;
  /** Returns whether a batch is due that could be joined. */
  hasDue(): boolean;
  /** Records a change of the reserve: a positive amount is released, a negative amount is newly reserved. */
  kept(minor: bigint): void;
  /** Returns the payout for a batch's sum, or undefined if the batch is carried to the next one. */
  pays(net: bigint): Paid | undefined;
  /** Returns whether `pays` would pay a carried sum. */
  canPay(net: bigint): boolean;
}

export interface Paid {
  readonly currency: string;
  readonly minor: bigint;
}

export interface ExpectedBatch {
  /** The last day up to which the closing run closed it. */
  readonly closedOn: string;
  readonly dueDay: string;
  /** Its last day. */
  readonly endsOn: string;
  readonly pays: Paid;
  /** True if the batch is in a payout, or a payout has paid it. */
  isTaken: boolean;
  /** True if a later batch includes this batch, because refunds or disputes made the later batch negative. */
  isJoined: boolean;
}

/** Days without a batch after which a sum below the minimum is paid, by the contract. */
const idleDays = (terms: PlannedTerms): number => Math.max(30, 2 * terms.daysAfter, terms.reserveDays);

export function newSettlement(terms: PlannedTerms): ExpectedSettlement {
  let open: { readonly day: string; readonly minor: bigint; readonly sold: bigint }[] = [];
  let held: { readonly minor: bigint; readonly releaseDay: string }[] = [];
  let carried = 0n;
  let closedDay = "";
  const batches: ExpectedBatch[] = [];

  const nextEnd = (): string | undefined => {
    const days = [...open.map(({ day }) => day), ...held.map(({ releaseDay }) => releaseDay)];
    const [first] = days.toSorted();
    if (first === undefined) return undefined;
    const day = first > closedDay ? first : addDays(closedDay, 1);
    return terms.cycle === "D" ? day : sundayOf(day);
  };

  /**
   * Returns the latest day up to the given day that ends a batch and is not closed, if the carried sum can be paid on
   * that day without new movements.
   */
  const carriedEnd = (
    day: string,
    keeper: Keeper,
  ): { readonly end: string; readonly isIdle: boolean } | undefined => {
    const end = terms.cycle === "D" || sundayOf(day) === day ? day : addDays(sundayOf(day), -7);
    if (carried === 0n || open.some((each) => each.day <= day) || end <= closedDay) return undefined;
    if (carried < 0n) return keeper.hasDue() ? { end, isIdle: false } : undefined;
    const isIdle = addDays(closedDay, idleDays(terms)) <= end;
    return (isIdle || carried >= terms.minimum) && keeper.canPay(carried) ? { end, isIdle } : undefined;
  };

  const closeOne = (day: string, end: string, isIdle: boolean, keeper: Keeper): void => {
    const taken = open.filter((each) => each.day <= end);
    const released = held.filter(({ releaseDay }) => releaseDay <= end);
    open = open.filter((each) => each.day > end);
    held = held.filter(({ releaseDay }) => releaseDay > end);
    closedDay = end;

    const letGo = sum(released.map(({ minor }) => minor));
    const moved = sum(taken.map(({ minor }) => minor)) + letGo + carried;
    const before = moved < 0n ? moved + keeper.joins(-moved) : moved;
    const sales = sum(taken.map(({ sold }) => sold));
    const wanted = (sales * BigInt(terms.reserveBasisPoints)) / 10_000n;
    const most = before > 0n ? before : 0n;
    const keeps = wanted < most ? wanted : most;
    if (keeps > 0n) held.push({ minor: keeps, releaseDay: addDays(end, terms.reserveDays) });
    for (const minor of [letGo, -keeps]) if (minor !== 0n) keeper.kept(minor);

    const net = before - keeps;
    const pays = net > 0n && (isIdle || net >= terms.minimum) ? keeper.pays(net) : undefined;
    carried = pays ? 0n : net;
    const dueDay = workingDay(end, terms.daysAfter);
    if (pays) batches.push({ closedOn: day, dueDay, endsOn: end, pays, isTaken: false, isJoined: false });
  };

  return {
    moved: (day, minor, sold) => void open.push({ day, minor, sold }),

    close(day, keeper) {
      for (let toDay = nextEnd(); toDay !== undefined && toDay <= day; toDay = nextEnd())
        closeOne(day, toDay, false, keeper);
      const found = carriedEnd(day, keeper);
      if (found) closeOne(day, found.end, found.isIdle, keeper);
    },

    due: (day) => batches.filter(({ dueDay, isTaken, isJoined }) => dueDay <= day && !isTaken && !isJoined),
    taken: () => batches.filter(({ isTaken }) => isTaken),
  };
}

const sum = (all: readonly bigint[]): bigint => all.reduce((total, each) => total + each, 0n);

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

const weekday = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay();

const sundayOf = (day: string): string => addDays(day, (7 - weekday(day)) % 7);

function workingDay(day: string, count: number): string {
  let [at, left] = [day, count];
  while (left > 0) {
    at = addDays(at, 1);
    if (weekday(at) % 6 !== 0) left -= 1;
  }
  while (weekday(at) % 6 === 0) at = addDays(at, 1);
  return at;
}
