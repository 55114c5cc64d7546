import assert from "node:assert/strict";
import { after, test } from "node:test";
import { insertLeasedJob } from "../jobs/job.sql.ts";
import type { LeasedJob } from "../contract/job.ts";
import { openDatabase } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";
import { updateOrdersAccepted } from "./next-actions/accepted-order.sql.ts";
import { insertPayments } from "./payment.sql.ts";
import { examplePayment } from "../../test/examples/example-payment.ts";

const { appUrl, superuserUrl } = await newTestDatabase("sandbox");
const database = openDatabase({
  url: appUrl,
  applicationName: "accepted-together",
  connectionsMax: 1,
  onFault: () => undefined,
});
after(() => database.close());

const payment = examplePayment();
const { bucket, clientId, paymentId: subjectId } = payment;
const key = { bucket, clientId, subjectId, job: "drive-payment" } as const;
const first: LeasedJob = { ...key, epoch: 1, attempts: 0, aheadMs: 0 };
const at = new Date("2026-11-15T10:00:00Z");
const pollAt = new Date("2026-11-15T10:00:30Z");

async function inTransaction<Value>(work: (tx: Tx) => Promise<Value>): Promise<Value> {
  const done = await database.transaction([clientId], work);
  assert(done.outcome === "committed");
  return done.value;
}

const action = { nextAction: { type: "REDIRECT", url: "u" }, actionSequence: 1 } as const;
const accept = (leased: LeasedJob): Promise<readonly boolean[]> =>
  inTransaction((tx) => updateOrdersAccepted(tx, [{ payment, leased, action, at, pollAt }]));

/** Returns whether the order counts as accepted, the job's epoch, and whether its next poll is planned. */
async function written(): Promise<object | undefined> {
  const [row] = await asSuperuser<object>(
    `select provider_accepted_at is not null as accepted, epoch, due_at = $1 as planned
     from payments join jobs on jobs.subject_id = payment_id`,
    [pollAt],
    superuserUrl,
  );
  return row;
}

test("an accepted order whose job lease was lost is left out of the batched write", async () => {
  await inTransaction((tx) => insertPayments(tx, [payment], "drive-payment"));
  const second = await inTransaction((tx) => insertLeasedJob(tx, key));
  assert.deepEqual(await accept(first), [false]);
  assert.deepEqual(await written(), { accepted: false, epoch: 2, planned: false });
  assert.deepEqual(await accept(second), [true]);
  assert.deepEqual(await written(), { accepted: true, epoch: 2, planned: true });
});
