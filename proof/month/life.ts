import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bookDayOf, startOfBookDay } from "../../server/src/core/book-day.ts";
import { committed } from "../../server/src/postgres/database.ts";
import { newMonthBank, type MonthBank, type TakenPayout } from "./bank.ts";
import { expect, newBooks, type ExpectedBooks } from "./books.ts";
import { walletFile, type WalletLine } from "./files.ts";
import { newMarket, type Market } from "./market.ts";
import {
  monthCurrencies,
  monthWallets,
  type Happening,
  type MonthPlan,
  type PlannedMerchant,
} from "./plan.ts";
import { newClerk, type Clerk } from "./rows.ts";
import { addDays, newSettlement, type ExpectedBatch, type ExpectedSettlement } from "./settle.ts";
import { merchantIban, monthBank, type MonthWorld } from "./world.ts";
import type { Random } from "../../server/test/bank/seeded-random.ts";

/** What a month came to. */
export interface Lived {
  readonly misses: readonly string[];
  readonly counts: Counts;
  /** All balances at the end. */
  readonly balances: readonly string[];
}

interface Counts {
  changed: number;
  payouts: number;
  refused: number;
  cameBack: number;
  compared: number;
}

/** The gateway and those around it, and beside them the books that somebody else keeps. */
interface Month {
  readonly world: MonthWorld;
  readonly plan: MonthPlan;
  readonly changesAt: Date;
  readonly books: ExpectedBooks;
  readonly bank: MonthBank;
  readonly clerk: Clerk;
  readonly settlements: ReadonlyMap<string, ExpectedSettlement>;
  readonly market: Market;
  readonly misses: string[];
  readonly counts: Counts;
}

export interface MonthAsked {
  readonly random: Random;
  readonly beginsOn: string;
  readonly days: number;
  readonly changesOn: string;
  say(line: string): void;
}

const chunk = 500;
/** What a wallet keeps of a payment: 0.8 %, rounded down. */
const walletRate = (minor: bigint): bigint => (minor * 8n) / 1000n;

/** Lives a month day by day: what happens, files of wallets and of the bank, batches, payouts; and compares every evening. */
export async function liveMonth(world: MonthWorld, plan: MonthPlan, asked: MonthAsked): Promise<Lived> {
  const month: Month = {
    world,
    plan,
    changesAt: startOfBookDay(asked.changesOn),
    books: newBooks(),
    bank: newMonthBank(asked.random.fork("bank"), world.ownIbans),
    clerk: newClerk(plan.merchants, (clientId) => world.rules.get(clientId) ?? []),
    settlements: new Map(
      plan.merchants.flatMap(({ clientId, currencies, terms }) =>
        currencies.map((currency) => [`${clientId} ${currency}`, newSettlement(terms)] as const),
      ),
    ),
    market: newMarket(asked.random.fork("market"), plan.merchants),
    misses: [],
    counts: { changed: 0, payouts: 0, refused: 0, cameBack: 0, compared: 0 },
  };
  const { books, misses, counts } = month;
  const byDay = Map.groupBy(plan.happenings, ({ at }) => bookDayOf(at));
  for (let nth = 0; nth < asked.days; nth += 1) {
    const day = addDays(asked.beginsOn, nth);
    const happenings = byDay.get(day) ?? [];
    await writeDown(month, day, happenings);
    await importWallets(month, day, happenings);
    await importStatements(month, day);
    // On the first days nobody has said what currencies are worth: those batches wait.
    if (nth >= 3) await setRates(month);
    await closeAndPay(month, day);
    await deal(month, day, 0.5);
    await compare(month, day);
    asked.say(`${day}: ${happenings.length} movements, ${counts.payouts} payouts, ${misses.length} misses`);
  }
  const dayAfter = addDays(asked.beginsOn, asked.days);
  await closeAndPay(month, dayAfter);
  await deal(month, dayAfter, 1);
  await compare(month, dayAfter);
  const balances = [...books.accounts()].map(([account, minor]) => `${account} ${minor}`).toSorted();
  return { misses, counts, balances };
}

/** In the gateway's records, and in the other books. */
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

