import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Client } from "pg";
import { examplePayment } from "../../test/examples/example-payment.ts";
import { globalSetup, globalTeardown } from "../../test/start/global-setup.ts";
import { connectAs, transactionOn } from "../../test/start/test-connection.ts";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";
import { rebuildAllSearch } from "../operators/payments/rebuild-search.ts";
import { bucketOf } from "../core/bucket.ts";
import { insertPayments, updatePaymentStatus } from "../payments/payment.sql.ts";
import type { Payment } from "../payments/payment.ts";
import { fillSearch } from "./search.sql.ts";

// The tests use a separate PostgreSQL server, because a fill depends on the open transactions of the whole server.
await globalSetup();
const { appUrl, workUrl, ownerUrl, superuserUrl } = await newTestDatabase("sandbox");
after(globalTeardown);
const clientId = "SANDBOX_COFFEE";
const bucket = bucketOf(clientId);
const [writer, slowWriter, filler, otherFiller] = [
  await connectAs(clientId, appUrl),
  await connectAs(clientId, appUrl),
  // A connection without a merchant's scope, like the worker's.
  await connectAs(undefined, workUrl),
  await connectAs(undefined, workUrl),
];

let paymentCount = 0;

function newPayment(over: Partial<Payment> = {}): Payment {
  paymentCount += 1;
  const paymentId = `20261115093000123${String(bucket).padStart(4, "0")}01${String(paymentCount).padStart(12, "0")}`;
  const order = {
    connector: "provider",
    reference: `reference-${paymentCount}`,
    account: undefined,
    registrationId: undefined,
    nextAction: undefined,
    actionSequence: 0,
  };
  return examplePayment({
    bucket,
    clientId,
    paymentId,
    paymentRequestId: `request-${paymentCount}`,
    status: "PROCESSING",
    resultCode: "PAYMENT_IN_PROCESS",
    createdAt: new Date("2026-11-15T09:30:00.123Z"),
    order: { ...order, acceptedAt: undefined },
    sequence: 1,
    ...over,
  });
}

/** Inserts a payment in the same way as `pay`. */
async function pay(client: Client, payment = newPayment()): Promise<Payment> {
  await insertPayments(transactionOn(client), [payment], "drive-payment");
  return payment;
}

/** Fails a payment as a provider's report does: the status is final, and the job is deleted. */
async function fail(client: Client, payment: Payment): Promise<void> {
  const tx = transactionOn(client);
  const change = { status: "FAIL", resultCode: "USER_BALANCE_NOT_ENOUGH" } as const;
  updatePaymentStatus(tx, payment, change, new Date("2026-11-15T09:30:07.123Z"));
  await Promise.all(tx.written);
  await client.query("delete from jobs where subject_id = $1", [payment.paymentId]);
}

const fill = (limit = 100): Promise<number | undefined> => fillSearch(transactionOn(filler), limit);

async function statusOf({ paymentId }: Payment): Promise<string | undefined> {
  const [row] = await asSuperuser<{ status: string }>(
    "select status from search_payments where payment_id = $1",
    [paymentId],
    superuserUrl,
  );
  return row?.status;
}

/** Compares both tables with the payments, by a statement that is independent of the filling function. */
async function assertWhole(): Promise<void> {
  const rows = (text: string): Promise<readonly object[]> => asSuperuser(text, [], superuserUrl);
  assert.deepEqual(
    await rows("select payment_id, status, result_code from search_payments order by payment_id"),
    await rows("select payment_id, status, result_code from payments order by payment_id"),
  );
  assert.deepEqual(
    await rows(
      `select span, status, result_code, sum(payment_count)::int as count, sum(amount_minor)::text as amount,
         sum(final_count)::int as final
       from payment_counts group by 1, 2, 3 having sum(payment_count) > 0 order by 1, 2, 3`,
    ),
    await rows(
      `select span, status, result_code, count(*)::int as count, coalesce(sum(amount_minor), 0)::text as amount,
         (count(*) filter (where status <> 'PROCESSING'))::int as final
       from payments, (values ('hour'), ('day')) as spans (span) group by 1, 2, 3 order by 1, 2, 3`,
    ),
  );
}

test("a payment is found after the next fill, and its changes after the fill after that", async () => {
  const payment = await pay(writer);
  assert.equal(await statusOf(payment), undefined);
  await fill();
  assert.equal(await statusOf(payment), "PROCESSING");
  await fail(writer, payment);
  await fill();
  assert.equal(await statusOf(payment), "FAIL");
  assert.equal(await fill(), 0);
  await assertWhole();
});

test("a payment whose transaction stays open across fills, while others commit, is found after its commit", async () => {
  await slowWriter.query("begin");
  const heldPayment = await pay(slowWriter);
  for (let other = 0; other < 20; other += 1) {
    const payment = await pay(writer);
    if (other % 2 === 0) await fail(writer, payment);
    await fill();
    assert.notEqual(await statusOf(payment), undefined);
  }
  assert.equal(await statusOf(heldPayment), undefined);
  await slowWriter.query("commit");
  await fill();
  assert.equal(await statusOf(heldPayment), "PROCESSING");

  // The search must also find a change, and a payment that was created and completed between two fills.
  await slowWriter.query("begin");
  await fail(slowWriter, heldPayment);
  const short = await pay(slowWriter);
  await fail(slowWriter, short);
  await fill();
  await pay(writer);
  await fill();
  assert.equal(await statusOf(heldPayment), "PROCESSING");
  await slowWriter.query("commit");
  await fill();
  assert.deepEqual([await statusOf(heldPayment), await statusOf(short)], ["FAIL", "FAIL"]);
  await assertWhole();
});

