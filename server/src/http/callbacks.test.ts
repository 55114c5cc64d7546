import assert from "node:assert/strict";
import { createPrivateKey, generateKeyPairSync, verify, createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { addConnector } from "../commands/connector.ts";
import { findGatewayKeys } from "../commands/gateway-key.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { newKeyPair, send, type ReceivedAnswer } from "../../test/start/test-gateway.ts";
import { callPayments, payRequest, startTestStack } from "../../test/start/test-stack.ts";
import { walletSignature } from "../../test/start/wallet-signature.ts";
import { failedChecks, unheardMs } from "./forgers.ts";

const stack = await startTestStack();
const { merchant, wallet, database } = stack;
const walletKey = createPrivateKey(readFileSync(join(wallet.folder, "wallet-private.pem")));
const stranger = await newKeyPair("stranger");
await addConnector(database.ownerUrl, "sandbox", {
  name: "other-wallet",
  url: "http://127.0.0.1:9",
  partnerId: "tollgate",
  publicKeyFile: stranger.publicKeyFile,
  paymentMethodTypes: ["OTHER"],
  simulator: true,
});
const { url } = await stack.serve({ isPublic: true });

interface Told {
  readonly connector?: string;
  readonly key?: KeyObject;
  readonly time?: string;
  /** Two `request-time` headers instead of one: the first is signed. */
  readonly times?: readonly [string, string];
  /** What the header says, whatever the key is. */
  readonly algorithm?: string;
  readonly eventId?: string;
  readonly order?: object;
  /** Signed in place of all that. */
  readonly body?: string;
  /** Changed after it was signed. */
  readonly tamper?: (body: string) => string;
}

/** A callback as a wallet, or somebody who would like to be one, sends it. */
async function tell(paymentId: string, reference: string, told: Told = {}): Promise<ReceivedAnswer> {
  const {
    connector = "test-wallet",
    key = walletKey,
    time = told.times?.[0] ?? new Date().toISOString(),
    eventId = `${paymentId}-1`,
  } = told;
  const path = `/wallets/${connector}/callbacks/${merchant.clientId}/${paymentId}`;
  const amount = { currency: "EUR", value: "1250" };
  const paidTime = "2026-11-15T10:00:00+00:00";
  const order = { reference, state: "PAID", amount, paidAmount: amount, paidTime, ...told.order };
  const body = told.body ?? JSON.stringify({ eventId, reference, order });
  const signature = walletSignature(key, {
    path,
    time,
    body,
    ...(told.algorithm && { algorithm: told.algorithm }),
  });
  return send(url, {
    path,
    body: told.tamper ? told.tamper(body) : body,
    headers: {
      "client-id": "tollgate",
      "request-time": told.times ?? time,
      signature,
    },
  });
}

let count = 0;

async function newPayment(): Promise<{ readonly paymentId: string; readonly reference: string }> {
  count += 1;
  const { json } = await callPayments(url, merchant, "pay", payRequest(`callback-${count}`));
  const paymentId = String(json["paymentId"]);
  const [row] = await asSuperuser<{ wallet_reference: string }>(
    "select wallet_reference from payments where payment_id = $1",
    [paymentId],
    database.superuserUrl,
  );
  return { paymentId, reference: row?.wallet_reference ?? "" };
}

async function statusOf(paymentId: string): Promise<unknown> {
  return (await callPayments(url, merchant, "inquiryPayment", { paymentId })).json["paymentStatus"];
}

const otherKey = generateKeyPairSync("ed25519").privateKey;
const old = new Date(Date.now() - 11 * 60_000).toISOString();

/** None of these settles anything. */
const tricks: Readonly<Record<string, readonly [told: Told, code: string]>> = {
  "another wallet's valid key": [{ connector: "other-wallet", key: stranger.privateKey }, "ORDER_NOT_EXIST"],
  "another wallet's key under this wallet's name": [{ key: stranger.privateKey }, "INVALID_SIGNATURE"],
  "a key of nobody's": [{ key: otherKey }, "INVALID_SIGNATURE"],
  "its own key under the name of the other algorithm": [{ algorithm: "RSA256" }, "INVALID_SIGNATURE"],
  "its own key under a name that is spelt otherwise": [{ algorithm: "ed25519" }, "INVALID_SIGNATURE"],
  "an RSA key under the name of the wallet's algorithm": [
    { key: stranger.privateKey, algorithm: "Ed25519" },
    "INVALID_SIGNATURE",
  ],
  "an Ed25519 key at a wallet whose own is RSA": [
    { connector: "other-wallet", algorithm: "Ed25519" },
    "INVALID_SIGNATURE",
  ],
  "an Ed25519 key at a wallet whose own is RSA, under its algorithm's name": [
    { connector: "other-wallet", algorithm: "RSA256" },
    "INVALID_SIGNATURE",
  ],
  "a connector that does not exist": [{ connector: "no-wallet" }, "UNKNOWN_CLIENT"],
  "another amount": [{ order: { amount: { currency: "EUR", value: "1" } } }, "SUCCESS"],
  "another currency": [{ order: { amount: { currency: "USD", value: "1250" } } }, "SUCCESS"],
  "less paid than asked": [{ order: { paidAmount: { currency: "EUR", value: "1" } } }, "SUCCESS"],
  "another reference": [{ order: { reference: "another" } }, "PARAM_ILLEGAL"],
  "no amount at all": [{ order: { paidAmount: undefined } }, "PARAM_ILLEGAL"],
  "a state that does not exist": [{ order: { state: "GIFTED" } }, "PARAM_ILLEGAL"],
  "null in place of a message": [{ body: "null" }, "PARAM_ILLEGAL"],
  "an old message": [{ time: old }, "PARAM_ILLEGAL"],
  "a body changed on the way": [{ tamper: (body) => body.replace("EUR", "USD") }, "INVALID_SIGNATURE"],
};

for (const [name, [told, code]] of Object.entries(tricks)) {
  test(`${name} settles nothing`, async () => {
    const { paymentId, reference } = await newPayment();
    const answer = await tell(paymentId, reference, told);
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

test("a true callback settles once, however often it is repeated, and under whatever name", async () => {
  const { paymentId, reference } = await newPayment();
  const answers = await Promise.all([
    tell(paymentId, reference),
    tell(paymentId, reference),
    tell(paymentId, reference, { eventId: `${paymentId}-2` }),
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

test("the answer to a callback is signed by the algorithm of the wallet's key, in both kinds", async () => {
  const { paymentId, reference } = await newPayment();
  const [{ ed25519PublicKey = "", publicKey } = { publicKey: "" }] = await findGatewayKeys({
    url: database.ownerUrl,
    environment: "sandbox",
  });
  for (const [told, algorithm, digest, pem] of [
    [{}, "Ed25519", null, ed25519PublicKey],
    [{ connector: "other-wallet", key: stranger.privateKey }, "RSA256", "sha256", publicKey],
  ] as const) {
    const { headers, text } = await tell(paymentId, reference, told);
    const { signature = "", "response-time": time = "" } = headers;
    const [, name, value = ""] = /^algorithm=(\w+),keyVersion=1,signature=(.*)$/.exec(signature) ?? [];
    assert.equal(name, algorithm);
    const path = `/wallets/${"connector" in told ? told.connector : "test-wallet"}/callbacks/${merchant.clientId}/${paymentId}`;
    const signed = Buffer.from(`POST ${path}\ntollgate.${time}.${text}`);
    const bytes = Buffer.from(decodeURIComponent(value), "base64");
    assert.ok(verify(digest, signed, createPublicKey(pem), bytes));
  }
});

test("a wallet that numbers the events of every order from one is heard for each", async () => {
  const first = await newPayment();
  const second = await newPayment();
  for (const { paymentId, reference } of [first, second]) {
    const { json } = await tell(paymentId, reference, { eventId: "1" });
    assert.equal(json.result["resultStatus"], "S");
    assert.equal(await statusOf(paymentId), "SUCCESS");
  }
});

test("two times of signing are none", async () => {
  const { paymentId, reference } = await newPayment();
  const now = new Date().toISOString();
  const answer = await tell(paymentId, reference, { times: [now, old] });
  assert.equal(answer.json.result["resultCode"], "PARAM_ILLEGAL");
  assert.equal(await statusOf(paymentId), "PROCESSING");
});

test("a callback of one payment does not settle another", async () => {
  const one = await newPayment();
  const other = await newPayment();
  const answer = await tell(other.paymentId, one.reference);
  assert.equal(answer.json.result["resultCode"], "PARAM_ILLEGAL");
  assert.equal(await statusOf(other.paymentId), "PROCESSING");
});

test("forged callbacks are not checked for ever, and a second later a true one is taken", async () => {
  const { paymentId, reference } = await newPayment();
  const statuses = new Set<number>();
  for (let tried = 0; tried < failedChecks.burst * 3 && !statuses.has(503); tried += 1)
    statuses.add((await tell(paymentId, reference, { key: otherKey })).status);
  assert.deepEqual([...statuses], [200, 503]);
  await delay(unheardMs);
  assert.equal((await tell(paymentId, reference)).json.result["resultCode"], "SUCCESS");
});
