import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { call, control, effects, newOrder, startWallet } from "../testing/test-wallet.ts";

const wallet = await startWallet();

async function openPaidOrder() {
  const order = newOrder();
  await call(wallet, "submit", order);
  await control(wallet, `POST payments/${order.paymentId}/approve`);
  return order;
}

function refund(reference: string, refundReference: string, value = "450") {
  return call(wallet, "refund", { reference, refundReference, amount: { currency: "EUR", value } });
}

async function addPendingRefundFault(paymentId: string, delayMs?: number): Promise<void> {
  const fault = { kind: "refund-pending", match: { paymentId }, ...(delayMs && { delayMs }) };
  assert.equal((await control(wallet, "POST faults", fault)).status, 200);
}

function refundedLines(refundReference: string): number {
  return effects(wallet).filter(
    (line) => line.kind === "refunded" && line.refundReference === refundReference,
  ).length;
}

test("a refund completes at once, and an inquiry reports the same", async () => {
  const { reference } = await openPaidOrder();
  const refundResponse = await refund(reference, "plain");
  assert.equal(refundResponse.refund["state"], "DONE");
  assert.match(String(refundResponse.refund["refundTime"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
  assert.deepEqual(await call(wallet, "inquire-refund", { refundReference: "plain" }), refundResponse);
});

test("a refund that was never sent, or was rejected, does not exist", async () => {
  const { reference } = await openPaidOrder();
  await refund(reference, "refused", "451");
  for (const refundReference of ["never", "refused"]) {
    const { result } = await call(wallet, "inquire-refund", { refundReference });
    assert.equal(result["resultCode"], "ORDER_NOT_EXIST");
    assert.equal(result["resultStatus"], "F");
  }
  const { result } = await call(wallet, "inquire-refund", {});
  assert.equal(result["resultMessage"], "refundReference is missing or malformed.");
});

test("a pending refund completes when control finishes it, and counts from its start", async () => {
  const { reference, paymentId } = await openPaidOrder();
  await addPendingRefundFault(paymentId);
  const pendingRefund = await refund(reference, "slow", "400");
  const repeated = await refund(reference, "slow", "400");
  const tooMuch = await refund(reference, "slow-rest", "51");

  assert.equal(pendingRefund.result["resultStatus"], "S");
  assert.equal(pendingRefund.refund["state"], "PROCESSING");
  assert.equal(pendingRefund.refund["refundTime"], undefined);
  assert.deepEqual(repeated, pendingRefund);
  assert.deepEqual(await call(wallet, "inquire-refund", { refundReference: "slow" }), pendingRefund);
  assert.equal(tooMuch.result["resultCode"], "REFUND_AMOUNT_EXCEED");
  assert.equal(refundedLines("slow"), 0);

  const finished = await control(wallet, "POST refunds/slow/finish");
  assert.equal(finished.status, 200);
  assert.equal(finished.json.refund?.["state"], "DONE");
  assert.equal(refundedLines("slow"), 1);
  const inquired = await call(wallet, "inquire-refund", { refundReference: "slow" });
  assert.deepEqual(inquired.refund, finished.json.refund);
  assert.equal(inquired.refund["providerRefundId"], pendingRefund.refund["providerRefundId"]);
  assert.equal((await control(wallet, "POST refunds/slow/finish")).status, 409);
  assert.equal((await refund(reference, "slow-rest", "50")).refund["state"], "DONE");
});

test("a pending refund completes automatically after its delay", async () => {
  const { reference, paymentId } = await openPaidOrder();
  await addPendingRefundFault(paymentId, 300);
  assert.equal((await refund(reference, "timed")).refund["state"], "PROCESSING");
  await wait(100);
  assert.equal(refundedLines("timed"), 0);
  const deadlineMs = Date.now() + 5_000;
  while (refundedLines("timed") === 0 && Date.now() < deadlineMs) await wait(10);
  const { refund: reportedRefund } = await call(wallet, "inquire-refund", { refundReference: "timed" });
  assert.equal(reportedRefund["state"], "DONE");
  await wait(50);
  assert.equal(refundedLines("timed"), 1);
});

test("a refund that control finishes early does not complete a second time at its planned time", async () => {
  const { reference, paymentId } = await openPaidOrder();
  await addPendingRefundFault(paymentId, 150);
  await refund(reference, "early");
  assert.equal((await control(wallet, "POST refunds/early/finish")).status, 200);
  await wait(250);
  assert.equal(refundedLines("early"), 1);
});

test("control waits for a refund in transit, whatever characters its reference has", async () => {
  const { reference, paymentId } = await openPaidOrder();
  await addPendingRefundFault(paymentId);
  const name = "refund/50%";
  const finished = control(wallet, `POST refunds/${encodeURIComponent(name)}/finish`);
  await wait(100);
  await refund(reference, name);
  assert.equal((await finished).json.refund?.["state"], "DONE");
});

test("pending refunds survive a restart, and complete at their time", async () => {
  const first = await startWallet();
  const order = newOrder();
  const { reference, paymentId } = order;
  const amount = { currency: "EUR", value: "200" };
  await call(first, "submit", order);
  await control(first, `POST payments/${paymentId}/approve`);
  await control(first, "POST faults", { kind: "refund-pending", delayMs: 50 });
  await control(first, "POST faults", { kind: "refund-pending" });
  await call(first, "refund", { reference, refundReference: "timed", amount });
  const open = await call(first, "refund", { reference, refundReference: "open", amount });
  await first.end("SIGKILL");

  const restarted = await startWallet(first.folder);
  assert.deepEqual(await call(restarted, "inquire-refund", { refundReference: "open" }), open);
  const more = { reference, refundReference: "more", amount: { currency: "EUR", value: "51" } };
  assert.equal((await call(restarted, "refund", more)).result["resultCode"], "REFUND_AMOUNT_EXCEED");
  const deadlineMs = Date.now() + 5_000;
  const states = async () =>
    Promise.all(
      ["timed", "open"].map(
        async (refundReference) =>
          (await call(restarted, "inquire-refund", { refundReference })).refund["state"],
      ),
    );
  while ((await states())[0] !== "DONE" && Date.now() < deadlineMs) await wait(10);
  assert.deepEqual(await states(), ["DONE", "PROCESSING"]);
  assert.equal((await control(restarted, "POST refunds/open/finish")).status, 200);
  assert.deepEqual(await states(), ["DONE", "DONE"]);
});
