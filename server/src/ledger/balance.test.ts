import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Client } from "pg";
import { bucketOf } from "../core/bucket.ts";
import type { Statement, Tx } from "../postgres/sql.ts";
import { globalSetup, globalTeardown } from "../../test/start/global-setup.ts";
import { connectAs, transactionOn } from "../../test/start/test-connection.ts";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";
import { flatRateTerms } from "./fee.ts";
import { findBalance, rebuildBalances, rollUpBalances } from "./balance.sql.ts";
import { insertEffect } from "./transfer.sql.ts";
import { payableAccount, paymentEffect, refundEffect, type Effect } from "./transfer.ts";

// The test needs a separate PostgreSQL server, because the roll-up stops at the oldest open transaction of the whole
// server.
await globalSetup();
const { appUrl, ownerUrl, superuserUrl } = await newTestDatabase("sandbox");
after(globalTeardown);
const clientId = "SANDBOX_COFFEE";
const bucket = bucketOf(clientId);
const at = new Date("2026-11-15T10:00:00Z");
const [writer, slowWriter, roller, otherRoller, reader] = [
  await connectAs(clientId, appUrl),
  await connectAs(clientId, appUrl),
  // A connection without a merchant's scope, like the worker's.
  await connectAs(undefined, appUrl),
  await connectAs(undefined, appUrl),
  await connectAs(clientId, appUrl),
];

let subjects = 0;
async function post(client: Client, effect: Effect): Promise<void> {
  subjects += 1;
  const tx = transactionOn(client);
  insertEffect(tx, { bucket, clientId, subjectId: `subject-${subjects}` }, effect, at);
  await Promise.all(tx.written);
}

const eur = (minor: bigint): { readonly currency: string; readonly minor: bigint } => ({
  currency: "EUR",
  minor,
});
const ofMerchant = { bucket, clientId, account: payableAccount(clientId), currency: "EUR" };

/** The reference sum: both sides of all ledger rows. */
const wholeSum = `
  select account, currency, sum(minor)::text as sum from (
    select debit_account as account, currency, amount_minor as minor from ledger_transfers
    union all select credit_account, currency, -amount_minor from ledger_transfers) sides
  group by account, currency order by account, currency`;

function storedSums(): Promise<readonly object[]> {
  const stored =
    "select account, currency, amount_minor::text as sum from balances order by account, currency";
  return asSuperuser(stored, [], superuserUrl);
}

test("balances equal the complete sum while writers, a slow writer and roll-ups overlap", async () => {
  const until = performance.now() + 1_500;
  const write = async (): Promise<void> => {
    for (let minor = 1n; performance.now() < until; minor += 1n) {
      await post(writer, paymentEffect(clientId, "w", eur(1000n + minor), flatRateTerms(290)));
      await post(writer, refundEffect(clientId, "w", eur(minor)));
    }
  };
  // Long transactions commit late, so rows with higher transaction ids become visible before their rows.
  const writeSlowly = async (): Promise<void> => {
    while (performance.now() < until) {
      await slowWriter.query("begin");
      await post(slowWriter, paymentEffect(clientId, "w", eur(500n), flatRateTerms(100)));
      await new Promise((resolve) => setTimeout(resolve, 120));
      await post(slowWriter, paymentEffect(clientId, "v", eur(70n), flatRateTerms(0)));
      await slowWriter.query("commit");
    }
  };
  let rolledUp = 0n;
  const rollUp = async (client: Client): Promise<void> => {
    const added = await rollUpBalances(transactionOn(client));
    rolledUp += added;
    if (performance.now() < until) await rollUp(client);
  };
  let reads = 0;
  const readBalance = async (): Promise<void> => {
    while (performance.now() < until) {
      await reader.query("begin isolation level repeatable read");
      const balance = await findBalance(transactionOn(reader), ofMerchant);
      const { rows } = await reader.query<{ account: string; sum: string }>(wholeSum);
      await reader.query("commit");
      assert.equal(balance, BigInt(rows.find(({ account }) => account === ofMerchant.account)?.sum ?? 0));
      reads += 1;
    }
  };
  await Promise.all([write(), writeSlowly(), rollUp(roller), rollUp(otherRoller), readBalance()]);
  assert.ok(rolledUp > 0n && reads > 10, `${rolledUp} rows were rolled up under way, ${reads} looks`);

  await rollUp(roller);
  const sums = await asSuperuser<{ rows: string }>(
    "select count(*) as rows from ledger_transfers",
    [],
    superuserUrl,
  );
  assert.equal(rolledUp, BigInt(sums[0]?.rows ?? 0));
  assert.deepEqual(await storedSums(), await asSuperuser(wholeSum, [], superuserUrl));
});