async function importWallets(month: Month, day: string, happenings: readonly Happening[]): Promise<void> {
  const { books, bank, world } = month;
  for (const wallet of monthWallets) {
    const owes = `wallet receivable ${wallet}`;
    const lines = walletLines(month, wallet, happenings);
    for (const currency of monthCurrencies) {
      // What it owed when the day began, less what it gave back since.
      const today = lines.filter((line) => line.currency === currency && line.kind === "payment");
      const minor = books.balanceOf(owes, currency) - today.reduce((sum, line) => sum + line.minor, 0n);
      if (minor <= 0n) continue;
      const reference = `${wallet}-${currency}-${day}`;
      const at = new Date(startOfBookDay(day).getTime() + 86_399_000);
      const names = { reference: "", operationReference: reference, paymentId: "" };
      lines.push({ kind: "payout", ...names, currency, minor, at });
      bank.payIn(currency, { minor, endToEndId: undefined, reference });
      books.move("clearing", owes, currency, minor);
    }
    for (const { kind, currency, minor } of lines)
      if (kind === "fee") books.move(`wallet fee ${wallet}`, owes, currency, minor);
    const file = join(world.folder, `${wallet}-${day}.csv`);
    writeFileSync(file, walletFile(lines));
    await world.operate("settlement", "import", "--connector", wallet, "--file", file);
  }
}

