import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { test } from "node:test";
import type { IncomingHttpHeaders } from "node:http";
import { call, newMerchant, pathOf, startTestGateway } from "../../test/start/test-gateway.ts";
import {
  acknowledge,
  insertTestNotifications,
  startDeliveryWorker,
  startTestEndpoint,
} from "../../test/shop/test-notification.ts";
import { eventually } from "../../test/start/test-process.ts";
import { isWebhookSigned } from "../../test/start/test-shop.ts";

const { database, variables, url } = await startTestGateway("sandbox");
const merchant = await newMerchant(database);
await startDeliveryWorker(database, variables);

interface Received {
  readonly isSigned: boolean;
  readonly ageMs: number;
  readonly text: string;
}

const received: Received[] = [];
const endpoint = await startTestEndpoint((request, response, text) => {
  const headers = request.headers as IncomingHttpHeaders & Record<string, string>;
  const message = { method: "POST", path: request.url ?? "", headers, text, json: {} };
  const isSigned = isWebhookSigned(
    message,
    createPublicKey(merchant.gatewayPublicKey.export({ format: "pem", type: "spki" })),
  );
  const ageMs = Date.now() - Date.parse(headers["request-time"] ?? "");
  received.push({ isSigned, ageMs, text });
  if (isSigned && ageMs < 300_000) acknowledge(request, response);
  else response.writeHead(401).end();
});

async function orderFault(fault: string, overrides: object = {}): Promise<void> {
  const body = JSON.stringify({ faultRequestId: fault, fault, ...overrides });
  const answer = await call(url, merchant, { path: pathOf("sandbox", "tollgate/orderFault"), body });
  assert.equal(answer.json.result["resultCode"], "SUCCESS", answer.text);
  received.length = 0;
}

async function waitForReceived(count: number): Promise<readonly Received[]> {
  return eventually(
    10_000,
    async () => received,
    (all) => all.length >= count,
  );
}

test("a DUPLICATE webhook arrives twice, with the same bytes and a signature each", async () => {
  await orderFault("DUPLICATE");
  await insertTestNotifications(database, merchant.clientId, { url: endpoint.url });
  const [first, second] = await waitForReceived(2);
  assert.equal(first?.text, second?.text);
  assert.ok(first?.isSigned && second?.isSigned);
});

test("a corrupted signature is invalid, and affects one attempt only", async () => {
  await orderFault("CORRUPT_SIGNATURE", { endpoint: endpoint.url });
  await insertTestNotifications(database, merchant.clientId, { count: 2, url: endpoint.url });
  const all = await waitForReceived(2);
  assert.equal(all.filter(({ isSigned }) => isSigned).length, 1);
});

test("a STALE webhook has a valid signature, and is too old", async () => {
  await orderFault("STALE");
  await insertTestNotifications(database, merchant.clientId, { url: endpoint.url });
  const [stale] = await waitForReceived(1);
  assert.ok(stale?.isSigned);
  assert.ok(stale.ageMs >= 600_000 && stale.ageMs < 610_000);
});

test("a dropped webhook does not arrive, and its attempt has the reason", async () => {
  await orderFault("DROP", { subjectId: "dropped" });
  const [id] = await insertTestNotifications(database, merchant.clientId, {
    url: endpoint.url,
    subjectId: "dropped",
  });
  const path = pathOf("sandbox", "tollgate/inquiryNotifications");
  const attempts = await eventually(
    10_000,
    () => call(url, merchant, { path, body: JSON.stringify({ notificationId: id }) }),
    ({ text }) => text.includes("dropped on demand"),
  );
  assert.ok(attempts.text.includes("nextAttemptTime"));
  assert.equal(received.length, 0);
});

test("a reordered webhook arrives after the following one", async () => {
  await orderFault("REORDER", { subjectId: "first", delaySeconds: 2 });
  await insertTestNotifications(database, merchant.clientId, { url: endpoint.url, subjectId: "first" });
  const [second = ""] = await insertTestNotifications(database, merchant.clientId, {
    url: endpoint.url,
    subjectId: "second",
  });
  const all = await waitForReceived(2);
  assert.ok(all[0]?.text.includes(second));
});

test("live refuses fault injection", async () => {
  const live = await startTestGateway("live");
  const customer = await newMerchant(live.database);
  const body = JSON.stringify({ faultRequestId: "x", fault: "DROP" });
  const answer = await call(live.url, customer, { path: pathOf("live", "tollgate/orderFault"), body });
  assert.equal(answer.json.result["resultCode"], "ACCESS_DENIED");
});
