import assert from "node:assert/strict";
import { test } from "node:test";
import { call, control, effects, newFolder, newOrder, startWallet } from "../testing/test-wallet.ts";

const folder = newFolder();
const wallet = await startWallet(folder);
const amount = { currency: "EUR", value: "450" };

interface DisputedOrder {
  readonly reference: string;
  readonly paymentId: string;
  readonly walletDisputeId: string;
}

async function openDisputedOrder(terms: object = {}): Promise<DisputedOrder> {
  const order = newOrder({ amount });
  const { reference, paymentId } = order;
  await call(wallet, "submit", order);
  await control(wallet, `POST payments/${paymentId}/approve`);
  await control(wallet, `POST payments/${paymentId}/dispute`, terms);
  const line = effects(wallet).find((each) => each.kind === "dispute-opened" && each.paymentId === paymentId);
  assert(line?.kind === "dispute-opened");
  return { reference, paymentId, walletDisputeId: line.walletDisputeId };
}

async function callVerb(verb: string, { walletDisputeId }: DisputedOrder, more: object = {}, at = wallet) {
  const answerReference = `${verb} ${walletDisputeId}`.replaceAll(" ", "-").slice(0, 64);
  const fields = { walletDisputeId, answerReference, reason: "MERCHANT_ACCEPTED", ...more };
  const answer = await call(at, `disputes/${verb}`, fields);
  const { dispute } = answer as unknown as { dispute?: Readonly<Record<string, unknown>> };
  return { code: answer.result["resultCode"], state: dispute?.["state"], dispute };
}

const lines = ({ walletDisputeId }: DisputedOrder): readonly string[] =>
  effects(wallet)
    .filter((line) => "walletDisputeId" in line && line.walletDisputeId === walletDisputeId)
    .map((line) => ("outcome" in line ? `${line.kind} ${line.outcome}` : line.kind));

test("a dispute answer takes effect once, a repeat has no effect, and a late answer returns the dispute's state", async () => {
  const it = await openDisputedOrder();
  const first = await callVerb("accept-dispute", it);
  assert.deepEqual([first.code, first.state], ["SUCCESS", "ACCEPTED"]);
  assert.deepEqual(first.dispute?.["takenAmount"], amount);
  assert.deepEqual(await callVerb("accept-dispute", it), first);
  assert.equal((await callVerb("accept-dispute", it, { evidence: "other" })).code, "REPEAT_REQ_INCONSISTENT");
  const late = await callVerb("defend-dispute", it);
  assert.deepEqual([late.code, late.state], ["ORDER_STATUS_INVALID", "ACCEPTED"]);
  assert.equal((await callVerb("inquire-dispute", it)).state, "ACCEPTED");
  assert.deepEqual(lines(it), [
    "dispute-opened",
    "dispute-changed",
    "accept-dispute done",
    "accept-dispute repeated",
    "accept-dispute inconsistent",
    "defend-dispute refused",
  ]);
});

test("a disputed amount can not be refunded, and a refunded amount is not taken again by a dispute", async () => {
  const it = await openDisputedOrder({ amount: { currency: "EUR", value: "300" } });
  const { reference, paymentId } = it;
  const refund = { reference, refundReference: `r-${paymentId}`, amount: { currency: "EUR", value: "200" } };
  assert.equal((await call(wallet, "refund", refund)).result["resultCode"], "REFUND_AMOUNT_EXCEED");
  const less = { ...refund, amount: { currency: "EUR", value: "150" } };
  assert.equal((await call(wallet, "refund", less)).result["resultCode"], "SUCCESS");
  await control(wallet, `POST disputes/${paymentId}/cancel`);
  await control(wallet, `POST payments/${paymentId}/dispute`);
  await control(wallet, `POST disputes/${paymentId}/judge-lost`);
  const last = effects(wallet).findLast((line) => line.kind === "dispute-changed");
  assert.deepEqual(last?.kind === "dispute-changed" && last.takenAmount, { currency: "EUR", value: "300" });
});

test("an answer to an unknown dispute, or a malformed answer, is rejected", async () => {
  const it = await openDisputedOrder();
  assert.equal(
    (await callVerb("accept-dispute", { ...it, walletDisputeId: "never" })).code,
    "RECORD_NOT_FOUND",
  );
  assert.equal(
    (await callVerb("inquire-dispute", { ...it, walletDisputeId: "never" })).code,
    "RECORD_NOT_FOUND",
  );
  assert.equal((await callVerb("accept-dispute", it, { answerReference: "" })).code, "PARAM_ILLEGAL");
  assert.equal(
    (await callVerb("defend-dispute", it, { evidence: "x".repeat(1_000_001) })).code,
    "PARAM_ILLEGAL",
  );
  assert.equal((await callVerb("defend-dispute", it, { evidence: "x".repeat(1_000_000) })).code, "SUCCESS");
});

test("disputes and answers survive a restart", async () => {
  const it = await openDisputedOrder();
  await callVerb("defend-dispute", it);
  await wallet.end("SIGKILL");
  const restarted = await startWallet(folder);
  assert.equal((await callVerb("defend-dispute", it, {}, restarted)).code, "SUCCESS");
  assert.equal((await callVerb("inquire-dispute", it, {}, restarted)).state, "DEFENDED");
});
