import type { Money } from "../core/money.ts";
import { clearing } from "../ledger/bank-effects.ts";
import { receivable } from "../ledger/transfer.ts";
import { writtenOffThenBooked, type Break, type BreakKind } from "./break.ts";

/** What a break can be written off with: the account that has too much, and how much; too little is below zero. */
export interface WriteOff {
  readonly account: string;
  readonly excess: Money;
}

/** Movements by which a wallet owes us more; by the others it owes us less. */
const addingMovements: readonly string[] = ["payment", "capture", "chargeback_reversal", "adjustment"];
const atWallets: readonly BreakKind[] = ["missing at the wallet", "missing here", "other amount"];
const atBanks: readonly BreakKind[] = ["not at the bank", "only at the bank", "other amount at the bank"];

/**
 * How a break is written off: the books are made to say what the wallet, or the bank, says. Undefined for what money cannot put right: our
 * own books that disagree with themselves, another currency, a statement that is missing.
 */
export function writeOffOf(
  found: Break & { readonly writeOffAccount?: string | undefined },
): WriteOff | undefined {
  const { kind, connector, subject, currency, sums, writeOffAccount } = found;
  const minorOf = (money: Money | undefined): bigint => money?.minor ?? 0n;
  if (atWallets.includes(kind) && connector !== undefined) {
    const excess = minorOf(sums.ledger) - minorOf(sums.wallet);
    const minor = addingMovements.includes(subject) ? excess : -excess;
    return { account: receivable(connector), excess: { currency, minor } };
  }
  // The account lacks what was written off: nothing of it should have been.
  if (kind === writtenOffThenBooked && writeOffAccount !== undefined)
    return { account: writeOffAccount, excess: { currency, minor: 0n } };
  if (!atBanks.includes(kind)) return undefined;
  const minor = minorOf(sums.wallet ?? sums.ledger) - minorOf(sums.bank);
  return { account: clearing, excess: { currency, minor } };
}

/** How much a break is about: what its sums differ by. Where all who have told say the same, somebody has not, and it is about all of it. */
export function sizeOf({ currency, sums }: Break): bigint {
  const known = Object.values(sums).flatMap((sum) => (sum.currency === currency ? [sum.minor] : []));
  const [first = 0n, ...others] = known;
  const [least, most] = others.reduce(
    ([low, high], minor) => [minor < low ? minor : low, minor > high ? minor : high] as const,
    [first, first] as const,
  );
  if (most > least) return most - least;
  return first < 0n ? -first : first;
}
