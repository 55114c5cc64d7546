import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bookDayOf, startOfBookDay } from "../server/src/core/book-day.ts";
import { committed } from "../server/src/postgres/database.ts";
import { newMonthBank, type TakenPayout } from "./month-bank.ts";
import { expect, newBooks, type ExpectedBooks } from "./month-books.ts";
import { walletFile, type WalletLine } from "./month-files.ts";
import { monthCurrencies, monthWallets, type Happening, type MonthPlan } from "./month-plan.ts";
import { newClerk } from "./month-rows.ts";
import { addDays, newSettlement, type ExpectedSettlement } from "./month-settle.ts";
import { merchantIban, monthBank, type MonthWorld } from "./month-world.ts";
import type { Random } from "./random.ts";

/** What a month came to. */
export interface Lived {
  readonly misses: readonly string[];
  readonly payoutCount: number;
  readonly refusedCount: number;
  readonly returnedCount: number;
  readonly comparisons: number;
  /** Of all balances at the end. */
  readonly balances: readonly string[];
}

const chunk = 500;
/** What a wallet keeps of a payment: 0.8 %, rounded down. */
const walletRate = (minor: bigint): bigint => (minor * 8n) / 1000n;

/** Lives a month day by day: what happens, files of wallets and of the bank, batches, payouts; and compares every evening. */
export async function liveMonth(
  world: MonthWorld,
  plan: MonthPlan,
  {
    random,
    beginsOn,
    days,
    changesOn,
    say,
  }: {
    readonly random: Random;
    readonly beginsOn: string;
    readonly days: number;
    readonly changesOn: string;
    say(line: string): void;
  },
): Promise<Lived> {
  const books = newBooks();
  const bank = newMonthBank(random.fork("bank"), world.ownIbans);
  const clerk = newClerk(plan.merchants, (clientId) => world.rules.get(clientId) ?? []);
  const changesAt = startOfBookDay(changesOn);
  const settlements = new Map(
    plan.merchants.flatMap(({ clientId, currencies, terms }) =>
      currencies.map((currency) => [`${clientId} ${currency}`, newSettlement(terms)] as const),
    ),
  );
  const byDay = Map.groupBy(plan.happenings, ({ at }) => bookDayOf(at));
  const misses: string[] = [];
  const counts = { payoutCount: 0, refusedCount: 0, returnedCount: 0, comparisons: 0 };
  const clientIds = plan.merchants.map(({ clientId }) => clientId);

  for (let nth = 0; nth < days; nth += 1) {
    const day = addDays(beginsOn, nth);
    const happenings = byDay.get(day) ?? [];
    for (let at = 0; at < happenings.length; at += chunk)
      committed(
        await world.database.transaction(clientIds, async (tx) => {
          for (const happening of happenings.slice(at, at + chunk)) clerk.write(tx, happening);
        }),
      );
    for (const happening of happenings) note(books, settlements, happening, { plan, changesAt, day });
    await importWallets(day, happenings);
    await importStatements(day);
    await closeAndPay(day);
    await compare(day);
    say(
      `${day}: ${happenings.length} movements, ${counts.payoutCount} payouts so far, ${misses.length} misses`,
    );
  }
  const balances = [...books.accounts()].map(([account, minor]) => `${account} ${minor}`).toSorted();
  return { misses, ...counts, balances };

  async function importWallets(day: string, happenings: readonly Happening[]): Promise<void> {
    for (const wallet of monthWallets) {
      const lines = walletLines(wallet, happenings);
      for (const currency of monthCurrencies) {
        // What it owed when the day began, less what it gave back since.
        const owed = books.balanceOf(`wallet receivable ${wallet}`, currency);
        const today = lines.filter((line) => line.currency === currency && line.kind === "payment");
        const minor = owed - today.reduce((sum, line) => sum + line.minor, 0n);
        if (minor <= 0n) continue;
        const reference = `${wallet}-${currency}-${day}`;
        const at = new Date(startOfBookDay(day).getTime() + 86_399_000);
        lines.push({
          kind: "payout",
          reference: "",
          operationReference: reference,
          paymentId: "",
          currency,
          minor,
          at,
        });
        bank.payIn(currency, { minor, endToEndId: undefined, reference });
        books.move("clearing", `wallet receivable ${wallet}`, currency, minor);
      }
      for (const { kind, currency, minor } of lines)
        if (kind === "fee")
          books.move(`wallet fee ${wallet}`, `wallet receivable ${wallet}`, currency, minor);
      const file = join(world.folder, `${wallet}-${day}.csv`);
      writeFileSync(file, walletFile(lines));
      await world.operate("settlement", "import", "--connector", wallet, "--file", file);
    }
  }

  function walletLines(wallet: string, happenings: readonly Happening[]): WalletLine[] {
    return happenings.flatMap((happening): WalletLine[] => {
      const payment = "payment" in happening ? happening.payment : happening;
      if (payment.wallet !== wallet) return [];
      const line = {
        ...clerk.namesOf(happening),
        currency: payment.currency,
        minor: happening.minor,
        at: happening.at,
      };
      const fee = walletRate(payment.minor);
      switch (happening.kind) {
        case "payment":
        case "late success":
          return [
            { ...line, kind: "payment" },
            ...(fee > 0n
              ? [{ ...line, kind: "fee" as const, operationReference: `fee-${line.paymentId}`, minor: fee }]
              : []),
          ];
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

  /** What the bank booked since yesterday's statement, and what came back with it. */
  async function importStatements(day: string): Promise<void> {
    const { statements, moved, returned } = bank.endDay(day);
    const file = join(world.folder, `statements-${day}.xml`);
    writeFileSync(file, statements);
    await world.operate("bank", "import", file, "--bank", monthBank);
    for (const [currency, minor] of moved) books.move(`bank ${monthBank}`, "clearing", currency, minor);
    if (returned.length === 0) return;
    await world.operate("payout", "import", file);
    for (const payout of returned) {
      const { clientId, settlement } = whoseIs(payout);
      books.move("clearing", `merchant payable ${clientId}`, payout.currency, payout.minor);
      giveBack(settlement, payout);
      counts.returnedCount += 1;
    }
  }

  async function closeAndPay(day: string): Promise<void> {
    await world.operate("settlement", "close", "--day", day);
    for (const { clientId, currencies } of plan.merchants)
      for (const currency of currencies)
        for (const letGo of settlementOf(clientId, currency).close(day))
          books.move(`merchant reserve ${clientId}`, `merchant payable ${clientId}`, currency, letGo);
    const due = expectedPayouts(day);
    await world.operate(
      "payout",
      "run",
      "--bank",
      monthBank,
      "--folder",
      join(world.folder, "payouts"),
      "--day",
      day,
    );
    const paid: string[] = [];
    for (const name of readdirSync(join(world.folder, "payouts"))) {
      const file = join(world.folder, "payouts", name);
      const { answer, taken } = bank.take(readFileSync(file, "utf8"));
      rmSync(file);
      writeFileSync(join(world.folder, `answer-${name}`), answer);
      await world.operate("payout", "import", join(world.folder, `answer-${name}`));
      for (const payout of taken) paid.push(settle(payout));
    }
    const missing = without(due, paid).map((each) => `${day}: ${each} was due, and was not paid`);
    const extra = without(paid, due).map((each) => `${day}: ${each} was paid, and was not due`);
    misses.push(...missing, ...extra);
  }

  /** By the contract: the oldest first, for as long as what is owed covers it. */
  function expectedPayouts(day: string): readonly string[] {
    return plan.merchants.flatMap(({ clientId, currencies }) =>
      currencies.flatMap((currency) => {
        const owedAtFirst = -books.balanceOf(`merchant payable ${clientId}`, currency);
        let owed = owedAtFirst;
        return settlementOf(clientId, currency)
          .due(day)
          .filter((batch) => {
            if (batch.net > owedAtFirst || batch.net > owed) return false;
            owed -= batch.net;
            batch.isTaken = true;
            return true;
          })
          .map(({ net }) => `${clientId} ${currency} ${net}`);
      }),
    );
  }

  /** Gives whose it was, for the comparison. */
  function settle(payout: TakenPayout): string {
    const { clientId, settlement } = whoseIs(payout);
    const { currency, minor } = payout;
    const [owed, transit] = [`merchant payable ${clientId}`, `payout in transit ${clientId}`];
    books.move(owed, transit, currency, minor);
    if (payout.isRefused) books.move(transit, owed, currency, minor);
    else books.move(transit, "clearing", currency, minor);
    if (payout.isRefused) giveBack(settlement, payout);
    counts.payoutCount += 1;
    if (payout.isRefused) counts.refusedCount += 1;
    return `${clientId} ${currency} ${minor}`;
  }

  function giveBack(settlement: ExpectedSettlement, { minor }: TakenPayout): void {
    const batch = settlement.taken().find(({ net }) => net === minor);
    if (batch) batch.isTaken = false;
    else misses.push(`a payout of ${minor} is of no batch`);
  }

  function whoseIs({ iban, currency }: TakenPayout): { clientId: string; settlement: ExpectedSettlement } {
    const index = plan.merchants.findIndex((_, nth) => merchantIban(nth, currency) === iban);
    const clientId = plan.merchants[index]?.clientId;
    if (clientId === undefined) throw new Error(`A payout went to ${iban}, which is nobody's.`);
    return { clientId, settlement: settlementOf(clientId, currency) };
  }

  function settlementOf(clientId: string, currency: string): ExpectedSettlement {
    const found = settlements.get(`${clientId} ${currency}`);
    if (!found) throw new Error(`${clientId} takes no ${currency}.`);
    return found;
  }

  /** Every account, to the smallest unit; and what `match` finds, which is nothing. */
  async function compare(day: string): Promise<void> {
    const found = await world.balances();
    for (const account of new Set([...found.keys(), ...books.accounts().keys()])) {
      const [is, should] = [found.get(account) ?? 0n, books.accounts().get(account) ?? 0n];
      counts.comparisons += 1;
      if (is !== should) misses.push(`${day}: ${account} is ${is}, and should be ${should}`);
    }
    const { breaks } = await world.operate<{ readonly breaks: readonly Readonly<Record<string, unknown>>[] }>(
      "match",
      "--day",
      day,
    );
    for (const each of breaks.slice(0, 5)) misses.push(`${day}: match found ${JSON.stringify(each)}`);
  }
}

function without(some: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return some.filter((each) => {
    const at = left.indexOf(each);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** Tells the contract's side what moved. */
function note(
  books: ExpectedBooks,
  settlements: ReadonlyMap<string, ExpectedSettlement>,
  happening: Happening,
  { plan, changesAt, day }: { readonly plan: MonthPlan; readonly changesAt: Date; readonly day: string },
): void {
  const payment = "payment" in happening ? happening.payment : happening;
  const clientId = plan.merchants[payment.merchant]?.clientId ?? "";
  const account = `merchant payable ${clientId}`;
  const before = books.balanceOf(account, payment.currency);
  expect(books, happening, plan.merchants, changesAt);
  const owedMore = before - books.balanceOf(account, payment.currency);
  const settlement = settlements.get(`${clientId} ${payment.currency}`);
  if (happening.kind !== "payment") settlement?.moved(day, owedMore, 0n);
  else settlement?.moved(day, owedMore, payment.minor);
}
