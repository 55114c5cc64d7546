import type { Movement, MovementKind } from "../../server/test/bank/reference-bank-ledger.ts";
import { startOfAccountingDay } from "../../server/src/core/accounting-day.ts";
import type { Month } from "./month-state.ts";
import { without } from "./payout-day.ts";
import { addDays } from "./settle.ts";
import { merchantIban } from "./world.ts";

/** Break of a reconciliation, as `reconcile --json` prints it. */
export interface FoundBreak {
  readonly kind: string;
  readonly reference: string;
  readonly currency: string | null;
  readonly sums: Readonly<Record<string, { readonly minor: string | number } | undefined>>;
}

/** Compares the gateway with the bank's own records after the last message was imported. */
export async function checkAgainstBank(month: Month, firstDay: string, lastDay: string): Promise<void> {
  checkPaidOnce(month);
  await checkClearing(month);
  await checkBreaks(month, lastDay);
  if (month.adversities.has("late-month-end")) await checkBookingDates(month, firstDay, lastDay);
}

/**
 * Checks for each merchant and currency that the money sent less the money returned equals the owed and due amount, and
 * that no batch was paid twice.
 */
function checkPaidOnce(month: Month): void {
  const { plan, bank, payouts, misses, world } = month;
  for (const [nth, { clientId }] of plan.merchants.entries())
    for (const currency of world.ownIbans.keys()) {
      const iban = merchantIban(nth, currency);
      const left = bank.books.paidOut((movement) => movement.iban === iban && movement.currency === currency);
      const paid = [...payouts.values()].filter(
        (each) => each.clientId === clientId && each.currency === currency && each.state === "paid",
      );
      const batches = new Set(paid.flatMap(({ batch }) => batch ?? []));
      const owed = [...batches].reduce((sum, { pays }) => sum + pays.minor, 0n);
      month.counts.compared += 1;
      if (left > owed)
        misses.push(`${clientId} was paid ${left - owed} ${currency} too much, by the bank's records`);
      if (left < owed)
        misses.push(`${clientId} was paid ${owed - left} ${currency} too little, by the bank's records`);
    }
}

/** Checks that the clearing account's balance is the sum of bank entries that no payout and no provider explains. */
async function checkClearing({ world, bank, misses }: Month): Promise<void> {
  const balances = await world.balances();
  for (const currency of world.ownIbans.keys()) {
    const own = bank.books.discrepancies().filter((movement) => movement.currency === currency);
    const unpaired = -own.reduce((sum, { minor }) => sum + minor, 0n);
    const clearing = balances.get(`clearing ${currency}`) ?? 0n;
    if (clearing !== unpaired)
      misses.push(`clearing ${currency} is ${clearing}, and the unpaired entries are ${unpaired}`);
  }
}

/** `isExplained` returns whether the bank caused a break on purpose, or its statement has not arrived yet. */
export function isExplained(month: Month, found: FoundBreak): boolean {
  const { bank } = month;
  if (found.kind === "statement gap") return bank.hasUndelivered();
  if (found.kind === payoutBreak) return expectPayoutBreaks(month).includes(textOfPayoutBreak(found));
  return bank.books.discrepancies().some((movement) => textOf(movement) === textOfBreak(found));
}

/**
 * Checks that `reconcile` lists each discrepancy as a break of its payout, and the discrepancy's amount as a separate
 * break. There must be no other breaks.
 */
async function checkBreaks(month: Month, lastDay: string): Promise<void> {
  const { world, bank, misses } = month;
  const until = `${addDays(lastDay, 30)}T00:00:00Z`;
  const { breaks } = await world.operate<{ readonly breaks: readonly FoundBreak[] }>(
    "reconcile",
    "--until",
    until,
  );
  const expected = [
    ...withoutCancelled(bank.books.discrepancies()).map(textOf),
    ...expectPayoutBreaks(month),
  ];
  const texts = breaks.map((each) => (each.kind === payoutBreak ? textOfPayoutBreak : textOfBreak)(each));
  misses.push(
    ...without(expected, texts).map((each) => `there is no break for ${each}`),
    ...without(texts, expected).map((each) => `there is a break that the bank did not cause: ${each}`),
  );
}

/** `withoutCancelled` removes pairs of a charge and its return, which are no discrepancy. */
function withoutCancelled(movements: readonly Movement[]): readonly Movement[] {
  const left: Movement[] = [];
  for (const movement of movements) {
    const at = left.findIndex(
      ({ endToEndId, minor }) => endToEndId === movement.endToEndId && minor === -movement.minor,
    );
    if (at < 0) left.push(movement);
    else left.splice(at, 1);
  }
  return left;
}

const payoutBreak = "payout discrepancy";
const wholeKinds: readonly MovementKind[] = [
  "execution",
  "execution again",
  "reversal",
  "return",
  "return without code",
];

/**
 * Payouts whose entries are inconsistent, by the contract. Either the entries other than the amount and its return with
 * a code do not add up to zero, or the amount did not leave although the payout is paid. Only imported messages count.
 */
function expectPayoutBreaks({ payouts, reported }: Month): readonly string[] {
  const byPayout = Map.groupBy(reported, ({ endToEndId = "" }) => endToEndId);
  return [...byPayout].flatMap(([endToEndId, bookings]): readonly string[] => {
    const payout = payouts.get(endToEndId);
    if (!payout) return [];
    const sumOf = (isWhole: boolean): bigint =>
      bookings
        .filter(({ kind }) => wholeKinds.includes(kind) === isWhole)
        .reduce((sum, { minor }) => sum + minor, 0n);
    const [whole, other] = [sumOf(true), sumOf(false)];
    const hasWhole = bookings.some(({ kind }) => wholeKinds.includes(kind));
    const fits = payout.state !== "paid" || !hasWhole || whole === -payout.minor;
    return fits && other === 0n ? [] : [payoutText(endToEndId, whole, other)];
  });
}

const textOfPayoutBreak = ({ reference, sums }: FoundBreak): string =>
  payoutText(reference, sums["bank"]?.minor ?? 0, sums["again"]?.minor ?? 0);

const payoutText = (
  endToEndId: string,
  whole: string | number | bigint,
  other: string | number | bigint,
): string => `payout ${endToEndId}: ${whole} and ${other}`;

const textOf = ({ currency, minor }: Movement): string => `${currency} ${minor}`;

const textOfBreak = ({ currency, sums }: FoundBreak): string =>
  `${currency} ${sums["bank"]?.minor ?? "none"}`;

/** Checks that at the end of each day, the bank account in the ledger has the balance of the bank's statement. */
async function checkBookingDates(
  { world, bank, misses }: Month,
  firstDay: string,
  lastDay: string,
): Promise<void> {
  for (let day = firstDay; day <= lastDay; day = addDays(day, 1)) {
    const booked = await world.bankBalances(startOfAccountingDay(addDays(day, 1)));
    for (const currency of world.ownIbans.keys()) {
      const [is, should] = [booked.get(currency) ?? 0n, bank.books.balanceAtEndOf(day, currency)];
      if (is !== should)
        misses.push(
          `${day}: our ${currency} account is ${is} in the ledger, and ${should} in the bank's statement`,
        );
    }
  }
}
