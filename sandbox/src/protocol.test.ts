import assert from "node:assert/strict";
import { once } from "node:events";
import { createPublicKey } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { request, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { signatureFor } from "../../clients/typescript/src/signing.ts";
import { readBody, readObject } from "./exchange.ts";
import {
  call,
  control,
  effects,
  gateway,
  newFolder,
  newGatewayKey,
  newOrder,
  pageOf,
  partnerId,
  startWallet,
} from "./testing/test-wallet.ts";
import { wireTime } from "./wallet/wire-time.ts";

const wallet = await startWallet();
const minutesMs = 60_000;

const linesOf = (reference: string): object[] =>
  effects(wallet).filter((line) => "reference" in line && line.reference === reference);
const kindsOf = (reference: string): string[] =>
  linesOf(reference).map((line) => {
    const { kind, outcome } = line as { kind: string; outcome?: string };
    return outcome ? `${kind} ${outcome}` : kind;
  });

test("a submitted order is open and can be paid at the wallet's page", async () => {
  const order = newOrder({ redirectUrl: "https://shop.example/thanks" });
  const answer = await call(wallet, "submit", order);

  assert.deepEqual(answer.result, { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." });
  const { providerOrderId, ...rest } = answer.order;
  const url = pageOf(answer.order);
  assert.match(String(providerOrderId), /^wo_[\w-]{24}$/);
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/pay\/[\w-]{24}$/);
  assert.deepEqual(rest, {
    reference: order.reference,
    paymentId: order.paymentId,
    state: "OPEN",
    amount: { currency: "EUR", value: "450" },
    nextAction: { type: "QR_CODE", code: url, url },
    sequence: 1,
  });
  assert.deepEqual(await call(wallet, "inquire", { reference: order.reference }), answer);
});

test("an order that was never submitted does not exist", async () => {
  const answer = await call(wallet, "inquire", { reference: "never" });
  assert.equal(answer.result["resultCode"], "ORDER_NOT_EXIST");
  assert.equal(answer.result["resultStatus"], "F");
  assert.equal(answer.order, undefined);
});

test("a repeated submit returns the same order in its current state, and the journal has both calls", async () => {
  const order = newOrder();
  const first = await call(wallet, "submit", order);
  await control(wallet, `POST payments/${order.paymentId}/pend`);
  const resubmitted = await call(wallet, "submit", {
    ...order,
    description: "Another text",
    notAfter: wireTime(Date.now() - 5 * minutesMs),
  });

  assert.equal(resubmitted.order["providerOrderId"], first.order["providerOrderId"]);
  assert.equal(resubmitted.order["state"], "PENDING");
  assert.deepEqual(kindsOf(order.reference), ["submit opened", "pending", "submit repeated"]);
});

const otherContent = {
  amount: { currency: "EUR", value: "451" },
  currency: { currency: "USD", value: "450" },
  paymentMethodType: "CARD",
  paymentId: "payment-other",
};
for (const [field, value] of Object.entries(otherContent)) {
  test(`a known reference with another ${field} is rejected`, async () => {
    const order = newOrder();
    await call(wallet, "submit", order);
    const resubmitted = await call(wallet, "submit", {
      ...order,
      [field === "currency" ? "amount" : field]: value,
    });

    assert.equal(resubmitted.result["resultCode"], "REPEAT_REQ_INCONSISTENT");
    assert.deepEqual(kindsOf(order.reference), ["submit opened", "submit inconsistent"]);
  });
}

test("an order that arrives after its notAfter is rejected, and its reference is closed permanently", async () => {
  const order = newOrder({ notAfter: wireTime(Date.now() - 2_000) });
  const late = await call(wallet, "submit", order);
  const resubmitted = await call(wallet, "submit", { ...order, notAfter: wireTime(Date.now() + minutesMs) });

  assert.equal(late.result["resultCode"], "ORDER_IS_CLOSED");
  assert.deepEqual(late.order, { reference: order.reference, state: "CLOSED" });
  assert.equal(resubmitted.result["resultStatus"], "S");
  assert.deepEqual(resubmitted.order, { reference: order.reference, state: "CLOSED" });
  assert.deepEqual(kindsOf(order.reference), ["submit too-late", "tombstone", "submit tombstoned"]);
});

test("a cancelled order is closed, and stays closed when it is submitted again", async () => {
  const order = newOrder();
  await call(wallet, "submit", order);
  const cancelled = await call(wallet, "cancel", { reference: order.reference });
  const resubmitted = await call(wallet, "submit", order);

  assert.equal(cancelled.order["state"], "CLOSED");
  assert.equal(cancelled.order["sequence"], 2);
  assert.equal(resubmitted.order["state"], "CLOSED");
  assert.deepEqual(kindsOf(order.reference), ["submit opened", "cancel closed", "closed", "submit repeated"]);
});

test("a pending order can be cancelled", async () => {
  const order = newOrder();
  await call(wallet, "submit", order);
  await control(wallet, `POST payments/${order.paymentId}/pend`);
  assert.equal((await call(wallet, "cancel", { reference: order.reference })).order["state"], "CLOSED");
});

test("cancelling an unknown reference leaves a tombstone that rejects a later submit", async () => {
  const order = newOrder();
  const { reference } = order;
  const cancelled = await call(wallet, "cancel", { reference });
  await call(wallet, "cancel", { reference });
  const submitted = await call(wallet, "submit", order);

  assert.equal(cancelled.result["resultStatus"], "S");
  for (const answer of [cancelled, submitted, await call(wallet, "inquire", { reference })])
    assert.deepEqual(answer.order, { reference, state: "CLOSED" });
  assert.deepEqual(kindsOf(reference), [
    "cancel tombstoned",
    "tombstone",
    "cancel tombstoned",
    "submit tombstoned",
  ]);
});

for (const [action, state] of [
  ["approve", "PAID"],
  ["decline", "DECLINED"],
] as const) {
  test(`an order that is ${state} is not changed by a cancel`, async () => {
    const order = newOrder();
    await call(wallet, "submit", order);
    const before = await control(wallet, `POST payments/${order.paymentId}/${action}`);
    const cancelled = await call(wallet, "cancel", { reference: order.reference });

    assert.equal(cancelled.order["state"], state);
    assert.deepEqual(cancelled.order, before.json.order);
  });
}

test("a paid order is refunded up to the paid amount, once for each refund reference", async () => {
  const order = newOrder();
  const { reference } = order;
  await call(wallet, "submit", order);
  const refund = (refundReference: string, value: string, currency = "EUR") =>
    call(wallet, "refund", { reference, refundReference, amount: { currency, value } });
  const early = await refund("refund-a", "300");
  await control(wallet, `POST payments/${order.paymentId}/approve`);

  const first = await refund("refund-a", "300");
  const repeated = await refund("refund-a", "300");
  const other = await refund("refund-a", "150");
  const tooMuch = await refund("refund-b", "151");
  const foreign = await refund("refund-b", "150", "USD");
  const rest = await refund("refund-b", "150");
  const more = await refund("refund-c", "1");

  assert.equal(early.result["resultCode"], "ORDER_STATUS_INVALID");
  assert.equal(first.result["resultStatus"], "S");
  assert.match(String(first.refund["providerRefundId"]), /^wr_/);
  assert.deepEqual(repeated, first);
  assert.equal(other.result["resultCode"], "REPEAT_REQ_INCONSISTENT");
  assert.equal(tooMuch.result["resultCode"], "REFUND_AMOUNT_EXCEED");
  assert.equal(foreign.result["resultCode"], "CURRENCY_NOT_SUPPORT");
  assert.equal(rest.result["resultStatus"], "S");
  assert.equal(more.result["resultCode"], "REFUND_AMOUNT_EXCEED");
  assert.deepEqual(kindsOf(reference).slice(1), [
    "refund refused",
    "paid",
    "refund done",
    "refunded",
    "refund repeated",
    "refund inconsistent",
    "refund refused",
    "refund refused",
    "refund done",
    "refunded",
    "refund refused",
  ]);
});

test("an unknown order can not be refunded", async () => {
  const fields = { reference: "never", refundReference: "r", amount: { currency: "EUR", value: "1" } };
  assert.equal((await call(wallet, "refund", fields)).result["resultCode"], "ORDER_NOT_EXIST");
});

for (const path of [
  "/wallet/v1/orders/inquire",
  "/provider/1.0/orders/inquire",
  "/provider/2.0/orders/inquire",
])
  test(`a signed response rejects ${path} and names the version that is served`, async () => {
    const { result } = await call(wallet, path, { reference: "r" });
    assert.equal(result["resultCode"], "NO_INTERFACE_DEF");
    assert.match(String(result["resultMessage"]), /\b1\.1\b/);
  });

// The rejected requests in order of precedence: each row passes every check above it and fails its own check.
const otherKey = newGatewayKey();
const unknownRsaKey = newGatewayKey("RSA256");
const refused = [
  ["NO_INTERFACE_DEF", "an unknown operation", "steal", {}],
  ["METHOD_NOT_SUPPORTED", "another method", "inquire", { method: "PUT" }],
  ["UNKNOWN_CLIENT", "another partner", "inquire", { clientId: "SOMEBODY" }],
  ["INVALID_SIGNATURE", "another key", "inquire", { privateKey: otherKey.privateKey }],
  ["INVALID_SIGNATURE", "another algorithm's name", "inquire", { algorithm: "RSA256" }],
  ["INVALID_SIGNATURE", "an algorithm in another spelling", "inquire", { algorithm: "ed25519" }],
  ["INVALID_SIGNATURE", "a key of another algorithm", "inquire", { privateKey: unknownRsaKey.privateKey }],
  [
    "INVALID_SIGNATURE",
    "a key of another algorithm with this one's name",
    "inquire",
    { privateKey: unknownRsaKey.privateKey, algorithm: "Ed25519" },
  ],
  [
    "PARAM_ILLEGAL",
    "a clock eleven minutes behind",
    "inquire",
    { time: wireTime(Date.now() - 11 * minutesMs) },
  ],
  [
    "PARAM_ILLEGAL",
    "a clock eleven minutes ahead",
    "inquire",
    { time: wireTime(Date.now() + 11 * minutesMs) },
  ],
  ["PARAM_ILLEGAL", "an invalid time", "inquire", { time: "yesterday" }],
] as const;
for (const [code, what, verb, sent] of refused) {
  test(`the wallet rejects ${what} with ${code}, in a signed response`, async () => {
    const answer = await call(wallet, verb, { reference: "never" }, sent);
    assert.equal(answer.status, 200);
    assert.equal(answer.result["resultCode"], code);
    assert.equal(answer.result["resultStatus"], "F");
  });
}

test("a header that occurs twice is rejected, even if both values are valid", async () => {
  const body = '{"reference":"never"}';
  const path = "/provider/1.1/orders/inquire";
  const time = wireTime(Date.now());
  const signature = signatureFor({ path, clientId: partnerId, time, body }, gateway.privateKey, 1);
  const headers = { "client-id": partnerId, "request-time": time, signature };
  const codes = [];
  for (const twice of [{}, { signature: [signature, signature] }, { "client-id": [partnerId, partnerId] }]) {
    const sent = request(wallet.ready.walletUrl + path, {
      method: "POST",
      headers: { ...headers, ...twice },
    });
    const [answer] = (await once(sent.end(body), "response")) as [IncomingMessage];
    const { result } = readObject(await readBody(answer)) as { result: Record<string, string> };
    codes.push(result["resultCode"]);
  }
  assert.deepEqual(codes, ["ORDER_NOT_EXIST", "INVALID_SIGNATURE", "UNKNOWN_CLIENT"]);
});

test("a body of more than 64 KiB is rejected", async () => {
  const { result } = await call(wallet, "submit", newOrder({ description: "x".repeat(65_536) }));
  assert.equal(result["resultMessage"], "The body is too long.");
});

test("a body that is not a JSON object is rejected", async () => {
  for (const body of ["not json", "[]", "null", '"text"']) {
    assert.equal((await call(wallet, "inquire", body)).result["resultCode"], "PARAM_ILLEGAL");
  }
});

const broken: readonly (readonly [field: string, value: unknown])[] = [
  ["reference", ""],
  ["paymentId", undefined],
  ["merchantId", undefined],
  ["account", ""],
  ["registrationId", "x".repeat(129)],
  ["merchantName", 5],
  ["amount", { currency: "EUR", value: "0450" }],
  ["amount", { currency: "EUR", value: 450 }],
  ["notAfter", "soon"],
  ["expiryTime", undefined],
  ["callbackUrl", "file:///etc/passwd"],
  ["redirectUrl", "x".repeat(2049)],
  ["data", { buyer: "Ann" }],
  ["data", { other: {} }],
];
for (const [field, value] of broken) {
  test(`an order with ${field} ${JSON.stringify(value)?.slice(0, 40)} is rejected with the field's name`, async () => {
    const order = newOrder({ [field]: value });
    const { result } = await call(wallet, "submit", order);
    assert.equal(result["resultCode"], "PARAM_ILLEGAL");
    assert.equal(result["resultMessage"], `${field} is missing or malformed.`);
    if (field !== "reference") assert.deepEqual(kindsOf(order.reference), ["submit malformed"]);
  });
}

test("after a key change of the gateway requests succeed as soon as the file contains the new key, of any version and algorithm", async () => {
  const rotated = await startWallet(newFolder(), "--algorithm", "RSA256");
  assert.equal(createPublicKey(readFileSync(rotated.ready.publicKeyFile)).asymmetricKeyType, "rsa");
  const next = newGatewayKey("RSA256");
  const sent = { privateKey: next.privateKey, keyVersion: 2 };
  const before = await call(rotated, "inquire", { reference: "never" }, sent);
  writeFileSync(join(rotated.folder, "gateway.pem"), gateway.publicPem + next.publicPem);
  const after = await call(rotated, "inquire", { reference: "never" }, sent);
  const old = await call(rotated, "inquire", { reference: "never" });

  assert.equal(before.result["resultCode"], "INVALID_SIGNATURE");
  assert.equal(after.result["resultCode"], "ORDER_NOT_EXIST");
  assert.equal(old.result["resultCode"], "ORDER_NOT_EXIST");
});

test("two hundred concurrent submits of one reference open one order", async () => {
  const order = newOrder();
  const responses = await Promise.all(Array.from({ length: 200 }, () => call(wallet, "submit", order)));
  assert.equal(new Set(responses.map((answer) => answer.order["providerOrderId"])).size, 1);
  const lines = kindsOf(order.reference);
  assert.equal(lines.filter((line) => line === "submit opened").length, 1);
  assert.equal(lines.filter((line) => line === "submit repeated").length, 199);
});
