import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as waitMs } from "node:timers/promises";
import { asSuperuser } from "../../test/start/test-database.ts";
import { call, newMerchant, pathOf, startTestGateway } from "../../test/start/test-gateway.ts";
import {
  acknowledge,
  insertTestNotifications,
  startDeliveryWorker,
  startTestEndpoint,
} from "../../test/shop/test-notification.ts";
import { eventually } from "../../test/start/test-process.ts";

/** Common problems of webhook senders, each as a test. */
const gateway = await startTestGateway("sandbox");
const { database, variables } = gateway;
let deliveryWorker = await startDeliveryWorker(database, variables);

interface Row {
  readonly status: string;
  readonly attempts: number;
}

async function listRows(ids: readonly string[]): Promise<readonly Row[]> {
  return asSuperuser<Row>(
    "select status, attempts from notifications where notification_id = any($1) order by notification_id",
    [ids],
    database.superuserUrl,
  );
}

async function waitForStatus(ids: readonly string[], status: string, withinMs = 10_000): Promise<void> {
  await eventually(
    withinMs,
    () => listRows(ids),
    (rows) => rows.length === ids.length && rows.every((row) => row.status === status),
  );
}

async function jobCount(ids: readonly string[]): Promise<number> {
  const [row] = await asSuperuser<{ count: number }>(
    "select count(*)::int as count from jobs where subject_id = any($1)",
    [ids],
    database.superuserUrl,
  );
  return row?.count ?? -1;
}

/** Makes the retries due now. */
async function makeDue(ids: readonly string[]): Promise<void> {
  await asSuperuser(
    "update jobs set due_at = clock_timestamp() where subject_id = any($1) and due_at < 'infinity'",
    [ids],
    database.superuserUrl,
  );
}

async function waitForAttempts(ids: readonly string[], attempts: number): Promise<void> {
  await eventually(
    10_000,
    () => listRows(ids),
    (rows) => rows.every((row) => row.attempts === attempts),
  );
}

function failing(
  _request: unknown,
  response: { writeHead(status: number): { end(text: string): void } },
): void {
  response.writeHead(500).end("out of order");
}

test("exhausted rows: undelivered webhooks do not delay new ones", async () => {
  const merchant = await newMerchant(database);
  const endpoint = await startTestEndpoint(failing);
  const old = await insertTestNotifications(database, merchant.clientId, { count: 3, url: endpoint.url });
  for (let attempt = 1; attempt <= 8; attempt += 1) {
    await waitForAttempts(old, attempt);
    if (attempt < 8) await makeDue(old);
  }
  await waitForStatus(old, "EXHAUSTED");
  assert.equal(await jobCount(old), 0);
  const otherEndpoint = await startTestEndpoint();
  const fresh = await insertTestNotifications(database, merchant.clientId, {
    count: 20,
    url: otherEndpoint.url,
  });
  await waitForStatus(fresh, "DELIVERED", 2_000);
});

test("retry without limit: the eighth attempt is the last, and a resend of the merchant starts again", async () => {
  const merchant = await newMerchant(database);
  const endpoint = await startTestEndpoint(failing);
  const ids = await insertTestNotifications(database, merchant.clientId, { url: endpoint.url });
  for (let attempt = 1; attempt <= 8; attempt += 1) {
    await waitForAttempts(ids, attempt);
    if (attempt < 8) await makeDue(ids);
  }
  await waitForStatus(ids, "EXHAUSTED");
  await waitMs(1_000);
  assert.equal(endpoint.bodies.length, 8);
  assert.equal(new Set(endpoint.bodies).size, 1);

  endpoint.answer = acknowledge;
  const path = pathOf("sandbox", "tollgate/resendNotifications");
  const body = JSON.stringify({ notificationId: ids[0] });
  const answer = await call(gateway.url, merchant, { path, body });
  assert.deepEqual(answer.json["notificationIds"], ids);
  await waitForStatus(ids, "DELIVERED");
  assert.equal(endpoint.bodies.length, 9);
});

test("deleted endpoint: there are no retries to a URL that was removed", async () => {
  const merchant = await newMerchant(database);
  const endpoint = await startTestEndpoint(failing);
  const path = pathOf("sandbox", "tollgate/changeEndpoints");
  const set = { notifyUrls: [{ notificationKind: "notifyRefund", url: endpoint.url }] };
  const answer = await call(gateway.url, merchant, { path, body: JSON.stringify(set) });
  assert.deepEqual(answer.json["notifyUrls"], set.notifyUrls);
  const ids = await insertTestNotifications(database, merchant.clientId, { count: 5, kind: "notifyRefund" });
  await waitForAttempts(ids, 1);
  await call(gateway.url, merchant, { path, body: JSON.stringify({ removeNotifyUrls: ["notifyRefund"] }) });
  await makeDue(ids);
  await waitForStatus(ids, "UNSENT");
  assert.equal(await jobCount(ids), 0);
  assert.equal(endpoint.bodies.length, 5);
});

