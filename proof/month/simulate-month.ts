import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { accountingDayOf, startOfAccountingDay } from "../../server/src/core/accounting-day.ts";
import { requireCommitted } from "../../server/src/postgres/database.ts";
import { allBankAdversities } from "../../server/test/bank/bank-adversity.ts";
import { newBankSimulator } from "../../server/test/bank/bank-simulator.ts";
import type { Random } from "../../server/test/bank/seeded-random.ts";
import type { Adversity } from "./adversity.ts";
import { importBankMessages } from "./bank-messages.ts";
import { applyEvent, newExpectedLedger } from "./reference-ledger.ts";
import { checkAgainstBank, isExplained, type FoundBreak } from "./final-check.ts";
import { newFxMarket } from "./fx-market.ts";
import type { Counts, Month } from "./month-state.ts";
import { closeAndPay } from "./payout-day.ts";
import { monthCurrencies, monthProviders, type MoneyEvent, type MonthPlan } from "./month-plan.ts";
import { newRecordWriter } from "./record-writer.ts";
import { addDays, newSettlement } from "./reference-settlement.ts";
import { formatProviderFile, type ProviderLine } from "./provider-file.ts";
import type { MonthInstallation } from "./month-installation.ts";

/** Result of a month. */
export interface MonthResult {
  readonly misses: readonly string[];
  readonly counts: Counts;
  /** All balances at the end. */
  readonly balances: readonly string[];
  /** Number of discrepancies that the bank has caused. */
  readonly discrepancies: number;
}

export interface MonthSimulationOptions {
  readonly random: Random;
  readonly firstDay: string;
  readonly days: number;
  readonly feeChangeDay: string;
  readonly adversities: ReadonlySet<Adversity>;
  logProgress(line: string): void;
}

const chunk = 500;
/** The provider's fee on a payment: 0.8 %, rounded down. */
const providerRate = (minor: bigint): bigint => (minor * 8n) / 1000n;
/** Number of days after the month in which the bank books and sends the remaining messages. */
const daysAfterMax = 12;

function newMonth(installation: MonthInstallation, plan: MonthPlan, options: MonthSimulationOptions): Month {
  return {
    installation,
    plan,
    feeChangeAt: startOfAccountingDay(options.feeChangeDay),
    ledger: newExpectedLedger(),
    bank: newBankSimulator({
      random: options.random.fork("bank"),
      accounts: installation.ownIbans,
      adversities: allBankAdversities.filter((name) => options.adversities.has(name)),
    }),
    recordWriter: newRecordWriter(plan.merchants, (clientId) => installation.rules.get(clientId) ?? []),
    settlements: new Map(
      plan.merchants.flatMap(({ clientId, currencies, terms }) =>
        currencies.map((currency) => [`${clientId} ${currency}`, newSettlement(terms)] as const),
      ),
    ),
    market: newFxMarket(options.random.fork("market"), plan.merchants),
    adversities: options.adversities,
    payouts: new Map(),
    statementAmounts: new Map(),
    reportedBookings: new Set(),
    payoutHolds: new Set(),
    faultCounts: new Map(),
    misses: [],
    counts: { changed: 0, payouts: 0, rejected: 0, returned: 0, duplicateFiles: 0, compared: 0 },
  };
}

/**
 * Simulates a month day by day: payments, files of providers and of the bank, batches, payouts. It compares the gateway
 * with the model at the end of every day.
 */
