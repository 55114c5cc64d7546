import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { call, control, effects, newFolder, newOrder, startWallet } from "../testing/test-wallet.ts";

const folder = newFolder();
const wallet = await startWallet(folder);
const amount = { currency: "EUR", value: "450" };

interface DisputedOrder {
  readonly reference: string;
  readonly paymentId: string;
  readonly providerDisputeId: string;
}

async function openDisputedOrder(terms: object = {}): Promise<DisputedOrder> {
  const order = newOrder({ amount });
  const { reference, paymentId } = order;
  await call(wallet, "submit", order);
  await control(wallet, `POST payments/${paymentId}/approve`);
  await control(wallet, `POST payments/${paymentId}/dispute`, terms);
  const line = effects(wallet).find((each) => each.kind === "dispute-opened" && each.paymentId === paymentId);
  assert(line?.kind === "dispute-opened");
  return { reference, paymentId, providerDisputeId: line.providerDisputeId };
}

async function callVerb(verb: string, { providerDisputeId }: DisputedOrder, more: object = {}, at = wallet) {
  const answerReference = `${verb} ${providerDisputeId}`.replaceAll(" ", "-").slice(0, 64);
  const fields = { providerDisputeId, answerReference, reason: "MERCHANT_ACCEPTED", ...more };
  const answer = await call(at, `disputes/${verb}`, fields);
  const { dispute } = answer as unknown as { dispute?: Readonly<Record<string, unknown>> };
  return { code: answer.result["resultCode"], state: dispute?.["state"], dispute };
}

function buildDocument(type: string, content: Buffer | string, format = "PDF"): object {
  const bytes = Buffer.from(content);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { type, format, content: bytes.toString("base64"), sha256 };
}

const lines = ({ providerDisputeId }: DisputedOrder): readonly string[] =>
  effects(wallet)
    .filter((line) => "providerDisputeId" in line && line.providerDisputeId === providerDisputeId)
    .map((line) => ("outcome" in line ? `${line.kind} ${line.outcome}` : line.kind));

test("a dispute answer takes effect once, a repeat has no effect, and a late answer returns the dispute's state", async () => {
  const it = await openDisputedOrder();
  const first = await callVerb("accept-dispute", it);
  assert.deepEqual([first.code, first.state], ["SUCCESS", "ACCEPTED"]);
  assert.deepEqual(first.dispute?.["takenAmount"], amount);
  assert.deepEqual(await callVerb("accept-dispute", it), first);
  assert.equal(
    (await callVerb("accept-dispute", it, { evidence: [buildDocument("OTHER", "other")] })).code,
    "REPEAT_REQ_INCONSISTENT",
  );
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
    (await callVerb("accept-dispute", { ...it, providerDisputeId: "never" })).code,
    "RECORD_NOT_FOUND",
  );
  assert.equal(
    (await callVerb("inquire-dispute", { ...it, providerDisputeId: "never" })).code,
    "RECORD_NOT_FOUND",
  );
  assert.equal((await callVerb("accept-dispute", it, { answerReference: "" })).code, "PARAM_ILLEGAL");
});

test("a defense has up to ten typed documents of 1 MiB together, and the digest of each is verified", async () => {
  const it = await openDisputedOrder({ wantedEvidence: ["RECEIPT", "OTHER"] });
  assert.deepEqual((await callVerb("inquire-dispute", it)).dispute?.["wantedEvidence"], ["RECEIPT", "OTHER"]);
  const [receipt, largest] = [
    buildDocument("RECEIPT", "%PDF-1"),
    buildDocument("OTHER", Buffer.alloc(1024 * 1024 - 6, 7), "ZIP"),
  ];
  for (const evidence of [
    "JVBERi0x",
    [{ ...receipt, type: "INVOICE" }],
    [{ ...receipt, format: "EXE" }],
    [{ ...receipt, content: "" }],
    [receipt, { ...receipt, sha256: "0".repeat(64) }],
    [receipt, largest, buildDocument("OTHER", "x")],
    Array.from({ length: 11 }, () => receipt),
  ])
    assert.equal((await callVerb("defend-dispute", it, { evidence })).code, "PARAM_ILLEGAL");
  assert.equal((await callVerb("defend-dispute", it, { evidence: [receipt, largest] })).code, "SUCCESS");
  const answered = effects(wallet).findLast((line) => line.kind === "dispute-changed");
  assert(answered?.kind === "dispute-changed");
  assert.deepEqual(
    answered.answer?.documents?.map(({ type, format, bytes }) => [type, format, bytes]),
    [
      ["RECEIPT", "PDF", 6],
      ["OTHER", "ZIP", 1024 * 1024 - 6],
    ],
  );
});

test("a fraud warning is final at once, moves no money and leaves the whole amount to be refunded", async () => {
  const it = await openDisputedOrder({ disputeType: "FRAUD_WARNING" });
  const { state, dispute } = await callVerb("inquire-dispute", it);
  assert.equal(state, "RESOLVED");
  assert.deepEqual(
    [dispute?.["defendable"], dispute?.["takenAmount"], dispute?.["dueTime"]],
    [false, undefined, undefined],
  );
  const { reference, paymentId } = it;
  const refund = await call(wallet, "refund", { reference, refundReference: `r-${paymentId}`, amount });
  assert.equal(refund.result["resultCode"], "SUCCESS");
});

test("disputes and answers survive a restart", async () => {
  const it = await openDisputedOrder();
  await callVerb("defend-dispute", it);
  await wallet.end("SIGKILL");
  const restarted = await startWallet(folder);
  assert.equal((await callVerb("defend-dispute", it, {}, restarted)).code, "SUCCESS");
  assert.equal((await callVerb("inquire-dispute", it, {}, restarted)).state, "DEFENDED");
});
