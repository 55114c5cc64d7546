import type { Money } from "../core/money.ts";

/** A posting to the account `clearing`: money in transit to our bank or from it. */
export interface ExpectedEntry {
  /** The connector of the provider that pays the money; absent for our own payouts. */
  readonly connector: string | undefined;
  /** The provider's reference of its payout, or our payout's end-to-end id. */
  readonly reference: string;
  /** Positive for incoming money. */
  readonly amount: Money;
  readonly at: Date;
}

/** An entry that the bank booked. */
export interface BankLine {
  readonly bank: string;
  readonly entryReference: string;
  /** Positive for incoming money. */
  readonly amount: Money;
  readonly at: Date;
  readonly endToEndId: string | undefined;
  readonly reference: string;
}

export interface Pair {
  readonly expected: ExpectedEntry;
  readonly line: BankLine;
}

export interface PairingResult {
  readonly pairs: readonly Pair[];
  readonly expected: readonly ExpectedEntry[];
  readonly lines: readonly BankLine[];
}

const dayMs = 24 * 3600 * 1000;
/** Maximum days in transit to a bank: a weekend, a holiday, and a day at each end. */
export const transitDaysMax = 5;
/** A provider's day and a bank's day begin at different hours, so the bank entry may seem to be earlier. */
const daysEarly = 1;

/**
 * `pairWithBank` pairs postings to clearing with bank entries, one to one: by reference first, whatever the amount. For
 * providers without references it pairs by amount and currency, oldest with oldest, within the days in transit. Entries
 * that cancel each other are left out, such as a reversed debit or a refunded charge.
 */
export function pairWithBank(expected: readonly ExpectedEntry[], lines: readonly BankLine[]): PairingResult {
  const byReference = pairByReference(expected, lines);
  const byAmount = pairByAmount(
    byReference.expected.filter(({ connector }) => connector !== undefined),
    removeCancelled(byReference.lines),
  );
  const ours = byReference.expected.filter(({ connector }) => connector === undefined);
  return {
    pairs: [...byReference.pairs, ...byAmount.pairs],
    expected: [...ours, ...byAmount.expected],
    lines: byAmount.lines,
  };
}

function pairByReference(expected: readonly ExpectedEntry[], lines: readonly BankLine[]): PairingResult {
  const openByKey = Map.groupBy(sortByTime(expected), ({ reference, amount }) =>
    referenceKey(reference, amount),
  );
  const pairs: Pair[] = [];
  const unpaired: BankLine[] = [];
  for (const line of sortByTime(lines)) {
    const candidates = referencesIn(line)
      .map((name) => openByKey.get(referenceKey(name, line.amount)))
      .find((entries) => entries !== undefined && entries.length > 0);
    const match = candidates?.shift();
    if (match) pairs.push({ expected: match, line });
    else unpaired.push(line);
  }
  return { pairs, expected: sortByTime([...openByKey.values()].flat()), lines: unpaired };
}

/**
 * The key for pairing has the direction and not the amount, because people must see a bank entry with the right name
 * and another amount.
 */
function referenceKey(reference: string, { currency, minor }: Money): string {
  return `${currency} ${minor < 0n ? "-" : "+"} ${reference}`;
}

/** Returns all names that a bank entry may have: the end-to-end id, the text, and each word of the text. */
export function referencesIn({ endToEndId, reference }: BankLine): readonly string[] {
  return [...(endToEndId === undefined ? [] : [endToEndId]), reference, ...reference.split(/[\s,;:/?]+/)];
}

function pairByAmount(expected: readonly ExpectedEntry[], lines: readonly BankLine[]): PairingResult {
  const linesByAmount = Map.groupBy(sortByTime(lines), ({ amount }) => amountKey(amount));
  const pairs: Pair[] = [];
  const unpaired: ExpectedEntry[] = [];
  for (const each of sortByTime(expected)) {
    const sameAmount = linesByAmount.get(amountKey(each.amount)) ?? [];
    const index = sameAmount.findIndex(({ at }) => isWithinTransit(each.at, at));
    const [line] = index < 0 ? [] : sameAmount.splice(index, 1);
    if (line) pairs.push({ expected: each, line });
    else unpaired.push(each);
  }
  return { pairs, expected: unpaired, lines: sortByTime([...linesByAmount.values()].flat()) };
}

/** Returns the bank entries, leaving out each pair with one end-to-end id and the same amount in opposite directions. */
function removeCancelled(lines: readonly BankLine[]): readonly BankLine[] {
  const linesByKey = new Map<string, BankLine[]>();
  const cancelled = new Set<BankLine>();
  for (const line of lines) {
    const { endToEndId, amount } = line;
    if (endToEndId === undefined) continue;
    const opposite = linesByKey
      .get(`${endToEndId} ${amountKey({ ...amount, minor: -amount.minor })}`)
      ?.shift();
    if (opposite) cancelled.add(line).add(opposite);
    else getOrInsert(linesByKey, `${endToEndId} ${amountKey(amount)}`).push(line);
  }
  return lines.filter((line) => !cancelled.has(line));
}

function getOrInsert<Value>(lists: Map<string, Value[]>, key: string): Value[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

const amountKey = ({ currency, minor }: Money): string => `${currency} ${minor}`;

function isWithinTransit(from: Date, to: Date): boolean {
  const days = (to.getTime() - from.getTime()) / dayMs;
  return days >= -daysEarly && days <= transitDaysMax;
}

function sortByTime<Timed extends { readonly at: Date }>(all: readonly Timed[]): readonly Timed[] {
  return all.toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

/** Returns whether a movement must be in the files by now, if the files cover the time up to `until`. */
export function isOverdue(at: Date, until: Date | undefined, days: number): boolean {
  return until !== undefined && at.getTime() + days * dayMs < until.getTime();
}
