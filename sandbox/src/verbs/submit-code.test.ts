import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startGateway } from "../testing/test-gateway.ts";
import {
  call,
  control,
  effects,
  newCode,
  newFolder,
  newOrder,
  startWallet,
  submitWithCode,
  pageOf,
} from "../testing/test-wallet.ts";

const folder = newFolder();
const gateway = await startGateway(join(folder, "wallet-public.pem"));
const wallet = await startWallet(folder);
let log = "";
wallet.process.stderr?.on("data", (text: Buffer) => (log += text.toString("utf8")));

test("a payment code has 24 digits that begin with 28, is unique, and is valid for a minute", async () => {
  const before = Date.now();
  const { json } = await control(wallet, "POST payment-codes");
  assert.match(String(json.paymentCode), /^281\d{3}02\d{16}$/);
  assert.match(String(json.expiryTime), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
  const lifetimeMs = Date.parse(String(json.expiryTime)) - before;
  assert.ok(lifetimeMs > 58_000 && lifetimeMs < 70_000, `${lifetimeMs} ms`);
  assert.notEqual(await newCode(wallet), await newCode(wallet));
});

test("an order with a valid code is paid at once, and the gateway gets the usual callback", async () => {
  const { fields, order, result } = await submitWithCode(wallet, await newCode(wallet), {
    callbackUrl: gateway.url,
  });
  assert.equal(result["resultCode"], "SUCCESS");
  assert.equal(order["state"], "PAID");
  assert.deepEqual(order["paidAmount"], { currency: "EUR", value: "450" });
  assert.equal(order["sequence"], 2);

  const [callback] = await gateway.until(1);
  assert.equal(callback?.reference, fields.reference);
  assert.equal(callback?.isSigned, true);
  assert.deepEqual(callback?.order, order);
  const paid = effects(wallet).filter((line) => line.kind === "paid" && line.reference === fields.reference);
  assert.equal(paid.length, 1);
});

test("with manual capture, a valid code holds the amount", async () => {
  const { fields, order } = await submitWithCode(wallet, await newCode(wallet), { capture: "MANUAL" });
  assert.equal(order["state"], "AUTHORIZED");
  const { reference } = fields;
  const amount = { currency: "EUR", value: "450" };
  const { capture } = await call(wallet, "capture", { reference, captureReference: "c-code", amount });
  assert.deepEqual(capture["amount"], amount);
});

test("an order with an unknown code is declined, and the order exists", async () => {
  const { fields, order, result } = await submitWithCode(wallet, "281000020000000000000000");
  assert.equal(result["resultCode"], "SUCCESS");
  assert.equal(order["state"], "DECLINED");
  assert.equal(order["resultCode"], "INVALID_CODE");
  assert.deepEqual((await call(wallet, "inquire", { reference: fields.reference })).order, order);
});

test("a code pays one order and no other", async () => {
  const code = await newCode(wallet);
  assert.equal((await submitWithCode(wallet, code)).order["state"], "PAID");
  assert.equal((await submitWithCode(wallet, code)).order["resultCode"], "INVALID_CODE");
});

test("an expired code is declined as expired, also when it is repeated", async () => {
  const code = await newCode(wallet, { lifetimeSeconds: 0 });
  assert.equal((await submitWithCode(wallet, code)).order["resultCode"], "EXPIRED_CODE");
  const { order } = await submitWithCode(wallet, code);
  assert.equal(order["state"], "DECLINED");
  assert.equal(order["resultCode"], "EXPIRED_CODE");
});

for (const [action, state] of [
  ["approve", "PAID"],
  ["decline", "DECLINED"],
] as const) {
  test(`a buyer who must confirm first can ${action}, and the code counts as used in the meantime`, async () => {
    const code = await newCode(wallet, { asks: true });
    const { fields, order } = await submitWithCode(wallet, code);
    assert.equal(order["state"], "OPEN");
    assert.equal((await submitWithCode(wallet, code)).order["resultCode"], "INVALID_CODE");
    assert.equal((await call(wallet, "submit", fields)).order["state"], "OPEN");

    const { json } = await control(wallet, `POST payments/${fields.paymentId}/${action}`);
    assert.equal(json.order?.["state"], state);
    assert.deepEqual((await call(wallet, "submit", fields)).order, json.order);
  });
}

test("a buyer who must confirm first can do this on the wallet's page", async () => {
  const { fields, order } = await submitWithCode(wallet, await newCode(wallet, { asks: true }));
  await fetch(pageOf(order), { method: "POST", body: new URLSearchParams({ choice: "approve" }) });
  assert.equal((await call(wallet, "inquire", { reference: fields.reference })).order["state"], "PAID");
});

test("a declined buyer gets the reason, and the code counts as used", async () => {
  const code = await newCode(wallet, { declines: "USER_BALANCE_NOT_ENOUGH" });
  const { order } = await submitWithCode(wallet, code);
  assert.equal(order["state"], "DECLINED");
  assert.equal(order["resultCode"], "USER_BALANCE_NOT_ENOUGH");
  assert.equal((await submitWithCode(wallet, code)).order["resultCode"], "INVALID_CODE");
});

test("a repeated submit returns the same order and uses no code", async () => {
  const { fields, order } = await submitWithCode(wallet, await newCode(wallet));
  for (let count = 0; count < 3; count += 1)
    assert.deepEqual((await call(wallet, "submit", fields)).order, order);
  const lines = effects(wallet).filter((line) => "reference" in line && line.reference === fields.reference);
  assert.deepEqual(
    lines.filter(({ kind }) => kind !== "callback").map(({ kind }) => kind),
    ["submit", "paid", "submit", "submit", "submit"],
  );

  const bad = await submitWithCode(wallet, "2810000200000000");
  assert.deepEqual((await call(wallet, "submit", bad.fields)).order, bad.order);
});

test("a known reference with another code, or without one, is rejected and leaves the code valid", async () => {
  const { fields } = await submitWithCode(wallet, await newCode(wallet));
  const other = await newCode(wallet);
  const { paymentCode: _, ...without } = fields;
  for (const repeat of [{ ...fields, paymentCode: other }, without]) {
    const { result } = await call(wallet, "submit", repeat);
    assert.equal(result["resultCode"], "REPEAT_REQ_INCONSISTENT");
  }
  assert.equal((await submitWithCode(wallet, other)).order["state"], "PAID");

  const plain = newOrder();
  await call(wallet, "submit", plain);
  const { result } = await call(wallet, "submit", { ...plain, paymentCode: await newCode(wallet) });
  assert.equal(result["resultCode"], "REPEAT_REQ_INCONSISTENT");
});

test("an order that was cancelled before it arrived leaves the code valid", async () => {
  const code = await newCode(wallet);
  const order = newOrder({ paymentCode: code });
  await call(wallet, "cancel", { reference: order.reference });
  assert.equal((await call(wallet, "submit", order)).order["state"], "CLOSED");
  assert.equal((await submitWithCode(wallet, code)).order["state"], "PAID");
});

test("an order that arrives after its expiryTime stays open", async () => {
  const { fields, order } = await submitWithCode(wallet, await newCode(wallet), {
    expiryTime: "2026-01-01T00:00:00+00:00",
  });
  assert.equal(order["state"], "OPEN");
  assert.equal((await call(wallet, "submit", fields)).order["state"], "OPEN");
  assert.equal((await call(wallet, "cancel", { reference: fields.reference })).order["state"], "CLOSED");
});

test("a released hold is not restored by a repeat, even with the fault late-success", async () => {
  const { fields } = await submitWithCode(wallet, await newCode(wallet), { capture: "MANUAL" });
  await call(wallet, "cancel", { reference: fields.reference });
  await control(wallet, "POST faults", { kind: "late-success", match: { paymentId: fields.paymentId } });
  assert.equal((await call(wallet, "submit", fields)).order["state"], "CLOSED");
});

test("a payment code must have 16 to 32 digits", async () => {
  for (const paymentCode of [
    "281000021234567",
    "2".repeat(33),
    "28100002 12345678",
    "28100002abcdefgh",
    28,
    "",
  ]) {
    const { result } = await call(wallet, "submit", newOrder({ paymentCode }));
    assert.equal(result["resultCode"], "PARAM_ILLEGAL", String(paymentCode));
    assert.equal(result["resultMessage"], "paymentCode is missing or malformed.");
  }
  for (const length of [16, 32])
    assert.equal((await submitWithCode(wallet, "2".repeat(length))).order["resultCode"], "INVALID_CODE");
});

test("a wallet that is not idempotent opens a second order, for which the code is already used", async () => {
  const { fields, order } = await submitWithCode(wallet, await newCode(wallet));
  await control(wallet, "POST faults", { kind: "not-idempotent", match: { paymentId: fields.paymentId } });
  const second = await call(wallet, "submit", fields);
  assert.notEqual(second.order["providerOrderId"], order["providerOrderId"]);
  assert.equal(second.order["resultCode"], "INVALID_CODE");
  const { json } = await control(wallet, `GET orders?paymentId=${fields.paymentId}`);
  assert.deepEqual(json.orders, [order, second.order]);
});

test("only the newest code of a buyer is valid; codes of other buyers stay valid", async () => {
  const [first, otherBuyersCode, codeWithoutBuyer] = [
    await newCode(wallet, { buyer: "ann" }),
    await newCode(wallet, { buyer: "bob" }),
    await newCode(wallet),
  ];
  const second = await newCode(wallet, { buyer: "ann" });
  await newCode(wallet);
  assert.equal((await submitWithCode(wallet, first)).order["resultCode"], "INVALID_CODE");
  for (const good of [second, otherBuyersCode, codeWithoutBuyer])
    assert.equal((await submitWithCode(wallet, good)).order["state"], "PAID");
});

test("a request for a payment code with contradictory options is rejected", async () => {
  for (const invalidRequest of [
    { asks: "yes" },
    { declines: "no money" },
    { declines: 1 },
    { asks: true, declines: "RISK_REJECT" },
    { buyer: "" },
    { buyer: "x".repeat(65) },
    { lifetimeSeconds: -1 },
    { lifetimeSeconds: 1.5 },
    { lifetimeSeconds: 31_536_001 },
  ])
    assert.equal(
      (await control(wallet, "POST payment-codes", invalidRequest)).status,
      400,
      JSON.stringify(invalidRequest),
    );
  assert.equal((await control(wallet, "POST payment-codes", {}, "Bearer wrong")).status, 401);
});

test("codes that were issued before a SIGKILL are valid after it, and used and replaced ones are not", async () => {
  const first = await startWallet();
  const [fresh, used, replaced] = [
    await newCode(first, { lifetimeSeconds: 600 }),
    await newCode(first, { lifetimeSeconds: 600 }),
    await newCode(first, { lifetimeSeconds: 600, buyer: "ann" }),
  ];
  const newest = await newCode(first, { lifetimeSeconds: 600, buyer: "ann" });
  const asks = await newCode(first, { lifetimeSeconds: 600, asks: true });
  const paid = await submitWithCode(first, used);
  await first.end("SIGKILL");

  const port = new URL(first.ready.walletUrl).port;
  const restarted = await startWallet(first.folder, "--port", port);
  assert.deepEqual((await call(restarted, "submit", paid.fields)).order, paid.order);
  for (const bad of [used, replaced])
    assert.equal((await submitWithCode(restarted, bad)).order["resultCode"], "INVALID_CODE");
  assert.equal((await submitWithCode(restarted, fresh)).order["state"], "PAID");
  assert.equal((await submitWithCode(restarted, asks)).order["state"], "OPEN");
  const last = await newCode(restarted, { buyer: "ann" });
  assert.equal((await submitWithCode(restarted, newest)).order["resultCode"], "INVALID_CODE");
  assert.equal((await submitWithCode(restarted, last)).order["state"], "PAID");
});

test("the code itself is not stored anywhere, only its hash", async () => {
  const codes = [await newCode(wallet), await newCode(wallet, { asks: true }), "281000021111222233334444"];
  for (const code of codes) await submitWithCode(wallet, code);
  await call(wallet, "submit", newOrder({ paymentCode: codes[0], amount: "malformed" }));
  await control(wallet, "POST faults", { kind: "error-500", match: { verb: "submit" } });
  await call(wallet, "submit", newOrder({ paymentCode: codes[0] })).catch(() => undefined);

  const journal = readFileSync(join(folder, "effects.jsonl"), "utf8");
  for (const code of codes) {
    assert.ok(!journal.includes(code));
    assert.ok(!log.includes(code));
    assert.ok(journal.includes(createHash("sha256").update(code).digest("hex")));
  }
});
