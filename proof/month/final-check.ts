import type { Movement } from "../../server/test/bank/bank-books.ts";
import { startOfBookDay } from "../../server/src/core/book-day.ts";
import type { Month } from "./month-state.ts";
import { addDays } from "./settle.ts";
import { merchantIban } from "./world.ts";

/** Break of a reconciliation, as `match --json` prints it. */
export interface FoundBreak {
  readonly kind: string;
  readonly reference: string;
  readonly currency: string | null;
  readonly sums: Readonly<Record<string, { readonly minor: string | number } | undefined>>;
}

/** Compares the gateway with the bank's own books after the last message was imported. */
export async function checkAgainstBank(month: Month, firstDay: string, lastDay: string): Promise<void> {
  checkPaidOnce(month);
  await checkClearing(month);
  await checkBreaks(month, lastDay);
  if (month.adversities.has("late-month-end")) await checkBookingDates(month, firstDay, lastDay);
}

/** For each merchant and currency: money that left less what came back is what was owed and due. No batch was paid twice. */
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
        misses.push(`${clientId} was paid ${left - owed} ${currency} too much, by the bank's books`);
      if (left < owed)
        misses.push(`${clientId} was paid ${owed - left} ${currency} too little, by the bank's books`);
    }
}

/** Clearing is the sum of entries that no payout and no wallet explains. */
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

/** `isExplained` says whether a break is one that the bank has caused on purpose, or a statement that has not come yet. */
export function isExplained({ bank }: Month, found: FoundBreak): boolean {
  if (found.kind === "statement gap") return bank.hasUndelivered();
  return bank.books.discrepancies().some((movement) => textOf(movement) === textOfBreak(found));
}

/** Every discrepancy is listed as a break once, and nothing else is. */
async function checkBreaks({ world, bank, misses }: Month, lastDay: string): Promise<void> {
  const until = `${addDays(lastDay, 30)}T00:00:00Z`;
  const { breaks } = await world.operate<{ readonly breaks: readonly FoundBreak[] }>(
    "match",
    "--until",
    until,
  );
  const left = breaks.map(textOfBreak);
  for (const movement of bank.books.discrepancies()) {
    const at = left.indexOf(textOf(movement));
    if (at < 0) misses.push(`no break for ${movement.kind} ${textOf(movement)} of ${movement.day}`);
    else left.splice(at, 1);
  }
  const unexpected = new Set(left);
  for (const each of breaks.filter((found) => unexpected.has(textOfBreak(found))).slice(0, 10))
    misses.push(`a break that the bank did not cause: ${JSON.stringify(each)}`);
}

const textOf = ({ currency, minor }: Movement): string => `${currency} ${minor}`;

const textOfBreak = ({ currency, sums }: FoundBreak): string =>
  `${currency} ${sums["bank"]?.minor ?? "none"}`;

/** The bank account in the ledger is, at the end of each day, what the bank's statement of that day says. */
async function checkBookingDates(
  { world, bank, misses }: Month,
  firstDay: string,
  lastDay: string,
): Promise<void> {
  for (let day = firstDay; day <= lastDay; day = addDays(day, 1)) {
    const booked = await world.bankBalances(startOfBookDay(addDays(day, 1)));
    for (const currency of world.ownIbans.keys()) {
      const [is, should] = [booked.get(currency) ?? 0n, bank.books.balanceAtEndOf(day, currency)];
      if (is !== should)
        misses.push(
          `${day}: our ${currency} account is ${is} in the ledger, and ${should} in the bank's statement`,
        );
    }
  }
}
