import assert from "node:assert/strict";
import { createPrivateKey, generateKeyPairSync, verify, createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { addConnector } from "../../operators/providers/connector-settings.ts";
import { findGatewayKeys } from "../../operators/providers/manage-gateway-keys.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { newKeyPair, send, type ReceivedAnswer } from "../../../test/start/test-gateway.ts";
import { callPayments, payRequest, startTestStack } from "../../../test/start/test-stack.ts";
import { providerSignature } from "../../../test/start/provider-signature.ts";
import { failureRate, rejectedUnverifiedMs } from "../limits/invalid-signature-limiter.ts";

const stack = await startTestStack();
const { merchant, provider, database } = stack;
const providerKey = createPrivateKey(readFileSync(join(provider.folder, "wallet-private.pem")));
const otherKey = await newKeyPair("other-provider");
await addConnector(database.ownerUrl, "sandbox", {
  name: "other-provider",
  url: "http://127.0.0.1:9",
  partnerId: "tollgate",
  publicKeyFile: otherKey.publicKeyFile,
  paymentMethodTypes: ["OTHER"],
  simulator: true,
});
const { url } = await stack.serve({ isPublic: true });

interface CallbackOptions {
  readonly connector?: string;
  readonly key?: KeyObject;
  readonly time?: string;
  /** Two `request-time` headers instead of one. The signature covers the first. */
  readonly times?: readonly [string, string];
  /** The algorithm in the signature header, independent of the key's type. */
  readonly algorithm?: string;
  readonly eventId?: string;
  readonly order?: object;
  /** A body that is signed instead of the generated body. */
  readonly body?: string;
  /** Changes the body after it was signed. */
  readonly tamper?: (body: string) => string;
}

/** Sends a callback as a provider, or as an attacker that imitates one. */
async function sendCallback(
  paymentId: string,
  reference: string,
  options: CallbackOptions = {},
): Promise<ReceivedAnswer> {
  const {
    connector = "test-provider",
    key = providerKey,
    time = options.times?.[0] ?? new Date().toISOString(),
    eventId = `${paymentId}-1`,
  } = options;
  const path = `/providers/${connector}/callbacks/${merchant.clientId}/${paymentId}`;
  const amount = { currency: "EUR", value: "1250" };
  const paidTime = "2026-11-15T10:00:00+00:00";
  const order = { reference, state: "PAID", amount, paidAmount: amount, paidTime, ...options.order };
  const body = options.body ?? JSON.stringify({ eventId, reference, order });
  const signature = providerSignature(key, {
    path,
    time,
    body,
    ...(options.algorithm && { algorithm: options.algorithm }),
  });
  return send(url, {
    path,
    body: options.tamper ? options.tamper(body) : body,
    headers: {
      "client-id": "tollgate",
      "request-time": options.times ?? time,
      signature,
    },
  });
}

let count = 0;

async function newPayment(): Promise<{ readonly paymentId: string; readonly reference: string }> {
  count += 1;
  const { json } = await callPayments(url, merchant, "pay", payRequest(`callback-${count}`));
  const paymentId = String(json["paymentId"]);
  const [row] = await asSuperuser<{ provider_reference: string }>(
    "select provider_reference from payments where payment_id = $1",
    [paymentId],
    database.superuserUrl,
  );
  return { paymentId, reference: row?.provider_reference ?? "" };
}

async function statusOf(paymentId: string): Promise<unknown> {
  return (await callPayments(url, merchant, "inquiryPayment", { paymentId })).json["paymentStatus"];
}

const unknownKey = generateKeyPairSync("ed25519").privateKey;
const old = new Date(Date.now() - 11 * 60_000).toISOString();

/** Callbacks that must not settle the payment. */
const forgedCallbacks: Readonly<Record<string, readonly [told: CallbackOptions, code: string]>> = {
  "another provider's valid key": [
    { connector: "other-provider", key: otherKey.privateKey },
    "ORDER_NOT_EXIST",
  ],
  "another provider's key with this connector's name": [{ key: otherKey.privateKey }, "INVALID_SIGNATURE"],
  "an unknown key": [{ key: unknownKey }, "INVALID_SIGNATURE"],
  "its own key with the name of the other algorithm": [{ algorithm: "RSA256" }, "INVALID_SIGNATURE"],
  "its own key with a misspelt algorithm": [{ algorithm: "ed25519" }, "INVALID_SIGNATURE"],
  "an RSA key with the name of the provider's algorithm": [
    { key: otherKey.privateKey, algorithm: "Ed25519" },
    "INVALID_SIGNATURE",
  ],
  "an Ed25519 key for a provider with an RSA key": [
    { connector: "other-provider", algorithm: "Ed25519" },
    "INVALID_SIGNATURE",
  ],
  "an Ed25519 key for a provider with an RSA key, with RSA's algorithm name": [
    { connector: "other-provider", algorithm: "RSA256" },
    "INVALID_SIGNATURE",
  ],
  "a connector that does not exist": [{ connector: "no-provider" }, "UNKNOWN_CLIENT"],
  "another amount": [{ order: { amount: { currency: "EUR", value: "1" } } }, "SUCCESS"],
  "another currency": [{ order: { amount: { currency: "USD", value: "1250" } } }, "SUCCESS"],
  "a smaller paid amount than requested": [
    { order: { paidAmount: { currency: "EUR", value: "1" } } },
    "SUCCESS",
  ],
  "another reference": [{ order: { reference: "another" } }, "PARAM_ILLEGAL"],
  "no amount": [{ order: { paidAmount: undefined } }, "PARAM_ILLEGAL"],
  "a state that does not exist": [{ order: { state: "GIFTED" } }, "PARAM_ILLEGAL"],
  "null in place of a message": [{ body: "null" }, "PARAM_ILLEGAL"],
  "an old message": [{ time: old }, "PARAM_ILLEGAL"],
  "a body that was changed after signing": [
    { tamper: (body) => body.replace("EUR", "USD") },
    "INVALID_SIGNATURE",
  ],
};

for (const [name, [told, code]] of Object.entries(forgedCallbacks)) {
  test(`${name} settles nothing`, async () => {
    const { paymentId, reference } = await newPayment();
    const answer = await sendCallback(paymentId, reference, told);
    assert.equal(answer.json.result["resultCode"], code);
    assert.equal(await statusOf(paymentId), "PROCESSING");
    const transfers = await asSuperuser(
      "select 1 from ledger_transfers where subject_id = $1",
      [paymentId],
      database.superuserUrl,
    );
    assert.equal(transfers.length, 0);
  });
}

test("a valid callback settles once, also when repeated with the same or another event id", async () => {
  const { paymentId, reference } = await newPayment();
  const answers = await Promise.all([
    sendCallback(paymentId, reference),
    sendCallback(paymentId, reference),
    sendCallback(paymentId, reference, { eventId: `${paymentId}-2` }),
  ]);
  for (const { json } of answers) assert.equal(json.result["resultStatus"], "S");
  assert.equal(await statusOf(paymentId), "SUCCESS");
  const counted = await asSuperuser<{ transfers: number; events: number }>(
    `select (select count(*)::int from ledger_transfers where subject_id = $1) as transfers,
       (select count(*)::int from payment_events where payment_id = $1) as events`,
    [paymentId],
    database.superuserUrl,
  );
  assert.deepEqual(counted, [{ transfers: 1, events: 2 }]);
});

test("the response to a callback is signed with the algorithm of the provider's key, RSA and Ed25519", async () => {
  const { paymentId, reference } = await newPayment();
  const [{ ed25519PublicKey = "", publicKey } = { publicKey: "" }] = await findGatewayKeys({
    url: database.ownerUrl,
    environment: "sandbox",
  });
  for (const [told, algorithm, digest, pem] of [
    [{}, "Ed25519", null, ed25519PublicKey],
    [{ connector: "other-provider", key: otherKey.privateKey }, "RSA256", "sha256", publicKey],
  ] as const) {
    const { headers, text } = await sendCallback(paymentId, reference, told);
    const { signature = "", "response-time": time = "" } = headers;
    const [, name, value = ""] = /^algorithm=(\w+),keyVersion=1,signature=(.*)$/.exec(signature) ?? [];
    assert.equal(name, algorithm);
    const path = `/providers/${"connector" in told ? told.connector : "test-provider"}/callbacks/${merchant.clientId}/${paymentId}`;
    const signed = Buffer.from(`POST ${path}\ntollgate.${time}.${text}`);
    const bytes = Buffer.from(decodeURIComponent(value), "base64");
    assert.ok(verify(digest, signed, createPublicKey(pem), bytes));
  }
});

test("event ids are unique per order: a provider may number the events of each order from one", async () => {
  const first = await newPayment();
  const second = await newPayment();
  for (const { paymentId, reference } of [first, second]) {
    const { json } = await sendCallback(paymentId, reference, { eventId: "1" });
    assert.equal(json.result["resultStatus"], "S");
    assert.equal(await statusOf(paymentId), "SUCCESS");
  }
});

test("a callback with two request times is rejected", async () => {
  const { paymentId, reference } = await newPayment();
  const now = new Date().toISOString();
  const answer = await sendCallback(paymentId, reference, { times: [now, old] });
  assert.equal(answer.json.result["resultCode"], "PARAM_ILLEGAL");
  assert.equal(await statusOf(paymentId), "PROCESSING");
});

test("a callback of one payment does not settle another", async () => {
  const one = await newPayment();
  const other = await newPayment();
  const answer = await sendCallback(other.paymentId, one.reference);
  assert.equal(answer.json.result["resultCode"], "PARAM_ILLEGAL");
  assert.equal(await statusOf(other.paymentId), "PROCESSING");
});

test("callbacks with invalid signatures are rate-limited, and a second later a valid one is accepted", async () => {
  const { paymentId, reference } = await newPayment();
  const statuses = new Set<number>();
  for (let tried = 0; tried < failureRate.burst * 3 && !statuses.has(503); tried += 1)
    statuses.add((await sendCallback(paymentId, reference, { key: unknownKey })).status);
  assert.deepEqual([...statuses], [200, 503]);
  await delay(rejectedUnverifiedMs);
  assert.equal((await sendCallback(paymentId, reference)).json.result["resultCode"], "SUCCESS");
});
