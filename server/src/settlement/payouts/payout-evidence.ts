import type { CamtKind } from "../../bank/camt.ts";
import type { Money } from "../../core/money.ts";
import type { BankStatus, Payout } from "./payout.ts";

/** An entry of our bank account with the reference of a payout. */
export interface PayoutEntry {
  readonly kind: CamtKind;
  /** The bank's own reference of the entry (`AcctSvcrRef`). */
  readonly bankReference: string | undefined;
  /** Positive. */
  readonly amount: Money;
  readonly isCredit: boolean;
  /** The bank's reason code of a return. */
  readonly returnCode: string | undefined;
  readonly bookedAt: Date;
}

/** A status report that changed nothing: a rejected duplicate, or a contradiction of the payout's status. */
export interface UnappliedReport {
  readonly outcome: "executed" | "rejected";
  readonly isDuplicate: boolean;
  readonly reasonCode: string | undefined;
}

/** Counts of a payout's full-amount debits and credits on the account, and all other entries. */
export interface BookedSum {
  readonly debits: number;
  /** Credits of the full amount with a return code. */
  readonly returns: number;
  /** Credits of the full amount without a return code: reversals of the bank, or returns without a code. */
  readonly uncodedCredits: number;
  readonly returnCode: string | undefined;
  /** Sums by currency of entries with another amount or currency, such as charges; only those that are not zero. */
  readonly others: readonly Money[];
}

/** Sums the entries of a payout, in any order. An entry in both camt.054 and camt.053 counts once. */
export function sumEntries(amount: Money, entries: readonly PayoutEntry[]): BookedSum {
  const counted = deduplicateEntries(entries);
  const isFullAmount = (each: PayoutEntry): boolean =>
    each.amount.currency === amount.currency && each.amount.minor === amount.minor;
  const credits = counted.filter((each) => isFullAmount(each) && each.isCredit);
  const returns = credits.filter(({ returnCode }) => returnCode !== undefined);
  const otherSums = new Map<string, bigint>();
  for (const { amount: other, isCredit } of counted.filter((each) => !isFullAmount(each))) {
    const minor = isCredit ? other.minor : -other.minor;
    otherSums.set(other.currency, (otherSums.get(other.currency) ?? 0n) + minor);
  }
  return {
    debits: counted.filter((each) => isFullAmount(each) && !each.isCredit).length,
    returns: returns.length,
    uncodedCredits: credits.length - returns.length,
    returnCode: returns[0]?.returnCode,
    others: [...otherSums].flatMap(([currency, minor]) => (minor === 0n ? [] : [{ currency, minor }])),
  };
}

/** Returns how many times the payout's amount was debited and has not come back. */
function outstandingDebits({ debits, returns, uncodedCredits }: BookedSum): number {
  return debits - returns - uncodedCredits;
}

/**
 * Returns the outcome of a payout by the entries of the account. The payout is executed while the money is away. It is
 * returned only if the full amount came back with the bank's return code, on the credit or in a status report. In all
 * other cases the result is undefined, and people must decide.
 */
export function payoutOutcomeOf(
  booked: BookedSum,
  reports: readonly UnappliedReport[],
): { readonly bankStatus: BankStatus; readonly reasonCode: string | undefined } | undefined {
  if (outstandingDebits(booked) > 0) return { bankStatus: "paid", reasonCode: undefined };
  if (booked.returns > 0) return { bankStatus: "returned", reasonCode: booked.returnCode };
  const rejection = reports.find(({ outcome, isDuplicate }) => outcome === "rejected" && !isDuplicate);
  const isReversed = booked.debits > 0 && booked.uncodedCredits > 0;
  return rejection && isReversed ? { bankStatus: "returned", reasonCode: rejection.reasonCode } : undefined;
}

/** A payout that needs a decision by people, with the expected entries by its status, and the bank's reports. */
export interface PayoutProblem {
  readonly kind: "payout discrepancy" | "payout contradiction";
  readonly expected: Money;
  readonly bank: Money;
  /** The sum of entries that are neither the payout nor its return. */
  readonly other: Money | undefined;
  readonly text: string;
}

/**
 * `payoutProblemOf` returns a contradiction if the payout's status is in doubt: the merchant may have been paid twice,
 * or not at all. It returns a discrepancy if other money is in doubt.
 */
