import type { Movement, MovementKind } from "../../server/test/bank/reference-bank-ledger.ts";
import { startOfAccountingDay } from "../../server/src/core/accounting-day.ts";
import type { Month } from "./month-state.ts";
import { findMissing } from "./payout-day.ts";
import { addDays } from "./reference-settlement.ts";
import { merchantIban } from "./month-installation.ts";

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
  const { plan, bank, payouts, misses, installation } = month;
  for (const [nth, { clientId }] of plan.merchants.entries())
    for (const currency of installation.ownIbans.keys()) {
      const iban = merchantIban(nth, currency);
      const paidMinor = bank.ledger.paidOut(
        (movement) => movement.iban === iban && movement.currency === currency,
      );
      const paid = [...payouts.values()].filter(
        (each) => each.clientId === clientId && each.currency === currency && each.state === "paid",
      );
      const batches = new Set(paid.flatMap(({ batch }) => batch ?? []));
      const owedMinor = [...batches].reduce((sum, { payout }) => sum + payout.minor, 0n);
      month.counts.compared += 1;
      if (paidMinor > owedMinor)
        misses.push(
          `${clientId} was paid ${paidMinor - owedMinor} ${currency} too much, by the bank's records`,
        );
      if (paidMinor < owedMinor)
        misses.push(
          `${clientId} was paid ${owedMinor - paidMinor} ${currency} too little, by the bank's records`,
        );
    }
}

/** Checks that the clearing account's balance is the sum of bank entries that no payout and no provider explains. */
async function checkClearing({ installation, bank, misses }: Month): Promise<void> {
  const balances = await installation.balances();
  for (const currency of installation.ownIbans.keys()) {
    const discrepancies = bank.ledger.discrepancies().filter((movement) => movement.currency === currency);
    const unpairedMinor = -discrepancies.reduce((sum, { minor }) => sum + minor, 0n);
    const clearing = balances.get(`clearing ${currency}`) ?? 0n;
    if (clearing !== unpairedMinor)
      misses.push(`clearing ${currency} is ${clearing}, and the unpaired entries are ${unpairedMinor}`);
  }
}

/** `isExplained` returns whether the bank caused a break on purpose, or its statement has not arrived yet. */
export function isExplained(month: Month, foundBreak: FoundBreak): boolean {
  const { bank } = month;
  if (foundBreak.kind === "statement gap") return bank.hasUndelivered();
  if (foundBreak.kind === payoutBreak)
    return expectPayoutBreaks(month).includes(describePayoutBreak(foundBreak));
  return bank.ledger
    .discrepancies()
    .some((movement) => describeMovement(movement) === describeBreak(foundBreak));
}

/**
 * Checks that `reconcile` lists each discrepancy as a break of its payout, and the discrepancy's amount as a separate
 * break. There must be no other breaks.
 */
async function checkBreaks(month: Month, lastDay: string): Promise<void> {
  const { installation, bank, misses } = month;
  const untilTime = `${addDays(lastDay, 30)}T00:00:00Z`;
  const { breaks } = await installation.operate<{ readonly breaks: readonly FoundBreak[] }>(
    "reconcile",
    "--until",
    untilTime,
  );
  const expected = [
    ...withoutCancelled(bank.ledger.discrepancies()).map(describeMovement),
    ...expectPayoutBreaks(month),
  ];
  const [debts, others] = [
    breaks.filter(({ kind }) => kind === "negative balance"),
    breaks.filter(({ kind }) => kind !== "negative balance"),
  ];
  misses.push(...debts.filter((each) => !isOwed(month, each)).map((each) => `no debt of ${each.reference}`));
  const breakTexts = others.map((each) =>
    (each.kind === payoutBreak ? describePayoutBreak : describeBreak)(each),
  );
  misses.push(
    ...findMissing(expected, breakTexts).map((each) => `there is no break for ${each}`),
    ...findMissing(breakTexts, expected).map(
      (each) => `there is a break that the bank did not cause: ${each}`,
    ),
  );
}

/** Returns whether a merchant owes the amount of the break. The month's dates may be more than 30 days ago. */
function isOwed({ ledger }: Month, { reference, currency, sums }: FoundBreak): boolean {
  const owedMinor = -ledger.balanceOf(`merchant payable ${reference}`, currency ?? "");
  return owedMinor < 0n && BigInt(sums["ledger"]?.minor ?? 0) === owedMinor;
}

/** `withoutCancelled` removes pairs of a charge and its return, which are no discrepancy. */
function withoutCancelled(movements: readonly Movement[]): readonly Movement[] {
  const remaining: Movement[] = [];
  for (const movement of movements) {
    const at = remaining.findIndex(
      ({ endToEndId, minor }) => endToEndId === movement.endToEndId && minor === -movement.minor,
    );
    if (at < 0) remaining.push(movement);
    else remaining.splice(at, 1);
  }
  return remaining;
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
function expectPayoutBreaks({ payouts, reportedBookings }: Month): readonly string[] {
  const byPayout = Map.groupBy(reportedBookings, ({ endToEndId = "" }) => endToEndId);
  return [...byPayout].flatMap(([endToEndId, bookings]): readonly string[] => {
    const payout = payouts.get(endToEndId);
    if (!payout) return [];
    const sumOf = (isWhole: boolean): bigint =>
      bookings
        .filter(({ kind }) => wholeKinds.includes(kind) === isWhole)
        .reduce((sum, { minor }) => sum + minor, 0n);
    const [wholeMinor, otherMinor] = [sumOf(true), sumOf(false)];
    const hasWhole = bookings.some(({ kind }) => wholeKinds.includes(kind));
    const isConsistent = payout.state !== "paid" || !hasWhole || wholeMinor === -payout.minor;
    return isConsistent && otherMinor === 0n ? [] : [formatPayoutBreak(endToEndId, wholeMinor, otherMinor)];
  });
}

const describePayoutBreak = ({ reference, sums }: FoundBreak): string =>
  formatPayoutBreak(reference, sums["bank"]?.minor ?? 0, sums["again"]?.minor ?? 0);

const formatPayoutBreak = (
  endToEndId: string,
  wholeMinor: string | number | bigint,
  otherMinor: string | number | bigint,
): string => `payout ${endToEndId}: ${wholeMinor} and ${otherMinor}`;

const describeMovement = ({ currency, minor }: Movement): string => `${currency} ${minor}`;

const describeBreak = ({ currency, sums }: FoundBreak): string =>
  `${currency} ${sums["bank"]?.minor ?? "none"}`;

/** Checks that at the end of each day, the bank account in the ledger has the balance of the bank's statement. */
async function checkBookingDates(
  { installation, bank, misses }: Month,
  firstDay: string,
  lastDay: string,
): Promise<void> {
  for (let day = firstDay; day <= lastDay; day = addDays(day, 1)) {
    const booked = await installation.bankBalances(startOfAccountingDay(addDays(day, 1)));
    for (const currency of installation.ownIbans.keys()) {
      const [actual, expected] = [booked.get(currency) ?? 0n, bank.ledger.balanceAtEndOf(day, currency)];
      if (actual !== expected)
        misses.push(
          `${day}: our ${currency} account is ${actual} in the ledger, and ${expected} in the bank's statement`,
        );
    }
  }
}
