import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { call, control, newOrder, startWallet, type TestWallet } from "../testing/test-wallet.ts";

const wallet = await startWallet();
const eur = (value: string) => ({ currency: "EUR", value });

/** An order of 450 cents that the buyer has approved. */
async function openOrder(mode: "AUTOMATIC" | "MANUAL", at: TestWallet = wallet) {
  const order = newOrder({ capture: mode });
  await call(at, "submit", order);
  await control(at, `POST payments/${order.paymentId}/approve`);
  return order;
}

/** Adds a fault to one payment, and fails if the wallet rejects it. */
async function addFault(paymentId: string, fault: object, at: TestWallet = wallet): Promise<void> {
  const { status, json } = await control(at, "POST faults", { match: { paymentId }, ...fault });
  assert.equal(status, 200, json.problem);
}

function capture(reference: string, captureReference: string, value: string, more: object = {}) {
  return call(wallet, "capture", { reference, captureReference, amount: eur(value), ...more });
}

function refund(reference: string, refundReference: string, value: string) {
  return call(wallet, "refund", { reference, refundReference, amount: eur(value) });
}

async function orderOf(reference: string, at: TestWallet = wallet) {
  return (await call(at, "inquire", { reference })).order;
}

test("a pending capture is done when control finishes it, and its amount is not available meanwhile", async () => {
  const { reference, paymentId } = await openOrder("MANUAL");
  await addFault(paymentId, { kind: "capture-pending" });
  const pending = await capture(reference, "slow", "400");
  const repeated = await capture(reference, "slow", "400");
  const tooMuch = await capture(reference, "slow-rest", "51");
  assert.equal(pending.capture["state"], "PROCESSING");
  assert.equal(pending.capture["captureTime"], undefined);
  assert.deepEqual(repeated, pending);
  assert.equal(tooMuch.result["resultCode"], "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT");

  const { json } = await control(wallet, "POST captures/slow/finish");
  const { capture: reported } = await call(wallet, "inquire-capture", { captureReference: "slow" });
  assert.equal(reported["state"], "DONE");
  assert.match(String(reported["captureTime"]), /^\d{4}-.+\+00:00$/);
  assert.equal(reported["providerCaptureId"], pending.capture["providerCaptureId"]);
  assert.deepEqual(json.capture, reported);
  assert.equal((await control(wallet, "POST captures/slow/fail")).status, 409);
});

test("a refund of a capture that is in progress is rejected, because nothing is paid yet", async () => {
  const { reference, paymentId } = await openOrder("MANUAL");
  await addFault(paymentId, { kind: "capture-pending" });
  await capture(reference, "unpaid", "450");
  assert.equal((await refund(reference, "unpaid", "1")).result["resultCode"], "REFUND_AMOUNT_EXCEED");
});

test("the amount of a failed capture can be captured again, or the hold can be cancelled", async () => {
  const { reference, paymentId } = await openOrder("MANUAL");
  await addFault(paymentId, { kind: "capture-pending", count: 2 });
  await capture(reference, "failing", "450");
  assert.equal((await call(wallet, "cancel", { reference })).order["state"], "AUTHORIZED");
  await control(wallet, "POST captures/failing/fail", { resultCode: "RISK_REJECT" });
  const failed = await capture(reference, "failing", "450");
  assert.equal(failed.capture["state"], "FAILED");
  assert.equal(failed.capture["resultCode"], "RISK_REJECT");

  assert.equal((await capture(reference, "failing-again", "450")).capture["state"], "PROCESSING");
  await control(wallet, "POST captures/failing-again/fail");
  assert.equal((await call(wallet, "cancel", { reference })).order["state"], "CLOSED");
});

test("the rest of a hold is released when its pending last capture is done, and not before", async () => {
  const { reference, paymentId } = await openOrder("MANUAL");
  await addFault(paymentId, { kind: "capture-pending" });
  await capture(reference, "last", "300", { isLast: true });
  assert.equal((await capture(reference, "before-last", "50")).capture["state"], "DONE");
  await control(wallet, "POST captures/last/finish");
  const after = await capture(reference, "after-last", "1");
  assert.equal(after.result["resultCode"], "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT");
});

test("a refund that fails, also after it was done, can be refunded again", async () => {
  const { reference } = await openOrder("AUTOMATIC");
  const done = await refund(reference, "returned", "450");
  assert.equal((await refund(reference, "returned-2", "450")).result["resultCode"], "REFUND_AMOUNT_EXCEED");
  const { json } = await control(wallet, "POST refunds/returned/fail", {
    resultCode: "USER_STATUS_ABNORMAL",
  });
  assert.deepEqual(json.refund, { ...done.refund, state: "FAILED", resultCode: "USER_STATUS_ABNORMAL" });
  assert.deepEqual((await refund(reference, "returned", "450")).refund, json.refund);
  assert.equal((await refund(reference, "returned-2", "450")).refund["state"], "DONE");
  assert.equal((await control(wallet, "POST refunds/returned/fail")).status, 409);
});

test("an order keeps its state while its cancel is in progress, and then is closed", async () => {
  const { reference, paymentId } = await openOrder("MANUAL");
  const before = await orderOf(reference);
  await addFault(paymentId, { kind: "cancel-pending" });
  const { order: pending } = await call(wallet, "cancel", { reference });
  const sequence = Number(before["sequence"]);
  assert.deepEqual(pending, { ...before, cancel: { state: "PROCESSING" }, sequence: sequence + 1 });
  assert.deepEqual((await call(wallet, "cancel", { reference })).order, pending);
  assert.equal((await capture(reference, "too-late", "1")).result["resultCode"], "ORDER_STATUS_INVALID");

  const { json } = await control(wallet, `POST payments/${paymentId}/finish-cancel`);
  assert.equal(json.order?.["state"], "CLOSED");
  assert.deepEqual(json.order?.["cancel"], { state: "DONE" });
  assert.equal(json.order?.["sequence"], sequence + 2);
  assert.deepEqual(await orderOf(reference), json.order);
  assert.equal((await control(wallet, `POST payments/${paymentId}/finish-cancel`)).status, 409);
});