export async function simulateMonth(
  installation: MonthInstallation,
  plan: MonthPlan,
  options: MonthSimulationOptions,
): Promise<MonthResult> {
  const month = newMonth(installation, plan, options);
  const { ledger, bank, misses, counts } = month;
  const byDay = Map.groupBy(plan.events, ({ at }) => accountingDayOf(at));
  let printedCount = 0;
  for (let nth = 0; nth < options.days; nth += 1) {
    const day = addDays(options.firstDay, nth);
    const events = byDay.get(day) ?? [];
    await recordEvents(month, day, events);
    await importProviders(month, day, events);
    await importBankMessages(month, day);
    // There are no FX rates on the first days, so batches that need one wait.
    if (nth >= 3) await setRates(month);
    await closeAndPay(month, day);
    await bookDeals(month, day, 0.5);
    await compareDay(month, day);
    for (const miss of misses.slice(printedCount)) options.logProgress(`MISS ${miss}`);
    printedCount = misses.length;
    options.logProgress(
      `${day}: ${events.length} movements, ${counts.payouts} payouts, ${misses.length} misses`,
    );
  }
  const dayAfter = addDays(options.firstDay, options.days);
  await closeAndPay(month, dayAfter);
  await bookDeals(month, dayAfter, 1);
  const lastDay = await receiveRemaining(month, dayAfter);
  await compareDay(month, lastDay);
  await checkAgainstBank(month, options.firstDay, lastDay);
  counts.duplicateFiles = bank.ledger.duplicateMessages;
  const balances = [...ledger.accounts()].map(([account, minor]) => `${account} ${minor}`).toSorted();
  return { misses, counts, balances, discrepancies: bank.ledger.discrepancies().length };
}

/** Ends days of the bank until it has sent all messages; returns the last day. */
async function receiveRemaining(month: Month, from: string): Promise<string> {
  let day = from;
  for (let nth = 0; nth < daysAfterMax && (nth === 0 || month.bank.hasUndelivered()); nth += 1) {
    if (nth > 0) day = addDays(day, 1);
    await importBankMessages(month, day);
  }
  if (month.bank.hasUndelivered()) throw new Error("The bank has not sent everything.");
  return day;
}

/** `recordEvents` inserts the money events of a day into the gateway's records, and into the expected ledger. */
async function recordEvents(month: Month, day: string, events: readonly MoneyEvent[]): Promise<void> {
  const { installation, recordWriter, plan, ledger, settlements, feeChangeAt } = month;
  const clientIds = plan.merchants.map(({ clientId }) => clientId);
  for (let at = 0; at < events.length; at += chunk)
    requireCommitted(
      await installation.database.transaction(clientIds, async (tx) => {
        for (const event of events.slice(at, at + chunk)) recordWriter.write(tx, event);
      }),
    );
  for (const event of events) {
    const payment = "payment" in event ? event.payment : event;
    const clientId = plan.merchants[payment.merchant]?.clientId ?? "";
    const account = `merchant payable ${clientId}`;
    const balanceBefore = ledger.balanceOf(account, payment.currency);
    applyEvent(ledger, event, plan.merchants, feeChangeAt);
    const payableChange = balanceBefore - ledger.balanceOf(account, payment.currency);
    const soldMinor = event.kind === "payment" || event.kind === "capture" ? event.minor : 0n;
    settlements.get(`${clientId} ${payment.currency}`)?.addMovement(day, payableChange, soldMinor);
  }
}

async function importProviders(month: Month, day: string, events: readonly MoneyEvent[]): Promise<void> {
  const { ledger, bank, installation } = month;
  const imports = monthProviders.map((provider) => {
    const receivableAccount = `provider receivable ${provider}`;
    const settlementLines = providerLines(month, provider, events);
    for (const currency of monthCurrencies) {
      // `minor` is the provider's receivable without the increases of today: the receivable at the start of the day,
      // less today's refunds.
      const today = settlementLines.filter(
        (line) => line.currency === currency && ["payment", "capture", "refund_reversal"].includes(line.kind),
      );
      const minor =
        ledger.balanceOf(receivableAccount, currency) - today.reduce((sum, line) => sum + line.minor, 0n);
      if (minor <= 0n) continue;
      const reference = `${provider}-${currency}-${day}`;
      const at = new Date(startOfAccountingDay(day).getTime() + 86_399_000);
      const references = { reference: "", operationReference: reference, paymentId: "" };
      settlementLines.push({ kind: "payout", ...references, currency, minor, at });
      bank.deposit(currency, minor, reference);
      ledger.move("clearing", receivableAccount, currency, minor);
    }
    for (const { kind, currency, minor } of settlementLines)
      if (kind === "fee") ledger.move(`provider fee ${provider}`, receivableAccount, currency, minor);
    const file = join(installation.folder, `${provider}-${day}.csv`);
    writeFileSync(file, formatProviderFile(settlementLines));
    return ["settlement", "import", "--connector", provider, "--file", file];
  });
  await installation.operateAll(imports);
}

