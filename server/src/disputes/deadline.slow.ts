import assert from "node:assert/strict";
import { test } from "node:test";
import { startDisputeStack } from "../../test/shop/test-dispute.ts";

const disputes = await startDisputeStack();
const {
  request: ask,
  createPaidPayment: paid,
  open,
  waitForWebhook: told,
  webhookTypesOf: toldOf,
  ledgerBalances: books,
  provider,
  advance,
  codeOf,
} = disputes;

const pdf = Buffer.from("%PDF-1.4 proof of delivery").toString("base64");
const frozenBalance = { receivable: 1250n, payable: 0n, frozen: -1250n };
const emptyBalance = { receivable: 0n, payable: 0n, frozen: 0n };
const daySeconds = 24 * 3600;

/** Changes of a payment's dispute, from the provider's journal. */
function listChanges(paymentId: string): readonly unknown[] {
  return provider
    .effects()
    .filter(({ kind, paymentId: of }) => kind === "dispute-changed" && of === paymentId)
    .map(({ state }) => state);
}

test("a day before the deadline the merchant gets an alert, and at the deadline the dispute is accepted", async () => {
  const paymentId = await paid();
  const { disputeId, body } = await open(paymentId, { dueSeconds: 3 * daySeconds });
  await advance(2 * daySeconds - 600);
  assert.deepEqual(toldOf(disputeId), ["DISPUTE_CREATED"]);
  await advance(1_200);
  assert.equal((await told(disputeId, "DEFENSE_DUE_ALERT"))["defenseDueTime"], body["defenseDueTime"]);
  await advance(daySeconds - 1_200);
  assert.deepEqual(await books(paymentId), frozenBalance);
  await advance(1_200);
  const accepted = await told(disputeId, "DISPUTE_ACCEPTED");
  assert.equal(accepted["disputeAcceptReason"], "TIMEOUT");
  assert.deepEqual(await books(paymentId), emptyBalance);
  assert.deepEqual(toldOf(disputeId), ["DISPUTE_CREATED", "DEFENSE_DUE_ALERT", "DISPUTE_ACCEPTED"]);
  for (const operation of ["acceptDispute", "supplyDefenseDocument"] as const)
    assert.equal(codeOf(await ask(operation, { disputeId, disputeEvidence: pdf })), "TIME_EXCEEDS_LIMIT");
});

test("a retrieval request without documents causes an alert, and no debit at its deadline", async () => {
  for (const disputeType of ["RETRIEVAL_REQUEST", "COMPLIANCE_REQUEST"]) {
    const { disputeId } = await open(await paid(), { disputeType, dueSeconds: 2 * daySeconds });
    await advance(3 * daySeconds);
    await told(disputeId, "DEFENSE_DUE_ALERT");
    await disputes.waitForStatus(disputeId, "EXPIRED");
    assert.deepEqual(toldOf(disputeId), ["DISPUTE_CREATED", "DEFENSE_DUE_ALERT"]);
    const lateAnswer = await ask("supplyDefenseDocument", { disputeId, disputeEvidence: pdf });
    assert.equal(codeOf(lateAnswer), "TIME_EXCEEDS_LIMIT");
  }
});

test("an acceptance at the deadline is recorded once, with one of the two reasons", async () => {
  for (let round = 0; round < 3; round += 1) {
    const paymentId = await paid();
    const { disputeId } = await open(paymentId, { dueSeconds: daySeconds });
    const [, ...codes] = await Promise.all([
      advance(daySeconds + 60),
      ...Array.from({ length: 5 }, async () => codeOf(await ask("acceptDispute", { disputeId }))),
    ]);
    const accepted = await told(disputeId, "DISPUTE_ACCEPTED");
    const byMerchant = accepted["disputeAcceptReason"] === "MERCHANT_ACCEPTED";
    assert.equal(
      codes.includes("SUCCESS"),
      byMerchant,
      `${codes.join(", ")} ${String(accepted["disputeAcceptReason"])}`,
    );
    assert.deepEqual(listChanges(paymentId), ["ACCEPTED"]);
    assert.deepEqual(await books(paymentId), emptyBalance);
  }
});

test("a defense before the deadline is valid after the deadline", async () => {
  const paymentId = await paid();
  const { disputeId } = await open(paymentId, { dueSeconds: 2 * daySeconds });
  assert.equal(codeOf(await ask("supplyDefenseDocument", { disputeId, disputeEvidence: pdf })), "SUCCESS");
  await advance(4 * daySeconds);
  await disputes.waitForStatus(disputeId, "DEFENDED");
  assert.deepEqual(toldOf(disputeId), ["DISPUTE_CREATED", "DEFENSE_SUPPLIED"]);
  assert.deepEqual(await books(paymentId), frozenBalance);
});