test("a failed cancel leaves the order as it was, and the next cancel is a new attempt", async () => {
  const { reference, paymentId } = await openOrder("MANUAL");
  await addFault(paymentId, { kind: "cancel-pending" });
  const failing = control(wallet, `POST payments/${paymentId}/fail-cancel`, { resultCode: "RISK_REJECT" });
  await wait(50);
  await call(wallet, "cancel", { reference });
  const { order } = (await failing).json;
  assert.equal(order?.["state"], "AUTHORIZED");
  assert.deepEqual(order?.["cancel"], { state: "FAILED", resultCode: "RISK_REJECT" });
  assert.equal((await call(wallet, "cancel", { reference })).order["state"], "CLOSED");
});

test("a buyer who pays while a cancel is in progress makes the cancel fail", async () => {
  const order = newOrder();
  const { reference, paymentId } = order;
  await call(wallet, "submit", order);
  await addFault(paymentId, { kind: "cancel-pending" });
  await call(wallet, "cancel", { reference });
  const { json } = await control(wallet, `POST payments/${paymentId}/approve`);
  assert.equal(json.order?.["state"], "PAID");
  assert.deepEqual(json.order?.["cancel"], { state: "FAILED", resultCode: "ORDER_STATUS_INVALID" });
});

test("a cancel that has no effect leaves no trace on the order", async () => {
  const { reference } = await openOrder("AUTOMATIC");
  const before = await orderOf(reference);
  assert.deepEqual((await call(wallet, "cancel", { reference })).order, before);
});

test("a lapsed hold takes no new capture, and its pending capture is still decided", async () => {
  const { reference, paymentId } = await openOrder("MANUAL");
  await capture(reference, "lapse-1", "100");
  await addFault(paymentId, { kind: "capture-pending" });
  await capture(reference, "lapse-2", "200");
  const { json } = await control(wallet, `POST payments/${paymentId}/lapse`);
  assert.equal(json.order?.["state"], "LAPSED");
  assert.deepEqual(json.order?.["paidAmount"], eur("450"));
  assert.equal((await capture(reference, "lapse-3", "1")).result["resultCode"], "ORDER_STATUS_INVALID");
  assert.equal((await call(wallet, "cancel", { reference })).order["state"], "LAPSED");

  await control(wallet, "POST captures/lapse-2/finish");
  assert.equal((await refund(reference, "lapse-4", "301")).result["resultCode"], "REFUND_AMOUNT_EXCEED");
  assert.equal((await refund(reference, "lapse-5", "300")).refund["state"], "DONE");
});

test("pending captures, refunds and cancels end by themselves, also after SIGKILL", async () => {
  const first = await startWallet();
  const [captured, failed, paid, cancelled, open] = [
    await openOrder("MANUAL", first),
    await openOrder("MANUAL", first),
    await openOrder("AUTOMATIC", first),
    await openOrder("MANUAL", first),
    await openOrder("MANUAL", first),
  ];
  const delayMs = 50;
  const failing = { outcome: "FAILED", resultCode: "RISK_REJECT", delayMs };
  await addFault(captured.paymentId, { kind: "capture-pending", delayMs }, first);
  await addFault(failed.paymentId, { kind: "capture-pending", ...failing }, first);
  await addFault(paid.paymentId, { kind: "refund-pending", ...failing }, first);
  await addFault(cancelled.paymentId, { kind: "cancel-pending", delayMs }, first);
  await addFault(open.paymentId, { kind: "cancel-pending" }, first);
  const amount = eur("450");
  for (const { reference } of [captured, failed])
    await call(first, "capture", { reference, captureReference: reference, amount });
  await call(first, "refund", { reference: paid.reference, refundReference: "r", amount });
  for (const { reference } of [cancelled, open]) await call(first, "cancel", { reference });
  await first.end("SIGKILL");

  const restarted = await startWallet(first.folder);
  const captureState = async ({ reference }: { readonly reference: string }) =>
    (await call(restarted, "inquire-capture", { captureReference: reference })).capture["state"];
  const states = async () => [
    await captureState(captured),
    await captureState(failed),
    (await call(restarted, "inquire-refund", { refundReference: "r" })).refund["resultCode"],
    (await orderOf(cancelled.reference, restarted))["state"],
    (await orderOf(open.reference, restarted))["cancel"],
  ];
  const ended = ["DONE", "FAILED", "RISK_REJECT", "CLOSED", { state: "PROCESSING" }];
  const deadlineMs = Date.now() + 5_000;
  while (JSON.stringify(await states()) !== JSON.stringify(ended) && Date.now() < deadlineMs) await wait(10);
  assert.deepEqual(await states(), ended);
  const { json } = await control(restarted, `POST payments/${open.paymentId}/finish-cancel`);
  assert.equal(json.order?.["state"], "CLOSED");
});

test("a refused outcome of a fault names the outcomes", async () => {
  const { status, json } = await control(wallet, "POST faults", { kind: "capture-pending", outcome: "LOST" });
  assert.equal(status, 400);
  assert.equal(json.problem, "outcome is DONE or FAILED.");
});
