import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { accountingDayOf, startOfAccountingDay } from "../../server/src/core/accounting-day.ts";
import { committed } from "../../server/src/postgres/database.ts";
import { allBankAdversities } from "../../server/test/bank/bank-adversity.ts";
import { newBankSimulator } from "../../server/test/bank/bank-simulator.ts";
import type { Random } from "../../server/test/bank/seeded-random.ts";
import type { Adversity } from "./adversity.ts";
import { importBankMessages } from "./bank-messages.ts";
import { expect, newBooks } from "./reference-ledger.ts";
import { checkAgainstBank, isExplained, type FoundBreak } from "./final-check.ts";
import { newMarket } from "./market.ts";
import type { Counts, Month } from "./month-state.ts";
import { closeAndPay } from "./payout-day.ts";
import { monthCurrencies, monthProviders, type Happening, type MonthPlan } from "./plan.ts";
import { newClerk } from "./rows.ts";
import { addDays, newSettlement } from "./settle.ts";
import { providerFile, type ProviderLine } from "./provider-file.ts";
import type { MonthWorld } from "./world.ts";

/** Result of a month. */
export interface Lived {
  readonly misses: readonly string[];
  readonly counts: Counts;
  /** All balances at the end. */
  readonly balances: readonly string[];
  /** Number of discrepancies that the bank has caused. */
  readonly discrepancies: number;
}

export interface MonthAsked {
  readonly random: Random;
  readonly beginsOn: string;
  readonly days: number;
  readonly changesOn: string;
  readonly adversities: ReadonlySet<Adversity>;
  say(line: string): void;
}

const chunk = 500;
/** The provider's fee on a payment: 0.8 %, rounded down. */
const providerRate = (minor: bigint): bigint => (minor * 8n) / 1000n;
/** Number of days after the month in which the bank books and sends the remaining messages. */
const daysAfterMax = 12;

function newMonth(world: MonthWorld, plan: MonthPlan, asked: MonthAsked): Month {
  return {
    world,
    plan,
    changesAt: startOfAccountingDay(asked.changesOn),
    books: newBooks(),
    bank: newBankSimulator({
      random: asked.random.fork("bank"),
      accounts: world.ownIbans,
      adversities: allBankAdversities.filter((name) => asked.adversities.has(name)),
    }),
    clerk: newClerk(plan.merchants, (clientId) => world.rules.get(clientId) ?? []),
    settlements: new Map(
      plan.merchants.flatMap(({ clientId, currencies, terms }) =>
        currencies.map((currency) => [`${clientId} ${currency}`, newSettlement(terms)] as const),
      ),
    ),
    market: newMarket(asked.random.fork("market"), plan.merchants),
    adversities: asked.adversities,
    payouts: new Map(),
    posted: new Map(),
    reported: new Set(),
    held: new Set(),
    occurred: new Map(),
    misses: [],
    counts: { changed: 0, payouts: 0, rejected: 0, returned: 0, duplicateFiles: 0, compared: 0 },
  };
}

/**
 * Simulates a month day by day: payments, files of providers and of the bank, batches, payouts. It compares the gateway
 * with the model at the end of every day.
 */
export async function simulateMonth(world: MonthWorld, plan: MonthPlan, asked: MonthAsked): Promise<Lived> {
  const month = newMonth(world, plan, asked);
  const { books, bank, misses, counts } = month;
  const byDay = Map.groupBy(plan.happenings, ({ at }) => accountingDayOf(at));
  let shown = 0;
  for (let nth = 0; nth < asked.days; nth += 1) {
    const day = addDays(asked.beginsOn, nth);
    const happenings = byDay.get(day) ?? [];
    await writeDown(month, day, happenings);
    await importProviders(month, day, happenings);
    await importBankMessages(month, day);
    // There are no FX rates on the first days, so batches that need one wait.
    if (nth >= 3) await setRates(month);
    await closeAndPay(month, day);
    await deal(month, day, 0.5);
    await compare(month, day);
    for (const miss of misses.slice(shown)) asked.say(`MISS ${miss}`);
    shown = misses.length;
    asked.say(`${day}: ${happenings.length} movements, ${counts.payouts} payouts, ${misses.length} misses`);
  }
  const dayAfter = addDays(asked.beginsOn, asked.days);
  await closeAndPay(month, dayAfter);
  await deal(month, dayAfter, 1);
  const lastDay = await receiveRest(month, dayAfter);
  await compare(month, lastDay);
  await checkAgainstBank(month, asked.beginsOn, lastDay);
  counts.duplicateFiles = bank.books.duplicateMessages;
  const balances = [...books.accounts()].map(([account, minor]) => `${account} ${minor}`).toSorted();
  return { misses, counts, balances, discrepancies: bank.books.discrepancies().length };
}

/** Ends days of the bank until it has sent all messages; returns the last day. */
async function receiveRest(month: Month, from: string): Promise<string> {
  let day = from;
  for (let nth = 0; nth < daysAfterMax && (nth === 0 || month.bank.hasUndelivered()); nth += 1) {
    if (nth > 0) day = addDays(day, 1);
    await importBankMessages(month, day);
  }
  if (month.bank.hasUndelivered()) throw new Error("The bank has not sent everything.");
  return day;
}

