import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { asSuperuser } from "../start/test-database.ts";
import { notificationKinds } from "../../src/notifications/notification-kinds.ts";
import { newMerchant, type TestMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { startTestShop } from "../start/test-shop.ts";
import { startTestStack } from "../start/test-stack.ts";
import { feeBasisPoints } from "./merchant-accounting.ts";
import { disputeStories } from "./dispute-stories.ts";
import {
  simulationDays,
  runSimulation,
  newMerchantSimulation,
  type MerchantSimulation,
  type Story,
} from "./merchant-year.ts";
import { makeFirstPayments, paymentStories } from "./payment-stories.ts";
import { tokenStories } from "./token-stories.ts";
import { newRandom } from "./hash-random.ts";

/**
 * Four hundred days of a merchant with a test clock, within minutes: random stories of payments, captures, refunds,
 * disputes and tokens, drawn from a seed. Two merchants run the same stories concurrently. Their own accounting must
 * agree with each other, with the ledger and with the provider.
 */
const { TOLLGATE_LIFE_SEED: seed = "400", TOLLGATE_LIFE_REPEATS: repeats = "1" } = process.env;

/** The checksum of the stories for seed 400. It is the same on every machine, and changes only with the stories. */
const knownDigest = "ab0d25aff5726946";

/** The sign of each effect at the provider: 1 for money from a buyer, -1 for money back to the buyer. */
const signs: Readonly<Record<string, bigint>> = {
  paid: 1n,
  captured: 1n,
  refunded: -1n,
};

const stack = await startTestStack();
const { database, provider } = stack;
const { url } = await stack.serve({ isPublic: true });
await stack.work();

const stories: readonly (readonly [string, Story])[] = [
  ...Object.entries(paymentStories),
  ...Object.entries(disputeStories),
  ...Object.entries(tokenStories),
].flatMap((entry) => Array.from({ length: Number(repeats) }, () => entry));

async function startSimulation(name: string): Promise<MerchantSimulation> {
  const merchant = await newMerchant(database, name);
  const shop = await startTestShop();
  await asSuperuser(
    "update clients set fee_basis_points = $1, rate_per_second = 100000, rate_burst = 100000 where client_id = $2",
    [feeBasisPoints, merchant.clientId],
    database.superuserUrl,
  );
  // Every process reads a changed contract within a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const simulation = newMerchantSimulation({ url, merchant, provider, shop });
  const notifyUrls = notificationKinds.map((notificationKind) => ({ notificationKind, url: shop.notifyUrl }));
  assert.equal(await simulation.codeOf("tollgate/changeEndpoints", { notifyUrls }), "SUCCESS");
  return simulation;
}

const simulations = await Promise.all([startSimulation("Castor Coffee"), startSimulation("Pollux Coffee")]);

test(`two merchants run the same ${simulationDays} days, drawn from seed ${seed}`, async (t) => {
  const startedMs = performance.now();
  await Promise.all(
    simulations.map(async (simulation) => {
      await makeFirstPayments(simulation);
      await runSimulation(simulation, stories, newRandom(seed));
    }),
  );
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  const [firstLines, secondLines] = simulations.map(({ accounting }) => accounting.lines());
  assert.deepEqual(firstLines, secondLines);
  const digest = createHash("sha256")
    .update((firstLines ?? []).join("\n"))
    .digest("hex")
    .slice(0, 16);
  t.diagnostic(`${stories.length} stories of ${firstLines?.length} lines in ${seconds} s; digest ${digest}`);
  if (seed === "400" && repeats === "1") assert.equal(digest, knownDigest);
});

test("every balance equals the merchant's own accounting, and nothing is left frozen or in suspense", async () => {
  for (const { merchant, accounting } of simulations) {
    const accounts = await balancesOf(merchant);
    const owed = Object.entries(accounting.owedByCurrency()).map(
      ([currency, minor]) => [`payable ${currency}`, -minor] as const,
    );
    const atProvider = Object.entries(accounting.receivableByCurrency()).map(([currency, minor]) => [
      `receivable ${currency}`,
      minor,
    ]);
    const feeRevenue = Object.keys(accounting.owedByCurrency()).map((currency) => [
      `fees ${currency}`,
      (accounting.owedByCurrency()[currency] ?? 0n) - (accounting.receivableByCurrency()[currency] ?? 0n),
    ]);
    assert.deepEqual(
      accounts,
      Object.fromEntries([...owed, ...atProvider, ...feeRevenue].filter(([, minor]) => minor !== 0n)),
    );
  }
});

test("the ledger of each currency sums to zero, and the stored balances equal the sums of its rows", async () => {
  const differingBalances = (): Promise<readonly object[]> =>
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
  // The test waits, because the worker adds new ledger rows to the balances only once a second.
  await eventually(10_000, differingBalances, (differing) => differing.length === 0);
});

test("the provider has moved exactly the amounts of the merchants' accounting", () => {
  const moved = new Map<string, bigint>();
  for (const effect of provider.effects()) {
    const { kind, paidAmount, amount, takenAmount } = effect as unknown as ProviderLine;
    add(moved, paidAmount ?? amount, signs[kind] ?? 0n);
    // The amount that a dispute takes from the merchant goes to the buyer.
    add(moved, takenAmount, -1n);
  }
  const expected = new Map<string, bigint>();
  for (const { accounting } of simulations)
    for (const [currency, minor] of Object.entries(accounting.receivableByCurrency()))
      expected.set(currency, (expected.get(currency) ?? 0n) + minor);
  assert.deepEqual(moved, expected);
});

test("nothing is left open that expires by time", async () => {
  for (const simulation of simulations)
    await eventually(
      20_000,
      async () =>
        (await simulation.request("tollgate/inquiryOpenRecords", {})).json["records"] as readonly object[],
      (records) => records.length === 0,
    );
});

interface ProviderMoney {
  readonly currency: string;
  readonly value: string;
}

interface ProviderLine {
  readonly kind: string;
  readonly amount?: ProviderMoney;
  readonly paidAmount?: ProviderMoney;
  readonly takenAmount?: ProviderMoney;
}

function add(sums: Map<string, bigint>, amount: ProviderMoney | undefined, sign: bigint): void {
  if (!amount || sign === 0n) return;
  sums.set(amount.currency, (sums.get(amount.currency) ?? 0n) + sign * BigInt(amount.value));
}

/** Debits minus credits of the merchant's accounts, without zero balances. */
async function balancesOf({ clientId }: TestMerchant): Promise<Readonly<Record<string, bigint>>> {
  const rows = await query<{ account: string; currency: string; minor: string }>(
    `select account, currency, sum(minor)::text as minor from (
       select debit_account as account, currency, amount_minor as minor from ledger_transfers where client_id = $1
       union all
       select credit_account, currency, -amount_minor from ledger_transfers where client_id = $1
     ) as lines group by account, currency having sum(minor) <> 0`,
    [clientId],
  );
  const shortName = (account: string): string =>
    account
      .replace(/^merchant (\w+) .*$/, "$1")
      .replace(/^provider receivable .*$/, "receivable")
      .replace("fee revenue", "fees");
  return Object.fromEntries(
    rows.map(({ account, currency, minor }) => [`${shortName(account)} ${currency}`, BigInt(minor)]),
  );
}

function query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
  return asSuperuser<Row>(text, values, database.superuserUrl);
}
