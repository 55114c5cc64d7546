import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { asSuperuser } from "../start/test-database.ts";
import { notificationKinds } from "../../src/notifications/notification.ts";
import { newMerchant, type TestMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { startTestShop } from "../start/test-shop.ts";
import { startTestStack } from "../start/test-stack.ts";
import { feeBasisPoints } from "./book.ts";
import { disputePlots } from "./dispute-plots.ts";
import { lifeDays, live, newLife, type Life, type Plot } from "./merchant-year.ts";
import { openShop, paymentPlots } from "./payment-plots.ts";
import { tokenPlots } from "./token-plots.ts";
import { newRandom } from "./random.ts";

/**
 * Four hundred days of a merchant under its own clock, in minutes of ours: stories of payments, captures, refunds,
 * disputes and tokens, drawn from a seed. Two merchants live the same life at once, and the books of both agree with
 * each other, with the ledger and with the wallet.
 */
const { TOLLGATE_LIFE_SEED: seed = "400", TOLLGATE_LIFE_REPEATS: repeats = "1" } = process.env;

/** The checksum for seed 400: the same on every machine, until the stories change. */
const knownDigest = "ab0d25aff5726946";

/** Which of the wallet's effects bring money from a buyer, and which take it back. */
const signs: Readonly<Record<string, bigint>> = {
  paid: 1n,
  captured: 1n,
  refunded: -1n,
};

const stack = await startTestStack();
const { database, wallet } = stack;
const { url } = await stack.serve({ isPublic: true });
await stack.work();

const plots: readonly (readonly [string, Plot])[] = [
  ...Object.entries(paymentPlots),
  ...Object.entries(disputePlots),
  ...Object.entries(tokenPlots),
].flatMap((entry) => Array.from({ length: Number(repeats) }, () => entry));

async function newTwin(name: string): Promise<Life> {
  const merchant = await newMerchant(database, name);
  const shop = await startTestShop();
  await asSuperuser(
    "update clients set fee_basis_points = $1, rate_per_second = 100000, rate_burst = 100000 where client_id = $2",
    [feeBasisPoints, merchant.clientId],
    database.superuserUrl,
  );
  // Every process hears of a changed contract within a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const life = newLife({ url, merchant, wallet, shop });
  const notifyUrls = notificationKinds.map((notificationKind) => ({ notificationKind, url: shop.notifyUrl }));
  assert.equal(await life.codeOf("tollgate/changeEndpoints", { notifyUrls }), "SUCCESS");
  return life;
}

const twins = await Promise.all([newTwin("Castor Coffee"), newTwin("Pollux Coffee")]);

test(`two merchants live through the same ${lifeDays} days, drawn from seed ${seed}`, async (t) => {
  const startedMs = performance.now();
  await Promise.all(
    twins.map(async (life) => {
      await openShop(life);
      await live(life, plots, newRandom(seed));
    }),
  );
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  const [one, other] = twins.map(({ book }) => book.lines());
  assert.deepEqual(one, other);
  const digest = createHash("sha256")
    .update((one ?? []).join("\n"))
    .digest("hex")
    .slice(0, 16);
  t.diagnostic(`${plots.length} stories of ${one?.length} lines in ${seconds} s; digest ${digest}`);
  if (seed === "400" && repeats === "1") assert.equal(digest, knownDigest);
});

test("every balance is what the merchant's own books say, and nothing is left frozen or in suspense", async () => {
  for (const { merchant, book } of twins) {
    const accounts = await balancesOf(merchant);
    const owed = Object.entries(book.owed()).map(
      ([currency, minor]) => [`payable ${currency}`, -minor] as const,
    );
    const atWallet = Object.entries(book.atWallet()).map(([currency, minor]) => [
      `receivable ${currency}`,
      minor,
    ]);
    const ours = Object.keys(book.owed()).map((currency) => [
      `fees ${currency}`,
      (book.owed()[currency] ?? 0n) - (book.atWallet()[currency] ?? 0n),
    ]);
    assert.deepEqual(
      accounts,
      Object.fromEntries([...owed, ...atWallet, ...ours].filter(([, minor]) => minor !== 0n)),
    );
  }
});

test("the ledger of each currency sums to zero, and the sums that are kept are those of its rows", async () => {
  const kept = (): Promise<readonly object[]> =>
    query(`
    select account from (
      select client_id, account, currency, sum(amount_minor) as minor from (
        select client_id, debit_account as account, currency, amount_minor from ledger_transfers
        union all
        select client_id, credit_account, currency, -amount_minor from ledger_transfers
        union all
        select client_id, account, currency, -amount_minor from balances
      ) as lines group by client_id, account, currency
    ) as sums where minor <> 0`);
  // What was written last is added to the sums within a second.
  await eventually(10_000, kept, (differing) => differing.length === 0);
});

test("the wallet has moved exactly what the merchants' books say", () => {
  const moved = new Map<string, bigint>();
  for (const effect of wallet.effects()) {
    const { kind, paidAmount, amount, takenAmount } = effect as unknown as WalletLine;
    add(moved, paidAmount ?? amount, signs[kind] ?? 0n);
    // Whatever a dispute takes from the merchant goes to the buyer.
    add(moved, takenAmount, -1n);
  }
  const expected = new Map<string, bigint>();
  for (const { book } of twins)
    for (const [currency, minor] of Object.entries(book.atWallet()))
      expected.set(currency, (expected.get(currency) ?? 0n) + minor);
  assert.deepEqual(moved, expected);
});

test("nothing is left open that time alone would have closed", async () => {
  for (const life of twins)
    await eventually(
      20_000,
      async () => (await life.ask("tollgate/inquiryOpenRecords", {})).json["records"] as readonly object[],
      (records) => records.length === 0,
    );
});

interface WalletMoney {
  readonly currency: string;
  readonly value: string;
}

interface WalletLine {
  readonly kind: string;
  readonly amount?: WalletMoney;
  readonly paidAmount?: WalletMoney;
  readonly takenAmount?: WalletMoney;
}

function add(sums: Map<string, bigint>, amount: WalletMoney | undefined, sign: bigint): void {
  if (!amount || sign === 0n) return;
  sums.set(amount.currency, (sums.get(amount.currency) ?? 0n) + sign * BigInt(amount.value));
}

/** Debits less credits of the merchant's accounts, those at nothing left out. */
async function balancesOf({ clientId }: TestMerchant): Promise<Readonly<Record<string, bigint>>> {
  const rows = await query<{ account: string; currency: string; minor: string }>(
    `select account, currency, sum(minor)::text as minor from (
       select debit_account as account, currency, amount_minor as minor from ledger_transfers where client_id = $1
       union all
       select credit_account, currency, -amount_minor from ledger_transfers where client_id = $1
     ) as lines group by account, currency having sum(minor) <> 0`,
    [clientId],
  );
  const shortOf = (account: string): string =>
    account
      .replace(/^merchant (\w+) .*$/, "$1")
      .replace(/^wallet receivable .*$/, "receivable")
      .replace("fee revenue", "fees");
  return Object.fromEntries(
    rows.map(({ account, currency, minor }) => [`${shortOf(account)} ${currency}`, BigInt(minor)]),
  );
}

function query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
  return asSuperuser<Row>(text, values, database.superuserUrl);
}