function walletLines({ clerk }: Month, wallet: string, happenings: readonly Happening[]): WalletLine[] {
  return happenings.flatMap((happening): WalletLine[] => {
    const payment = "payment" in happening ? happening.payment : happening;
    if (payment.wallet !== wallet) return [];
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

function feeLines(line: Omit<WalletLine, "kind">): readonly WalletLine[] {
  const minor = walletRate(line.minor);
  return minor > 0n ? [{ ...line, kind: "fee", operationReference: `fee-${line.paymentId}`, minor }] : [];
}

/** What the bank booked since yesterday's statement, and what came back with it. */
async function importStatements(month: Month, day: string): Promise<void> {
  const { world, books, bank, counts } = month;
  const { statements, moved, returned } = bank.endDay(day);
  const file = join(world.folder, `statements-${day}.xml`);
  writeFileSync(file, statements);
  await world.operate("bank", "import", file, "--bank", monthBank);
  for (const [currency, minor] of moved) books.move(`bank ${monthBank}`, "clearing", currency, minor);
  if (returned.length === 0) return;
  await world.operate("payout", "import", file);
  for (const payout of returned) {
    const { clientId } = whoseIs(month, payout);
    books.move("clearing", `merchant payable ${clientId}`, payout.currency, payout.minor);
    giveBack(month, payout);
    counts.cameBack += 1;
  }
}

/** Closes the day before, when the next one has begun: what is of today must not be in yesterday's batch. */
async function closeAndPay(month: Month, day: string): Promise<void> {
  const { world, plan, bank, misses } = month;
  const closedDay = addDays(day, -1);
  await world.operate("settlement", "close", "--day", closedDay);
  for (const merchant of plan.merchants)
    for (const currency of merchant.currencies) closeExpected(month, merchant, currency, closedDay);
  const due = expectedPayouts(month, day);
  const folder = join(world.folder, "payouts");
  await world.operate("payout", "run", "--bank", monthBank, "--folder", folder, "--day", day);
  const paid: string[] = [];
  for (const name of readdirSync(folder)) {
    const { answer, taken } = bank.take(readFileSync(join(folder, name), "utf8"));
    rmSync(join(folder, name));
    const file = join(world.folder, `answer-${name}`);
    writeFileSync(file, answer);
    await world.operate("payout", "import", file);
    for (const payout of taken) paid.push(settle(month, payout));
  }
  misses.push(...without(due, paid).map((each) => `${day}: ${each} was due, and was not paid`));
  misses.push(...without(paid, due).map((each) => `${day}: ${each} was paid, and was not due`));
}

/** By the contract. What is to be changed and has no price waits. */
function closeExpected(month: Month, merchant: PlannedMerchant, currency: string, day: string): void {
  const { books, market, counts } = month;
  const { clientId, settleIn = currency } = merchant;
  const [owed, reserve] = [`merchant payable ${clientId}`, `merchant reserve ${clientId}`];
  if (settleIn !== currency && !market.hasPrice(currency, settleIn)) return;
  settlementOf(month, clientId, currency).close(day, {
    kept: (minor) => books.move(reserve, owed, currency, minor),
    pays(net) {
      if (settleIn === currency) return { currency, minor: net };
      if (-books.balanceOf(owed, currency) < net) return undefined;
      const got = market.change(books, owed, { currency, minor: net }, settleIn);
      if (got) counts.changed += 1;
      return got;
    },
  });
}

/** What currencies are worth from today on: the operator is told by the market. */
async function setRates({ market, world }: Month): Promise<void> {
  for (const { pair, price, margin } of market.newPrices())
    await world.operate(
      "rate",
      "set",
      "--pair",
      pair,
      "--price",
      price,
      "--margin",
      margin,
      "--until",
      "2099-12-31",
    );
}

/** Sells a part of what merchants have changed, and tells the books; the bank has it in tomorrow's statements. */
async function deal({ market, world, books, bank }: Month, day: string, chance: number): Promise<void> {
  for (const { pair, reference, sold, bought } of market.deals(books, day, chance)) {
    const sums = ["--sold", String(sold.minor), "--bought", String(bought.minor)];
    await world.operate("exchange", "book", "--pair", pair, ...sums, "--reference", reference);
    bank.payIn(sold.currency, { minor: -sold.minor, endToEndId: undefined, reference });
    bank.payIn(bought.currency, { minor: bought.minor, endToEndId: undefined, reference });
  }
}

/** By the contract: the oldest first, for as long as what is owed covers it. */
function expectedPayouts(month: Month, day: string): readonly string[] {
  return month.plan.merchants.flatMap((merchant) => {
    const { clientId } = merchant;
    const owed = new Map<string, bigint>();
    const due = batchesOf(month, merchant, (settlement) => settlement.due(day)).toSorted((a, b) =>
      a.closedOn.localeCompare(b.closedOn),
    );
    const paid = due.filter((batch) => {
      const { currency, minor } = batch.pays;
      const left = owed.get(currency) ?? -month.books.balanceOf(`merchant payable ${clientId}`, currency);
      batch.isTaken = minor <= left;
      owed.set(currency, batch.isTaken ? left - minor : left);
      return batch.isTaken;
    });
    return paid.map(({ pays: { currency, minor } }) => `${clientId} ${currency} ${minor}`);
  });
}

/** Batches of a merchant, whatever was sold: currency by currency, as they are closed. */
function batchesOf(
  month: Month,
  { clientId, currencies }: PlannedMerchant,
  some: (settlement: ExpectedSettlement) => readonly ExpectedBatch[],
): readonly ExpectedBatch[] {
  return currencies.toSorted().flatMap((currency) => some(settlementOf(month, clientId, currency)));
}

/** Books what became of a payout, and gives whose it was. */
function settle(month: Month, payout: TakenPayout): string {
  const { books, counts } = month;
  const { clientId } = whoseIs(month, payout);
  const { currency, minor, isRefused } = payout;
  const [owed, transit] = [`merchant payable ${clientId}`, `payout in transit ${clientId}`];
  books.move(owed, transit, currency, minor);
  books.move(transit, isRefused ? owed : "clearing", currency, minor);
  if (isRefused) giveBack(month, payout);
  counts.payouts += 1;
  if (isRefused) counts.refused += 1;
  return `${clientId} ${currency} ${minor}`;
}

/** Its batch is due again. */
function giveBack(month: Month, payout: TakenPayout): void {
  const taken = batchesOf(month, whoseIs(month, payout), (settlement) => settlement.taken());
  const batch = taken.find(({ pays }) => pays.currency === payout.currency && pays.minor === payout.minor);
  if (batch) batch.isTaken = false;
  else month.misses.push(`a payout of ${payout.minor} is of no batch`);
}

function whoseIs({ plan: { merchants } }: Month, { iban, currency }: TakenPayout): PlannedMerchant {
  const merchant = merchants.find((_, nth) => merchantIban(nth, currency) === iban);
  if (!merchant) throw new Error(`A payout went to ${iban}, which is nobody's.`);
  return merchant;
}

function settlementOf({ settlements }: Month, clientId: string, currency: string): ExpectedSettlement {
  const found = settlements.get(`${clientId} ${currency}`);
  if (!found) throw new Error(`${clientId} takes no ${currency}.`);
  return found;
}

/** Every account, to the smallest unit; and what `match` finds, which is nothing. */
async function compare({ world, books, misses, counts }: Month, day: string): Promise<void> {
  const found = await world.balances();
  for (const account of new Set([...found.keys(), ...books.accounts().keys()])) {
    const [is, should] = [found.get(account) ?? 0n, books.accounts().get(account) ?? 0n];
    counts.compared += 1;
    if (is !== should) misses.push(`${day}: ${account} is ${is}, and should be ${should}`);
  }
  const { breaks } = await world.operate<{ readonly breaks: readonly object[] }>("match", "--day", day);
  for (const each of breaks.slice(0, 5)) misses.push(`${day}: match found ${JSON.stringify(each)}`);
}

function without(some: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return some.filter((each) => {
    const at = left.indexOf(each);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