test("a roll-up stops before an open transaction, and includes it after it ends", async () => {
  const before = await findBalance(transactionOn(reader), ofMerchant);
  await slowWriter.query("begin");
  await post(slowWriter, paymentEffect(clientId, "w", eur(40n), flatRateTerms(0)));
  await post(writer, paymentEffect(clientId, "w", eur(2n), flatRateTerms(0)));
  assert.equal(await rollUpBalances(transactionOn(roller)), 0n);
  assert.equal(await findBalance(transactionOn(reader), ofMerchant), before - 2n);
  await slowWriter.query("commit");
  assert.equal(await findBalance(transactionOn(reader), ofMerchant), before - 42n);
  assert.equal(await rollUpBalances(transactionOn(roller)), 2n);
  assert.equal(await rollUpBalances(transactionOn(roller)), 0n);
  assert.equal(await findBalance(transactionOn(reader), ofMerchant), before - 42n);
});

test("a roll-up during a read neither hides a row nor counts it twice", async () => {
  const before = await findBalance(transactionOn(reader), ofMerchant);
  await post(writer, paymentEffect(clientId, "w", eur(7n), flatRateTerms(0)));
  let rolledUp = 0n;
  const interrupted: Tx = {
    ...transactionOn(reader),
    async query<Row extends object>(statement: Statement) {
      const rows = await transactionOn(reader).query<Row>(statement);
      rolledUp += await rollUpBalances(transactionOn(roller));
      return rows;
    },
  };
  assert.equal(await findBalance(interrupted, ofMerchant), before - 7n);
  assert.equal(rolledUp, 1n);
});

test("a roll-up after a long pause runs in steps", async () => {
  // Every subtransaction uses a transaction id.
  await asSuperuser(
    `do $$ begin
       create temporary table numbers (n integer);
       for n in 1..60001 loop
         begin insert into numbers values (n); exception when others then raise; end;
       end loop;
     end $$`,
    [],
    superuserUrl,
  );
  await asSuperuser(
    `insert into ledger_transfers (bucket, subject_id, effect, line, client_id, debit_account, credit_account,
       currency, amount_minor, at, transaction)
     select $1, 'bulk-' || n, 'payment', 1, $2, 'a', 'b', 'EUR', 1, now(),
       (summed_up_to::text::bigint + n)::text::xid8
     from balances_position, generate_series(0, 60000) n`,
    [bucket, clientId],
    superuserUrl,
  );
  const steps: bigint[] = [];
  for (let added = -1n; added !== 0n; steps.push(added)) added = await rollUpBalances(transactionOn(roller));
  assert.deepEqual(steps, [50_001n, 10_000n, 0n]);
  assert.equal(await findBalance(transactionOn(reader), { ...ofMerchant, account: "a" }), 60_001n);

  // The roll-up never splits one transaction, however large it is.
  await asSuperuser(
    `insert into ledger_transfers (bucket, subject_id, effect, line, client_id, debit_account, credit_account,
       currency, amount_minor, at)
     select $1, 'whole-' || n, 'payment', 1, $2, 'a', 'b', 'EUR', 1, now() from generate_series(1, 50002) n`,
    [bucket, clientId],
    superuserUrl,
  );
  assert.equal(await rollUpBalances(transactionOn(roller)), 0n);
  assert.equal(await rollUpBalances(transactionOn(roller)), 50_002n);
});

/** Simulates a restored dump: all transaction ids are from a server with other ids. */
async function simulateForeignServer(aheadBy: number): Promise<void> {
  await asSuperuser(
    `update balances_position set server = server + 1, summed_up_to = (summed_up_to::text::bigint + ${aheadBy})::text::xid8`,
    [],
    superuserUrl,
  );
}