/** `writeDown` inserts the money events of a day into the gateway's records, and into the expected ledger. */
async function writeDown(month: Month, day: string, happenings: readonly Happening[]): Promise<void> {
  const { world, clerk, plan, books, settlements, changesAt } = month;
  const clientIds = plan.merchants.map(({ clientId }) => clientId);
  for (let at = 0; at < happenings.length; at += chunk)
    committed(
      await world.database.transaction(clientIds, async (tx) => {
        for (const happening of happenings.slice(at, at + chunk)) clerk.write(tx, happening);
      }),
    );
  for (const happening of happenings) {
    const payment = "payment" in happening ? happening.payment : happening;
    const clientId = plan.merchants[payment.merchant]?.clientId ?? "";
    const account = `merchant payable ${clientId}`;
    const before = books.balanceOf(account, payment.currency);
    expect(books, happening, plan.merchants, changesAt);
    const owedMore = before - books.balanceOf(account, payment.currency);
    const sold = happening.kind === "payment" ? payment.minor : 0n;
    settlements.get(`${clientId} ${payment.currency}`)?.moved(day, owedMore, sold);
  }
}

async function importProviders(month: Month, day: string, happenings: readonly Happening[]): Promise<void> {
  const { books, bank, world } = month;
  const imports = monthProviders.map((provider) => {
    const owes = `provider receivable ${provider}`;
    const lines = providerLines(month, provider, happenings);
    for (const currency of monthCurrencies) {
      // `minor` is the provider's receivable without the payments of today: the receivable at the start of the day,
      // less today's refunds.
      const today = lines.filter((line) => line.currency === currency && line.kind === "payment");
      const minor = books.balanceOf(owes, currency) - today.reduce((sum, line) => sum + line.minor, 0n);
      if (minor <= 0n) continue;
      const reference = `${provider}-${currency}-${day}`;
      const at = new Date(startOfAccountingDay(day).getTime() + 86_399_000);
      const names = { reference: "", operationReference: reference, paymentId: "" };
      lines.push({ kind: "payout", ...names, currency, minor, at });
      bank.deposit(currency, minor, reference);
      books.move("clearing", owes, currency, minor);
    }
    for (const { kind, currency, minor } of lines)
      if (kind === "fee") books.move(`provider fee ${provider}`, owes, currency, minor);
    const file = join(world.folder, `${provider}-${day}.csv`);
    writeFileSync(file, providerFile(lines));
    return ["settlement", "import", "--connector", provider, "--file", file];
  });
  await world.operateAll(imports);
}

function providerLines({ clerk }: Month, provider: string, happenings: readonly Happening[]): ProviderLine[] {
  return happenings.flatMap((happening): ProviderLine[] => {
    const payment = "payment" in happening ? happening.payment : happening;
    if (payment.provider !== provider) return [];
    const { minor, at } = happening;
    const line = { ...clerk.namesOf(happening), currency: payment.currency, minor, at };
    switch (happening.kind) {
      case "payment":
      case "late success":
        return [{ ...line, kind: "payment" }, ...feeLines(line)];
      case "refund":
      case "cancel":
      case "reversal":
        return [{ ...line, kind: "refund" }];
      case "dispute debit":
        return [{ ...line, kind: "chargeback" }];
      case "dispute freeze":
      case "dispute release":
        return [];
    }
  });
}

function feeLines(line: Omit<ProviderLine, "kind">): readonly ProviderLine[] {
  const minor = providerRate(line.minor);
  return minor > 0n ? [{ ...line, kind: "fee", operationReference: `fee-${line.paymentId}`, minor }] : [];
}

/** Sets FX rates from today on, as the market has them. */
async function setRates({ market, world }: Month): Promise<void> {
  const rates = market.newPrices().map(({ pair, price, margin }) => {
    const rate = ["--pair", pair, "--price", price, "--margin", margin];
    return ["fx", "rate", "set", ...rate, "--until", "2099-12-31"];
  });
  await world.operateAll(rates);
}

/** Books FX deals for a part of the converted amounts. The bank books them on the next day. */
async function deal(
  { market, world, books, bank, misses }: Month,
  day: string,
  chance: number,
): Promise<void> {
  const deals = market.deals(books, day, chance).map(({ pair, reference, sold, bought }) => {
    bank.deposit(sold.currency, -sold.minor, reference);
    bank.deposit(bought.currency, bought.minor, reference);
    const sums = ["--sold", String(sold.minor), "--bought", String(bought.minor)];
    return ["fx", "deal", "book", "--pair", pair, ...sums, "--reference", reference];
  });
  // A deal that the ledger does not cover is a failed check. The month continues, so that its cause is found as well.
  const problems = await Promise.all(deals.map((words) => world.tryOperate(...words)));
  for (const problem of problems)
    if (problem !== undefined) misses.push(`${day}: fx deal book fails: ${problem.slice(0, 300)}`);
}

/** Compares every account, and checks that `reconcile` finds only breaks of the bank. */
async function compare(month: Month, day: string): Promise<void> {
  const { world, books, misses, counts } = month;
  const found = await world.balances();
  for (const account of new Set([...found.keys(), ...books.accounts().keys()])) {
    const [is, should] = [found.get(account) ?? 0n, books.accounts().get(account) ?? 0n];
    counts.compared += 1;
    if (is !== should) misses.push(`${day}: ${account} is ${is}, and should be ${should}`);
  }
  const { breaks } = await world.operate<{ readonly breaks: readonly FoundBreak[] }>(
    "reconcile",
    "--day",
    day,
  );
  for (const each of breaks.filter((one) => !isExplained(month, one)).slice(0, 5))
    misses.push(`${day}: match found ${JSON.stringify(each)}`);
}
