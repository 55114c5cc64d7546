import assert from "node:assert/strict";
import { test } from "node:test";
import { findStuckRecords } from "../operators/payments/stuck-records.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { call, newMerchant, pathOf } from "../../test/start/test-gateway.ts";
import { eventually, waitForLine } from "../../test/start/test-process.ts";
import { callPayments, payRequest, startTestStack } from "../../test/start/test-stack.ts";

const stack = await startTestStack();
const { merchant, database } = stack;
const { url } = await stack.serve({ isPublic: true });
const worker = await stack.work();
const otherMerchant = await newMerchant(database);

interface ListedRecord {
  readonly kind: string;
  readonly id: string;
  readonly owner: string;
  readonly nextTime?: string;
  readonly isStuck: boolean;
}

async function openRecords(of = merchant): Promise<readonly ListedRecord[]> {
  const path = pathOf("sandbox", "tollgate/inquiryOpenRecords");
  const { json } = await call(url, of, { path, body: "{}" });
  assert.equal(json.result["resultCode"], "SUCCESS");
  return json["records"] as ListedRecord[];
}

async function createPayment(paymentRequestId: string): Promise<string> {
  const { json } = await callPayments(url, merchant, "pay", payRequest(paymentRequestId));
  return String(json["paymentId"]);
}

test("a payment that waits for its buyer is listed with its next action, to its merchant only", async () => {
  const paymentId = await createPayment("open-1");
  const records = await eventually(
    5_000,
    () => openRecords(),
    (found) => found.length === 1,
  );
  assert.deepEqual(
    records.map(({ kind, id, owner, isStuck }) => ({ kind, id, owner, isStuck })),
    [{ kind: "payment", id: paymentId, owner: "buyer", isStuck: false }],
  );
  assert.match(records[0]?.nextTime ?? "", /^\d{4}-/);
  assert.deepEqual(await openRecords(otherMerchant), []);
  assert.match(
    (await findStuckRecords(database.ownerUrl, "sandbox")).table,
    /1 open records, 0 of them stuck/,
  );
});

test("final records are not listed", async () => {
  await stack.provider.control(await createPayment("open-2"), "approve");
  await eventually(
    5_000,
    () => openRecords(),
    (found) => found.length === 1,
  );
});

test("a record without a job is stuck, and the operator sees it first", async () => {
  const paymentId = await createPayment("open-3");
  await asSuperuser("delete from jobs where subject_id = $1", [paymentId], database.superuserUrl);
  // Only a full scan finds a record without a job, so the command without `--whole` does not.
  assert.equal((await findStuckRecords(database.ownerUrl, "sandbox")).stuckCount, 0);
  const { table, stuckCount } = await findStuckRecords(database.ownerUrl, "sandbox", true);
  assert.equal(stuckCount, 1);
  const [, , action = "", row = ""] = table.split("\n");
  assert.match(action, /No action is scheduled/);
  assert.match(row, new RegExp(`^STUCK .*${paymentId}.* never `));
});

test("an overdue job is reported as stuck to its merchant as well", async () => {
  const paymentId = await createPayment("open-4");
  // No worker knows a job of this name, so none claims it.
  await asSuperuser(
    "update jobs set job = 'nobody-does-this', due_at = now() - interval '2 minutes' where subject_id = $1",
    [paymentId],
    database.superuserUrl,
  );
  const stuck = (await openRecords()).filter(({ isStuck }) => isStuck);
  assert.deepEqual(
    stuck.map(({ id }) => id),
    [paymentId],
  );
});

test("a job of a provider that does not respond is not stuck, until no worker reports the outage any more", async () => {
  const paymentId = await createPayment("open-5");
  const overdue = "due_at = now() - interval '1 hour', job = 'nobody-does-this'";
  await asSuperuser(`update jobs set ${overdue} where subject_id = $1`, [paymentId], database.superuserUrl);
  const shown = async (): Promise<string> => {
    const { records } = await findStuckRecords(database.ownerUrl, "sandbox");
    const { isStuck, action } = records.find(({ id }) => id === paymentId) ?? {};
    return `${isStuck ? "STUCK" : ""} ${action}`;
  };
  const seen = (ago: string): Promise<unknown> =>
    asSuperuser(
      `update connectors set silent_seen_at = now() - interval '${ago}'`,
      [],
      database.superuserUrl,
    );
  await seen("10 seconds");
  assert.match(await shown(), /^(?!STUCK).*\(the provider test-provider does not respond\)/);
  assert.deepEqual(
    (await openRecords()).filter(({ id, isStuck }) => id === paymentId && isStuck),
    [],
  );
  await seen("2 minutes");
  assert.match(await shown(), /^STUCK/);
});

test("a job of a removed connector is stuck, and the operator is alerted", async () => {
  const paymentId = await createPayment("open-6");
  // Once the provider has the order, no process writes to the job for half a minute, so the test can change it.
  const accepted = "subject_id = $1 and due_at > now() + interval '20 seconds'";
  const update = `update jobs set connector = 'sold', due_at = now() - interval '2 minutes' where ${accepted}`;
  await eventually(
    5_000,
    () => asSuperuser(`${update} returning 1`, [paymentId], database.superuserUrl),
    (rows) => rows.length === 1,
  );
  const { table } = await findStuckRecords(database.ownerUrl, "sandbox");
  assert.match(table, new RegExp(`\\(there is no connector sold\\)\nSTUCK .*${paymentId}`));
  await waitForLine(worker, /"alert":true,"connector":"sold".*no longer exists/);
});

test("the table fits into a terminal of 120 columns, and no sentence is repeated", async () => {
  await createPayment("open-7");
  await createPayment("open-8");
  const { table, records } = await findStuckRecords(database.ownerUrl, "sandbox");
  assert.ok(records.length >= 5);
  const lines = table.split("\n").filter(Boolean);
  for (const line of lines) assert.ok(line.length <= 120, `${line.length}: ${line}`);
  assert.equal(new Set(lines).size, lines.length);
});