for (const aheadBy of [1_000_000, 0]) {
  test(`sums of a server that was ${aheadBy ? "ahead" : "behind"} are neither returned nor extended until they are rebuilt`, async () => {
    const before = await findBalance(transactionOn(reader), ofMerchant);
    await simulateForeignServer(aheadBy);
    await post(writer, paymentEffect(clientId, "w", eur(900n), flatRateTerms(0)));
    await assert.rejects(findBalance(transactionOn(reader), ofMerchant), /summed on another server/);
    await assert.rejects(rollUpBalances(transactionOn(roller)), { code: "55000" });

    // A transaction that starts before the rebuild and writes after it is in no sum yet.
    await slowWriter.query("begin; select pg_current_xact_id()");
    const owner = await connectAs(undefined, ownerUrl);
    await owner.query("begin");
    const { rowCount, differences } = await rebuildBalances(transactionOn(owner));
    const waiting = post(writer, paymentEffect(clientId, "w", eur(11n), flatRateTerms(0)));
    await owner.query("commit");
    await waiting;
    await post(slowWriter, paymentEffect(clientId, "w", eur(5n), flatRateTerms(0)));
    await slowWriter.query("commit");

    assert.equal(await findBalance(transactionOn(reader), ofMerchant), before - 916n);
    while ((await rollUpBalances(transactionOn(roller))) > 0n);
    assert.equal(await findBalance(transactionOn(reader), ofMerchant), before - 916n);
    assert.deepEqual(await storedSums(), await asSuperuser(wholeSum, [], superuserUrl));
    const [rows] = await asSuperuser<{ count: number }>(
      "select count(*)::int from ledger_transfers",
      [],
      superuserUrl,
    );
    assert.equal(rowCount, (rows?.count ?? 0) - 2);
    const [changed] = differences.filter(({ account }) => account === ofMerchant.account);
    assert.equal(changed && changed.sumMinor - changed.wasMinor, -900n);
  });
}

test("a rebuild reports a manipulated balance", async () => {
  await asSuperuser(
    "update balances set amount_minor = amount_minor + 7 where account = 'a'",
    [],
    superuserUrl,
  );
  const owner = await connectAs(undefined, ownerUrl);
  const { differences } = await rebuildBalances(transactionOn(owner));
  assert.deepEqual(
    differences.map(({ account, wasMinor, sumMinor }) => [account, wasMinor - sumMinor]),
    [["a", 7n]],
  );
  assert.deepEqual((await rebuildBalances(transactionOn(owner))).differences, []);
  assert.deepEqual(await storedSums(), await asSuperuser(wholeSum, [], superuserUrl));
});

test("only the owner may rebuild balances", async () => {
  await assert.rejects(rebuildBalances(transactionOn(writer)), { code: "42501" });
});

test("the owner sees ledger rows only during a roll-up", async () => {
  assert.deepEqual(await asSuperuser("select from ledger_transfers limit 1", [], superuserUrl), [{}]);
  assert.deepEqual(await asSuperuser("select from ledger_transfers limit 1", [], ownerUrl), []);
});

test("a balance is read through the index on the transaction id, and never from all rows of the merchant", async () => {
  const planner = await connectAs(clientId, appUrl);
  // The test uses the same planner settings as the gateway's connections (database.ts).
  await planner.query(
    "set enable_seqscan = off; set enable_bitmapscan = off; set plan_cache_mode = force_generic_plan",
  );
  const plans: string[] = [];
  const explaining: Tx = {
    async query<Row extends object>(statement: Statement): Promise<Row[]> {
      const text = `explain ${statement.text}`;
      const { rows } = await planner.query<{ "QUERY PLAN": string }>({ ...statement, text });
      plans.push(...rows.map((row) => row["QUERY PLAN"]));
      return [];
    },
    write: () => assert.fail("It reads."),
  };
  await findBalance(explaining, ofMerchant, "1");
  const read = plans.filter((line) => line.includes("on ledger_transfers"));
  assert.equal(read.length, 1, plans.join("\n"));
  assert.match(read[0] ?? "", /ledger_transfers_by_transaction/);
  await planner.end();
});
