import assert from "node:assert/strict";
import { createPublicKey, type KeyObject } from "node:crypto";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { addGatewayKey } from "../../operators/providers/manage-gateway-keys.ts";
import {
  addMerchantKey,
  revokeMerchantKey,
  pinMerchantGatewayKey,
} from "../../operators/merchants/merchant.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import {
  isResponseSigned,
  call,
  newKeyPair,
  pathOf,
  type ReceivedAnswer,
  type TestMerchant,
} from "../../../test/start/test-gateway.ts";
import { eventually } from "../../../test/start/test-process.ts";
import { isWebhookSigned, startTestShop } from "../../../test/start/test-shop.ts";
import { payRequest, startTestStack } from "../../../test/start/test-stack.ts";

/**
 * Key rotation on both sides under traffic: two `serve` processes, one `work` process, a provider that knows only the
 * first gateway key, and a merchant that pays, queries and receives webhooks. The merchant has the gateway's public
 * keys by version, and accepts only messages that verify with the named version.
 */
const stack = await startTestStack();
const { database, provider, merchant: first } = stack;
const operator = { url: database.ownerUrl, environment: database.environment };
const shop = await startTestShop();
const urls = [(await stack.serve({ isPublic: true })).url, (await stack.serve()).url];
await stack.work();
const next = await newKeyPair("next");

const refusedWithinMs = 1_000;
const phaseMs = 1_000;
const gatewayKeys = new Map<number, KeyObject>([[1, first.gatewayPublicKey]]);

/** The keys with which the merchant signs, in turns. */
let signers: readonly TestMerchant[] = [first];
const failures: string[] = [];
const answered = { byMerchantKey: new Map<number, number>(), byGatewayKey: new Map<number, number>() };
const paid: string[] = [];
const notified = new Map<number, number>();
let rejectedCount = 0;
let signerIndex = 0;

const stopping = new AbortController();
after(() => stopping.abort());
const load = urls.flatMap((url) => [keepInquiring(url), keepInquiring(url), keepPaying(url)]);

let second: TestMerchant;

test("the merchant adds a key, and signs with both in turns", async () => {
  await delay(phaseMs);
  const files = { publicKeyFile: next.publicKeyFile, proofFile: undefined };
  const keyVersion = await addMerchantKey(operator, first.clientId, files);
  second = { ...first, privateKey: next.privateKey, keyVersion };
  signers = [first, second];
  await delay(phaseMs);
  // The number of requests in a second depends on the machine.
  await eventually(
    20_000,
    async () => answered.byMerchantKey,
    (counts) => (counts.get(1) ?? 0) > 20 && (counts.get(2) ?? 0) > 20,
  );
  assertNothingFailed();
});

test("the gateway adds a key, and the merchant is pinned to it, back to the old one, and to it again", async () => {
  await addGatewayKey(database.ownerUrl, "sandbox", stack.variables["TOLLGATE_KEY_FILE"] ?? "");
  const { versions } = (await tollgate("useGatewayKey")).json;
  for (const { keyVersion, publicKey } of versions as { keyVersion: number; publicKey: string }[])
    gatewayKeys.set(keyVersion, createPublicKey(publicKey));
  assert.equal(gatewayKeys.size, 2);

  await tollgate("useGatewayKey", { keyVersion: 2 });
  await delay(phaseMs);
  await pinMerchantGatewayKey(operator, first.clientId, 1);
  await delay(phaseMs);
  await pinMerchantGatewayKey(operator, first.clientId, 2);
  await delay(phaseMs);
  await eventually(
    20_000,
    async () => answered.byGatewayKey,
    (counts) => (counts.get(1) ?? 0) > 20 && (counts.get(2) ?? 0) > 20,
  );
  assertNothingFailed();
});

test("the merchant stops using its old key; after revocation both processes reject it within a second", async (t) => {
  signers = [second];
  // Requests that are signed with the old key may still be in flight, so the test waits.
  await delay(500);
  const stopAsking = new AbortController();
  const inquiries = urls.map((url) => keepInquiringWithOldKey(url, stopAsking.signal));
  await delay(300);
  await revokeMerchantKey(operator, first.clientId, first.keyVersion);
  await delay(refusedWithinMs + 500);
  stopAsking.abort();

  // The test reads the time before the commit, so the measured duration is rather too long.
  const [row] = await asSuperuser<{ revoked_at: Date }>(
    "select revoked_at from client_keys where client_id = $1 and version = 1",
    [first.clientId],
    database.superuserUrl,
  );
  assert(row);
  for (const [index, answers] of (await Promise.all(inquiries)).entries()) {
    const lastTaken = answers.findLastIndex(({ code }) => code === "ORDER_NOT_EXIST");
    const lateMs = (answers[lastTaken]?.atMs ?? 0) - row.revoked_at.getTime();
    t.diagnostic(`process ${index}: the last was answered ${lateMs} ms after the revocation`);
    assert.ok(lastTaken > 0 && lateMs <= refusedWithinMs);
    const later = answers.slice(lastTaken + 1).map(({ code }) => code);
    assert.deepEqual(new Set(later), new Set(["KEY_NOT_FOUND"]));
  }
});