export function payoutProblemOf(
  payout: Pick<Payout, "status" | "amount">,
  booked: BookedSum,
  reports: readonly UnappliedReport[],
): PayoutProblem | undefined {
  const { status, amount } = payout;
  const { currency } = amount;
  const away = outstandingDebits(booked);
  const [otherSum] = booked.others;
  const sumsOf = (times: number): Money => ({ currency, minor: -amount.minor * BigInt(times) });
  const expected = sumsOf(status === "PAID" ? 1 : 0);
  const outcomes = reports.filter(({ isDuplicate }) => !isDuplicate).map(({ outcome }) => outcome);
  if (isContradicted(status, away, outcomes)) {
    const reported = away > 0 || (status !== "PAID" && outcomes.includes("executed")) ? Math.max(away, 1) : 0;
    const text = `is ${status}, but the bank reports ${reported > 0 ? "executed" : "rejected"}`;
    return { kind: "payout contradiction", expected, bank: sumsOf(reported), other: otherSum, text };
  }
  if (isExplained(status, booked)) return undefined;
  const text = `is ${status}, but the account has entries with its reference that do not fit`;
  return { kind: "payout discrepancy", expected, bank: sumsOf(away), other: otherSum, text };
}

function isContradicted(
  status: Payout["status"],
  outstanding: number,
  outcomes: readonly UnappliedReport["outcome"][],
): boolean {
  switch (status) {
    case "CREATED":
      return outstanding > 0 || outcomes.length > 0;
    case "SENT":
      return false;
    case "PAID":
      return outcomes.includes("rejected");
    case "FAILED":
      return outstanding > 0 || outcomes.includes("executed");
    case "RETURNED":
      return outstanding > 0;
  }
}

/**
 * Returns whether the entries are exactly those of a payout with this status. A return implies a debit that no file may
 * have reported yet.
 */
function isExplained(status: Payout["status"], booked: BookedSum): boolean {
  const { debits, returns, uncodedCredits, others } = booked;
  if (others.length > 0) return false;
  const isEmpty = debits + returns + uncodedCredits === 0;
  const outstanding = outstandingDebits(booked);
  if (status === "PAID") return isEmpty || (outstanding === 1 && returns === 0);
  if (status === "RETURNED") return outstanding === 0 || (returns === 1 && debits + uncodedCredits === 0);
  return status === "FAILED" ? outstanding === 0 : isEmpty;
}

const twoDaysMs = 2 * 24 * 3600 * 1000;

/**
 * Removes entries of camt.054 that camt.053 has as well, one to one. Entries are equal by the bank's reference; if one
 * of the two has none, by booking dates at most two days apart.
 */
function deduplicateEntries(entries: readonly PayoutEntry[]): readonly PayoutEntry[] {
  const statements = entries.filter(({ kind }) => kind === "camt.053");
  const notified = entries.filter(({ kind }) => kind === "camt.054");
  const hasReference = ({ bankReference }: PayoutEntry): boolean => bankReference !== undefined;
  const lacksReference = (each: PayoutEntry): boolean => !hasReference(each);
  const matched = new Set<PayoutEntry>();
  const isOpen = (each: PayoutEntry): boolean => !matched.has(each);
  const pair = (
    some: readonly PayoutEntry[],
    others: readonly PayoutEntry[],
    keyOf: (entry: PayoutEntry) => string,
    withinMs: number,
  ): void => {
    for (const each of pairByDate(some, others, keyOf, withinMs)) matched.add(each);
  };
  const byReference = (each: PayoutEntry): string => `${movementOf(each)} ${each.bankReference}`;
  pair(notified.filter(hasReference), statements.filter(hasReference), byReference, Infinity);
  pair(notified.filter(lacksReference), statements.filter(isOpen), movementOf, twoDaysMs);
  const unnamed = statements.filter(lacksReference).filter(isOpen);
  pair(notified.filter(hasReference).filter(isOpen), unnamed, movementOf, twoDaysMs);
  return [...statements, ...notified.filter(isOpen)];
}

const movementOf = ({ amount, isCredit }: PayoutEntry): string =>
  `${amount.currency} ${isCredit ? "+" : "-"}${amount.minor}`;

/**
 * Pairs entries with the same key, oldest with oldest. It takes linear time: each entry is compared a fixed number of
 * times.
 */
function pairByDate(
  entries: readonly PayoutEntry[],
  others: readonly PayoutEntry[],
  keyOf: (entry: PayoutEntry) => string,
  withinMs: number,
): readonly PayoutEntry[] {
  const inOrder = (all: readonly PayoutEntry[]): readonly PayoutEntry[] =>
    all.toSorted((a, b) => a.bookedAt.getTime() - b.bookedAt.getTime());
  const open = Map.groupBy(inOrder(others), keyOf);
  const nextBy = new Map<string, number>();
  return inOrder(entries).flatMap((entry) => {
    const key = keyOf(entry);
    const candidates = open.get(key) ?? [];
    const laterByMs = (other: PayoutEntry | undefined): number =>
      other ? other.bookedAt.getTime() - entry.bookedAt.getTime() : Infinity;
    let next = nextBy.get(key) ?? 0;
    while (laterByMs(candidates[next]) < -withinMs) next += 1;
    const found = candidates[next];
    const isPair = found !== undefined && laterByMs(found) <= withinMs;
    nextBy.set(key, isPair ? next + 1 : next);
    return isPair ? [entry, found] : [];
  });
}