test("restart: after a process is killed while it delivers, another process delivers", async () => {
  const merchant = await newMerchant(database);
  const endpoint = await startTestEndpoint(() => undefined);
  const ids = await insertTestNotifications(database, merchant.clientId, { count: 10, url: endpoint.url });
  await eventually(
    5_000,
    async () => endpoint.bodies.length,
    (count) => count > 0,
  );
  deliveryWorker.kill("SIGKILL");
  await deliveryWorker.exited;
  endpoint.answer = acknowledge;
  // The test expires the leases of the killed process.
  await makeDue(ids);
  deliveryWorker = await startDeliveryWorker(database, variables);
  await waitForStatus(ids, "DELIVERED", 30_000);
});

test("in-order blocking: the second webhook is delivered although the first is not acknowledged", async () => {
  const merchant = await newMerchant(database);
  const endpoint = await startTestEndpoint((request, response, body) =>
    (JSON.parse(body) as { sequence: number }).sequence === 1
      ? failing(request, response)
      : acknowledge(request, response),
  );
  const ids = await insertTestNotifications(database, merchant.clientId, { count: 2, url: endpoint.url });
  await waitForStatus(ids.slice(1), "DELIVERED", 3_000);
  assert.deepEqual((await listRows(ids.slice(0, 1)))[0]?.status, "WAITING");
});

test("stale copy: an attempt uses the merchant's current URL, with the original bytes", async () => {
  const merchant = await newMerchant(database);
  const [before, after] = [await startTestEndpoint(failing), await startTestEndpoint()];
  const path = pathOf("sandbox", "tollgate/changeEndpoints");
  const setTo = (url: string): Promise<unknown> =>
    call(gateway.url, merchant, {
      path,
      body: JSON.stringify({ notifyUrls: [{ notificationKind: "notifyCapture", url }] }),
    });
  await setTo(before.url);
  const ids = await insertTestNotifications(database, merchant.clientId, { kind: "notifyCapture" });
  await waitForAttempts(ids, 1);
  await setTo(after.url);
  await makeDue(ids);
  await waitForStatus(ids, "DELIVERED");
  assert.deepEqual(after.bodies, before.bodies);
});

test("silent stop: an endpoint that recovers from an outage gets all webhooks without manual action", async () => {
  const merchant = await newMerchant(database);
  const endpoint = await startTestEndpoint(failing);
  const ids = await insertTestNotifications(database, merchant.clientId, { count: 100, url: endpoint.url });
  await waitMs(3_000);
  const tried = endpoint.bodies.length;
  assert.ok(tried >= 4 && tried <= 20, `${tried} attempts were made although none is acknowledged`);
  endpoint.answer = acknowledge;
  // Retries deliver the webhooks that were tried; the parked ones follow after the next probe of the circuit breaker.
  await eventually(
    25_000,
    () => listRows(ids),
    (rows) => rows.filter(({ status }) => status === "DELIVERED").length >= ids.length - tried,
  );
  await makeDue(ids);
  await waitForStatus(ids, "DELIVERED");
});

test("a paused URL gets nothing, and gets the waiting webhooks when it is resumed", async () => {
  const merchant = await newMerchant(database);
  const endpoint = await startTestEndpoint();
  // After an acknowledged webhook the sender keeps the next ones in memory, but not those to a paused URL.
  await waitForStatus(
    await insertTestNotifications(database, merchant.clientId, { count: 1, url: endpoint.url }),
    "DELIVERED",
  );
  const path = pathOf("sandbox", "tollgate/changeEndpoints");
  const origin = new URL(endpoint.url).origin;
  const paused = await call(gateway.url, merchant, { path, body: JSON.stringify({ pause: [endpoint.url] }) });
  assert.deepEqual(paused.json["paused"], [origin]);
  await waitMs(1_000);
  const ids = await insertTestNotifications(database, merchant.clientId, { count: 50, url: endpoint.url });
  await waitMs(1_500);
  assert.equal(endpoint.bodies.length, 1);
  const jobs = await asSuperuser(
    `select from jobs where client_id = '${merchant.clientId}' and due_at = 'infinity'`,
    [],
    database.superuserUrl,
  );
  assert.equal(jobs.length, 50);
  await call(gateway.url, merchant, { path, body: JSON.stringify({ resume: [origin] }) });
  await waitForStatus(ids, "DELIVERED", 5_000);
  assert.equal(endpoint.bodies.length, 51);
});