test("meanwhile no request failed, and every response and every webhook verifies", async (t) => {
  await eventually(
    20_000,
    async () => paid.length,
    (paidCount) => paidCount > 20,
  );
  stopping.abort();
  await Promise.all(load);
  assertNothingFailed();

  const webhooks = (await Promise.all(paid.map((paymentId) => shop.waitForWebhooks(paymentId, 1)))).flat();
  for (const notification of webhooks) {
    const version = versionIn(notification.headers["signature"]);
    count(notified, version);
    assert.ok(isWebhookSigned(notification, gatewayKeys.get(version) ?? assert.fail(`version ${version}`)));
  }
  assert.ok((notified.get(1) ?? 0) > 5 && (notified.get(2) ?? 0) > 5);
  t.diagnostic(
    `requests by merchant key: ${formatCounts(answered.byMerchantKey)}; turned away unread: ${rejectedCount}`,
  );
  t.diagnostic(`answers by gateway key: ${formatCounts(answered.byGatewayKey)}`);
  t.diagnostic(`notifications of ${paid.length} payments by gateway key: ${formatCounts(notified)}`);
});

test("the report of key uses agrees with the merchant's own count", async (t) => {
  const requests = new Map(answered.byMerchantKey);
  const hasCountedAll = ({ keys, gatewayKeys: ours }: KeyUseAnswer): boolean =>
    keys.every((key) => key.requests >= (requests.get(key.keyVersion) ?? 0)) &&
    ours.every((key) => key.notificationAttempts >= (notified.get(key.keyVersion) ?? 0));
  const inquire = async (): Promise<KeyUseAnswer> =>
    (await tollgate("inquiryKeyUse")).json as unknown as KeyUseAnswer;
  const use = await eventually(5_000, inquire, hasCountedAll);

  assert.partialDeepStrictEqual(use, {
    keys: [
      { keyVersion: 1, keyStatus: "REVOKED", requests: requests.get(1) ?? 0 },
      { keyVersion: 2, keyStatus: "LIVE" },
    ],
    gatewayKeys: [
      { keyVersion: 1, isPinned: false },
      { keyVersion: 2, isPinned: true },
    ],
  });
  t.diagnostic(JSON.stringify(use.gatewayKeys));
});

interface KeyUseAnswer {
  readonly keys: readonly {
    readonly keyVersion: number;
    readonly keyStatus: string;
    readonly requests: number;
  }[];
  readonly gatewayKeys: readonly {
    readonly keyVersion: number;
    readonly isPinned: boolean;
    readonly notificationAttempts: number;
  }[];
}

async function keepInquiring(url: string): Promise<void> {
  while (!stopping.signal.aborted) {
    await callOperation(url, "payments/inquiryPayment", { paymentId: "unknown" }, "ORDER_NOT_EXIST");
    await delay(10);
  }
}

/** Pays, with the buyer's approval, so that webhooks are sent. */
async function keepPaying(url: string): Promise<void> {
  for (let order = 1; !stopping.signal.aborted; order += 1) {
    const body = payRequest(`${new URL(url).port}-${order}`, { paymentNotifyUrl: shop.notifyUrl });
    const { json } = await callOperation(url, "payments/pay", body, "PAYMENT_IN_PROCESS");
    const paymentId = String(json["paymentId"]);
    const { status } = await eventually(
      5_000,
      () => provider.control(paymentId, "approve"),
      (approved) => approved.status === 200,
    ).catch(() => ({ status: 0 }));
    if (status === 200) paid.push(paymentId);
    else failures.push(`The provider has no order of ${paymentId}.`);
    await delay(50);
  }
}

/** Sends a request, and verifies the response with the key version that it names. */
async function callOperation(
  url: string,
  operation: string,
  body: object,
  code: string,
): Promise<ReceivedAnswer> {
  const path = pathOf("sandbox", operation);
  for (;;) {
    signerIndex += 1;
    const from = signers[signerIndex % signers.length] ?? first;
    const answer = await call(url, from, { path, body: JSON.stringify(body) });
    const told = answer.json.result["resultCode"] ?? "";
    // A busy machine sheds load before it looks up keys, and does not sign that response.
    if (told === "REQUEST_TRAFFIC_EXCEED_LIMIT" && !answer.headers["signature"]) {
      rejectedCount += 1;
      await delay(100);
      continue;
    }
    const version = versionIn(answer.headers["signature"]);
    const key = gatewayKeys.get(version);
    if (told !== code) failures.push(`${operation} with key ${from.keyVersion}: ${answer.text}`);
    else if (!key || !isResponseSigned(answer, path, key))
      failures.push(`${operation}: no key fits ${version}`);
    count(answered.byMerchantKey, from.keyVersion);
    count(answered.byGatewayKey, version);
    return answer;
  }
}

async function keepInquiringWithOldKey(
  url: string,
  signal: AbortSignal,
): Promise<readonly { readonly atMs: number; readonly code: string }[]> {
  const path = pathOf("sandbox", "payments/inquiryPayment");
  const answers = [];
  while (!signal.aborted) {
    const { json, headers } = await call(url, first, { path, body: '{"paymentId":"unknown"}' });
    const code = json.result["resultCode"] ?? "";
    const wasRead = code !== "REQUEST_TRAFFIC_EXCEED_LIMIT" || headers["signature"] !== undefined;
    if (wasRead) answers.push({ atMs: Date.now(), code });
    if (code === "ORDER_NOT_EXIST") count(answered.byMerchantKey, first.keyVersion);
    await delay(5);
  }
  return answers;
}

function tollgate(operation: string, body: object = {}): Promise<ReceivedAnswer> {
  return callOperation(urls[0] ?? "", `tollgate/${operation}`, body, "SUCCESS");
}

function assertNothingFailed(): void {
  assert.deepEqual(failures, []);
}

function versionIn(signature = ""): number {
  return Number(/keyVersion=(\d+)/.exec(signature)?.[1]);
}

function count(counts: Map<number, number>, version: number): void {
  counts.set(version, (counts.get(version) ?? 0) + 1);
}

function formatCounts(counts: ReadonlyMap<number, number>): string {
  return [...counts].map(([version, times]) => `${version}: ${times}`).join(", ");
}
