import type { Money } from "../core/money.ts";
import { clearingAccount } from "../ledger/bank-effects.ts";
import { receivableAccount } from "../ledger/transfer.ts";
import { writtenOffThenBooked, type Break, type BreakKind } from "./break.ts";

/** A write-off: its account and the excess of the account, which is negative if the account has too little. */
export interface WriteOff {
  readonly account: string;
  readonly excess: Money;
}

/** Movements that increase a provider's receivable; others decrease it. */
const increasingMovements: readonly string[] = [
  "payment",
  "capture",
  "refund_reversal",
  "chargeback_reversal",
  "adjustment",
];
const providerBreakKinds: readonly BreakKind[] = ["missing at the provider", "missing here", "other amount"];
const bankEntryBreakKinds: readonly BreakKind[] = [
  "not at the bank",
  "only at the bank",
  "other amount at the bank",
];

/**
 * Returns the write-off of a break, which adjusts the ledger to the provider's or the bank's amount. It returns
 * undefined for breaks that money cannot correct: inconsistencies of our own records, another currency, a missing
 * statement.
 */
export function writeOffOf(
  found: Break & { readonly writeOffAccount?: string | undefined },
): WriteOff | undefined {
  const { kind, connector, subject, currency, sums, writeOffAccount } = found;
  const minorOf = (money: Money | undefined): bigint => money?.minor ?? 0n;
  if (providerBreakKinds.includes(kind) && connector !== undefined) {
    const excess = minorOf(sums.ledger) - minorOf(sums.provider);
    const minor = increasingMovements.includes(subject) ? excess : -excess;
    return { account: receivableAccount(connector), excess: { currency, minor } };
  }
  // If the money moved after the write-off, the write-off was wrong, and the account lacks the whole written-off
  // amount.
  if (kind === writtenOffThenBooked && writeOffAccount !== undefined)
    return { account: writeOffAccount, excess: { currency, minor: 0n } };
  if (!bankEntryBreakKinds.includes(kind)) return undefined;
  const minor = minorOf(sums.provider ?? sums.ledger) - minorOf(sums.bank);
  return { account: clearingAccount, excess: { currency, minor } };
}

/**
 * Returns the size of a break: the difference of its amounts. If the sides that have an amount agree, another side is
 * missing, and the size is the whole amount.
 */
export function breakSizeOf({ currency, sums }: Break): bigint {
  const known = Object.values(sums).flatMap((sum) => (sum.currency === currency ? [sum.minor] : []));
  const [first = 0n, ...others] = known;
  const [least, most] = others.reduce(
    ([low, high], minor) => [minor < low ? minor : low, minor > high ? minor : high] as const,
    [first, first] as const,
  );
  if (most > least) return most - least;
  return first < 0n ? -first : first;
}
