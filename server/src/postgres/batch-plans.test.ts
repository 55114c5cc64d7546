import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Client } from "pg";
import { dropChecks, insertGeneratedRow } from "../../test/examples/generated-row.ts";
import { examplePayment } from "../../test/examples/example-payment.ts";
import { newTestDatabase } from "../../test/start/test-database.ts";
import { updateDelivered, type AcknowledgedDelivery } from "../notifications/notification.sql.ts";
import { updatePaymentsPaid, type PaidPayment } from "../payments/paid-payment.sql.ts";
import { updateOrdersAccepted, type AcceptedOrder } from "../payments/next-actions/accepted-order.sql.ts";
import { findPaymentsBatch } from "../payments/payment.sql.ts";
import { requireCommitted, openDatabase } from "./database.ts";
import type { Statement, Tx } from "./sql.ts";

/**
 * These tests check that batched reads and writes find their rows by key. The number of jobs varies, and a cached plan
 * stays: a full-scan plan made while there were few jobs once read the whole queue for each batch.
 */
const { appUrl, superuserUrl } = await newTestDatabase("sandbox");
const database = openDatabase({
  url: appUrl,
  applicationName: "batch-plans",
  connectionsMax: 1,
  onFault: () => undefined,
});
after(() => database.close());
const superuser = new Client({ connectionString: superuserUrl });
superuser.on("error", () => undefined);
await superuser.connect();
after(() => superuser.end());
await dropChecks(superuser);

interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly Plan[];
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** Plans the statements of `write`, without running them. */
async function plansOf(write: (tx: Tx) => Promise<unknown>, name: string): Promise<readonly Plan[]> {
  const plans: Plan[] = [];
  const done = database.transaction(["SANDBOX_COFFEE"], async (tx) => {
    await write({
      async query<Row extends object>(statement: Statement): Promise<Row[]> {
        const explained = { ...statement, name, text: `explain (format json) ${statement.text}` };
        const rows = await tx.query<{ "QUERY PLAN": readonly { readonly Plan: Plan }[] }>(explained);
        plans.push(...rows.flatMap((row) => row["QUERY PLAN"].map(({ Plan: plan }) => plan)));
        return [];
      },
      write: () => assert.fail("Each is one statement."),
    });
  });
  requireCommitted(await done);
  return plans.flatMap(nodesOf);
}

const payment = examplePayment();
const at = new Date("2026-11-15T10:00:00Z");
const { bucket, clientId, paymentId } = payment;
const job = {
  bucket,
  clientId,
  subjectId: paymentId,
  job: "drive-payment",
  epoch: 1,
  attempts: 0,
  aheadMs: 0,
} as const;
const action = { nextAction: { type: "REDIRECT", url: "u" }, actionSequence: 1 } as const;
const accepted: AcceptedOrder = { payment, leased: job, action, at, pollAt: at };
const notification = {
  bucket,
  clientId,
  notificationId: "n",
  sequence: 1,
  url: "u",
  body: Buffer.from("{}"),
};
const event = { bucket, clientId, paymentId, connector: "w", eventId: "e" };
const paid = {
  event,
  notification,
  paidAmount: { currency: "EUR", minor: 1n },
  paidAt: at,
  at,
  aheadMs: 0,
  queue: "l",
  mayLease: true,
  effect: { name: "x", transfers: [] },
};
const attempt = { at, keyVersion: 1, httpStatus: 200, answer: "", timings: {} };

const batches: Readonly<Record<string, (tx: Tx) => Promise<unknown>>> = {
  accepted: (tx) => updateOrdersAccepted(tx, [accepted]),
  paid: (tx) => updatePaymentsPaid(tx, [paid as unknown as PaidPayment]),
  asked: (tx) => findPaymentsBatch(tx, [{ bucket, clientId, paymentId }]),
  delivered: (tx) =>
    updateDelivered(tx, [{ notification, attempt, epoch: 1, at } as unknown as AcknowledgedDelivery]),
};

const rowKey = (row: number): object => ({ bucket: row % 1024, client_id: `SANDBOX_${row % 50}` });
for (let row = 0; row < 100; row += 1) {
  await insertGeneratedRow(superuser, "payments", {
    ...rowKey(row),
    payment_id: `p${row}`,
    status: "PROCESSING",
  });
  await insertGeneratedRow(superuser, "notifications", { ...rowKey(row), notification_id: `n${row}` });
}

let jobs = 0;

for (const count of [0, 40, 400])
  test(`with ${count} jobs no batch scans a whole index`, async () => {
    for (; jobs < count; jobs += 1)
      await insertGeneratedRow(superuser, "jobs", {
        ...rowKey(jobs),
        subject_id: `p${jobs}`,
        job: "drive-payment",
      });
    await superuser.query("analyze jobs, payments, notifications");
    for (const [name, write] of Object.entries(batches)) {
      const nodes = await plansOf(write, `${name} ${count}`);
      const read = nodes.filter(({ "Node Type": type }) => /^(?:Seq|Index|Bitmap)/.test(type));
      assert.ok(read.length > 0, name);
      for (const { "Index Cond": condition = "none", "Relation Name": table } of read)
        assert.match(condition, /\(bucket = /, `${name}, ${table}`);
    }
  });