function providerLines(
  { recordWriter }: Month,
  provider: string,
  events: readonly MoneyEvent[],
): ProviderLine[] {
  return events.flatMap((event): ProviderLine[] => {
    const payment = "payment" in event ? event.payment : event;
    if (payment.provider !== provider) return [];
    const { minor, at } = event;
    const line = { ...recordWriter.referencesOf(event), currency: payment.currency, minor, at };
    switch (event.kind) {
      case "payment":
      case "late success":
        return [{ ...line, kind: "payment" }, ...feeLines(line)];
      case "capture":
        return [{ ...line, kind: "capture" }, ...feeLines(line)];
      case "refund":
      case "refund again":
      case "cancel":
      case "reversal":
        return [{ ...line, kind: "refund" }];
      case "refund reversal":
      case "cancel returned":
      case "reversal returned":
        return [{ ...line, kind: "refund_reversal" }];
      case "dispute debit":
        return [{ ...line, kind: "chargeback" }];
      case "hold":
      case "capture request":
      case "failed capture":
      case "dispute freeze":
      case "dispute release":
        return [];
    }
  });
}

function feeLines(line: Omit<ProviderLine, "kind">): readonly ProviderLine[] {
  const minor = providerRate(line.minor);
  return minor > 0n
    ? [{ ...line, kind: "fee", operationReference: `fee-${line.operationReference}`, minor }]
    : [];
}

/** Sets FX rates from today on, as the market has them. */
async function setRates({ market, installation }: Month): Promise<void> {
  const rates = market.newPrices().map(({ pair, price, margin }) => {
    const rate = ["--pair", pair, "--price", price, "--margin", margin];
    return ["fx", "rate", "set", ...rate, "--until", "2099-12-31"];
  });
  await installation.operateAll(rates);
}

/** Books FX deals for a part of the converted amounts. The bank books them on the next day. */
async function bookDeals(
  { market, installation, ledger, bank, misses }: Month,
  day: string,
  chance: number,
): Promise<void> {
  const deals = market.deals(ledger, day, chance).map(({ pair, reference, sold: soldMinor, bought }) => {
    bank.deposit(soldMinor.currency, -soldMinor.minor, reference);
    bank.deposit(bought.currency, bought.minor, reference);
    const sums = ["--sold", String(soldMinor.minor), "--bought", String(bought.minor)];
    return ["fx", "deal", "book", "--pair", pair, ...sums, "--reference", reference];
  });
  // A deal that the ledger does not cover is a failed check. The month continues, so that its cause is found as well.
  const problems = await Promise.all(deals.map((args) => installation.tryOperate(...args)));
  for (const problem of problems)
    if (problem !== undefined) misses.push(`${day}: fx deal book fails: ${problem.slice(0, 300)}`);
}

/** Compares every account, and checks that `reconcile` finds only breaks of the bank. */
async function compareDay(month: Month, day: string): Promise<void> {
  const { installation, ledger, misses, counts } = month;
  const balances = await installation.balances();
  for (const account of new Set([...balances.keys(), ...ledger.accounts().keys()])) {
    const [actual, expected] = [balances.get(account) ?? 0n, ledger.accounts().get(account) ?? 0n];
    counts.compared += 1;
    if (actual !== expected) misses.push(`${day}: ${account} is ${actual}, and should be ${expected}`);
  }
  const { breaks } = await installation.operate<{ readonly breaks: readonly FoundBreak[] }>(
    "reconcile",
    "--day",
    day,
  );
  for (const each of breaks.filter((foundBreak) => !isExplained(month, foundBreak)).slice(0, 5))
    misses.push(`${day}: match found ${JSON.stringify(each)}`);
}
