import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { after, test } from "node:test";
import { bucketOf } from "../core/bucket.ts";
import { newId } from "../core/id.ts";
import type { LeasedJob } from "../contract/job.ts";
import { updateOrdersAccepted } from "../payments/next-actions/accepted-order.sql.ts";
import { noAction } from "../payments/next-actions/next-action-columns.ts";
import { insertPayments } from "../payments/payment.sql.ts";
import type { Payment } from "../payments/payment.ts";
import { examplePayment } from "../../test/examples/example-payment.ts";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";
import { openDatabase, type Database } from "./database.ts";
import { sortForLocking } from "./lock-order.ts";
import { sql, type Tx } from "./sql.ts";

const { appUrl, superuserUrl } = await newTestDatabase("sandbox");
const clientIds = ["SANDBOX_COFFEE", "SANDBOX_FLOWERS"] as const;

// Each row takes so long that two concurrent batches overlap, and would deadlock in different lock orders.
await asSuperuser(
  `create table tables (number integer primary key, guest text);
   insert into tables values (1), (2);
   grant select, update on tables to tollgate_app;
   create function takes_a_while() returns trigger language plpgsql as 'begin perform pg_sleep(0.03); return new; end';
   create trigger takes_a_while before insert or update on payments for each row execute function takes_a_while();
   create trigger takes_a_while before insert or update on tables for each row execute function takes_a_while();`,
  [],
  superuserUrl,
);
await asSuperuser(
  `alter database ${new URL(superuserUrl).pathname.slice(1)} set deadlock_timeout = '50ms'`,
  [],
  superuserUrl,
);

/** Two pools, like two processes. */
const processes = [open(), open()] as const;

function open(): Database {
  const options = { url: appUrl, applicationName: "lock-order", connectionsMax: 2 };
  const database = openDatabase({ ...options, onFault: () => undefined });
  after(() => database.close());
  return database;
}

/** Runs the works in both processes concurrently. Returns the number of attempts, including deadlock retries. */
async function runConcurrently(works: readonly ((tx: Tx) => Promise<unknown>)[]): Promise<number> {
  let startedCount = 0;
  const all = works.map(async (work, index) => {
    const done = await processes[index]?.transaction(clientIds, (tx) => {
      startedCount += 1;
      return work(tx);
    });
    assert.equal(done?.outcome, "committed");
  });
  await Promise.all(all);
  return startedCount;
}

function payment(clientId: string, paymentRequestId: string): Payment {
  const bucket = bucketOf(clientId);
  const paymentId = newId("payment", bucket, new Date(), (below) => randomInt(below));
  return examplePayment({ bucket, clientId, paymentId, paymentRequestId });
}

const reverseOrder = <Item>(items: readonly Item[]): readonly Item[] => items.toReversed();
const numbers = ["1001", "1002", "1003"];

test("two processes that write the same order ids of two merchants do not deadlock", async () => {
  const orders = (): readonly Payment[] =>
    numbers.flatMap((id) => clientIds.map((each) => payment(each, id)));
  const [rows, sameRows] = [orders(), reverseOrder(orders())];
  const begun = await runConcurrently([
    (tx) => insertPayments(tx, rows, "drive-payment"),
    (tx) => insertPayments(tx, sameRows, "drive-payment"),
  ]);
  assert.equal(begun, 2);
});

test("two processes that record the same orders at their providers do not deadlock", async () => {
  const payments = numbers.map((id) => payment(clientIds[0], `stands-${id}`));
  // The test inserts enough other rows that PostgreSQL finds each row by its key.
  const otherPayments = Array.from({ length: 3_000 }, (_, index) => payment(clientIds[1], `other-${index}`));
  await asSuperuser("alter table payments disable trigger takes_a_while", [], superuserUrl);
  await runConcurrently([(tx) => insertPayments(tx, [...payments, ...otherPayments], "drive-payment")]);
  await asSuperuser("alter table payments enable trigger takes_a_while", [], superuserUrl);
  await asSuperuser("analyze payments, jobs", [], superuserUrl);
  const accepted = payments.map((each) => {
    const { bucket, clientId, paymentId: subjectId } = each;
    const leased: LeasedJob = {
      bucket,
      clientId,
      subjectId,
      job: "drive-payment",
      epoch: 1,
      attempts: 0,
      aheadMs: 0,
    };
    return { payment: each, leased, action: noAction, at: new Date(), pollAt: new Date() };
  });
  const begun = await runConcurrently([
    (tx) => updateOrdersAccepted(tx, accepted),
    (tx) => updateOrdersAccepted(tx, reverseOrder(accepted)),
  ]);
  assert.equal(begun, 2);
});

test("a deadlock succeeds at the second attempt", async () => {
  const seat = async (tx: Tx, guest: string, tables: readonly number[]): Promise<void> => {
    for (const number of tables)
      await tx.query(sql`update tables set guest = ${guest} where number = ${number}`);
  };
  const begun = await runConcurrently([(tx) => seat(tx, "Ada", [1, 2]), (tx) => seat(tx, "Bo", [2, 1])]);
  assert.ok(begun > 2, "They did not meet.");
  const guests = await asSuperuser<{ guest: string }>("select distinct guest from tables", [], superuserUrl);
  assert.equal(guests.length, 1);
});

test("rows are sorted by their keys, part by part", () => {
  const keys = [
    [2, "a"],
    [10, "a"],
    [2, "B"],
    [2, "a"],
  ] as const;
  assert.deepEqual(
    sortForLocking(keys, (key) => key),
    [
      [2, "B"],
      [2, "a"],
      [2, "a"],
      [10, "a"],
    ],
  );
});