test("a payment that is rolled back is not found", async () => {
  await writer.query("begin");
  const undone = await pay(writer);
  await fill();
  await writer.query("rollback");
  await fill();
  assert.equal(await statusOf(undone), undefined);
});

test("a tombstone, which has no job, is found as well", async () => {
  const tombstone = newPayment({
    status: "CANCELLED",
    resultCode: "ORDER_IS_CANCELED",
    amount: undefined,
    order: undefined,
    fingerprint: undefined,
  });
  await insertPayments(transactionOn(writer), [tombstone], undefined);
  await fill();
  assert.equal(await statusOf(tombstone), "CANCELLED");
});

test("an aborted fill leaves its work to the next one, and only one fill runs at a time", async () => {
  const payment = await pay(writer);
  await filler.query("begin");
  await fill();
  assert.equal(await fillSearch(transactionOn(otherFiller), 100), undefined);
  await filler.query("rollback");
  assert.equal(await statusOf(payment), undefined);
  await fillSearch(transactionOn(otherFiller), 100);
  assert.equal(await statusOf(payment), "PROCESSING");
});

test("a backlog is filled in several batches, and the tables count as current only after the last", async () => {
  const payments: Payment[] = [];
  for (let count = 0; count < 7; count += 1) payments.push(await pay(writer));
  const asOf = (): Promise<readonly object[]> =>
    asSuperuser("select as_of from search_position", [], superuserUrl);
  const before = await asOf();
  assert.equal(await fill(5), 5);
  assert.deepEqual(await asOf(), before);
  assert.equal(await fill(5), 2);
  assert.notDeepEqual(await asOf(), before);
  for (const payment of payments) assert.equal(await statusOf(payment), "PROCESSING");
});

test("after a restore with a position of another server, no payment is missed", async () => {
  for (const mark of ["9000000000000", "3"]) {
    const payment = await pay(writer);
    await asSuperuser(`update search_position set position = '${mark}'`, [], superuserUrl);
    await fill();
    assert.equal(await statusOf(payment), "PROCESSING", mark);
  }
});

test("a rebuild replaces any content of the tables, and misses no concurrent commit", async () => {
  await asSuperuser(
    `update search_payments set status = 'FAIL' where payment_request_id = 'request-1';
     delete from search_payments where payment_request_id = 'request-2';
     update payment_counts set payment_count = payment_count + 7`,
    [],
    superuserUrl,
  );
  await slowWriter.query("begin");
  const heldPayment = await pay(slowWriter);
  await rebuildAllSearch({ url: ownerUrl, environment: "sandbox", by: { name: "ada", reason: "test" } });
  await slowWriter.query("commit");
  await fill();
  assert.equal(await statusOf(heldPayment), "PROCESSING");
  await assertWhole();
});

test("the role of `serve` can neither fill nor change the tables", async () => {
  for (const statement of [
    "select fill_search(1)",
    "select rebuild_search(1::smallint, '', 1)",
    "update search_payments set status = 'SUCCESS'",
    "delete from changed_payments_queue",
    "select from changed_payments_queue",
    "update search_position set as_of = now()",
  ])
    await assert.rejects(writer.query(statement), { code: "42501" }, statement);
});

test("a fill that was planned for empty tables still uses index lookups after they have grown", async () => {
  const planner = await connectAs(undefined, workUrl);
  // The connection has the settings of the worker's connections: a plan is created only once.
  for (const planNode of ["seqscan", "bitmapscan", "hashjoin", "mergejoin"])
    await planner.query(`set enable_${planNode} = off`);
  await planner.query("set plan_cache_mode = force_generic_plan");
  await asSuperuser("truncate search_payments, payment_counts", [], superuserUrl);
  await asSuperuser("vacuum analyze search_payments", [], superuserUrl);
  for (let count = 0; count < 3; count += 1) await fillSearch(transactionOn(planner), 1);
  const scans = async (): Promise<number> => {
    await planner.query("select pg_stat_force_next_flush()");
    const [row] = await asSuperuser<{ scans: number }>(
      "select seq_scan::int as scans from pg_stat_user_tables where relname = 'search_payments'",
      [],
      superuserUrl,
    );
    return row?.scans ?? 0;
  };
  const before = await scans();
  for (let count = 0; count < 5; count += 1) await pay(writer);
  await fillSearch(transactionOn(planner), 100);
  assert.equal(await scans(), before);
  await rebuildAllSearch({ url: ownerUrl, environment: "sandbox", by: { name: "ada", reason: "test" } });
  await assertWhole();
});

test("a fill reads none of the merchant's other payments, even before the planner has statistics", async () => {
  const newcomer = await connectAs(undefined, workUrl);
  await asSuperuser("truncate search_payments, payment_counts", [], superuserUrl);
  const entriesRead = async (): Promise<number> => {
    await newcomer.query("select pg_stat_force_next_flush()");
    const [row] = await asSuperuser<{ entries: number }>(
      "select sum(idx_tup_read)::int as entries from pg_stat_user_indexes where relname = 'search_payments'",
      [],
      superuserUrl,
    );
    return row?.entries ?? 0;
  };
  for (let count = 0; count < 60; count += 1) await pay(writer);
  await fillSearch(transactionOn(newcomer), 1_000);
  const before = await entriesRead();
  const addedCount = 20;
  for (let count = 0; count < addedCount; count += 1) await pay(writer);
  await fillSearch(transactionOn(newcomer), 1_000);
  // A fill reads per payment: one lookup of the new row, one of the earlier counts, and one for a conflict.
  const read = (await entriesRead()) - before;
  assert.ok(read <= 3 * addedCount, `${read} index entries were read for ${addedCount} payments`);
  await rebuildAllSearch({ url: ownerUrl, environment: "sandbox", by: { name: "ada", reason: "test" } });
  await assertWhole();
});
