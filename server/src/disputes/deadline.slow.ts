import assert from "node:assert/strict";
import { test } from "node:test";
import { startDisputes } from "../../test/shop/test-dispute.ts";

const disputes = await startDisputes();
const { ask, paid, open, told, toldOf, books, provider, advance, codeOf } = disputes;

const pdf = Buffer.from("%PDF-1.4 proof of delivery").toString("base64");
const inIce = { receivable: 1250n, payable: 0n, frozen: -1250n };
const gone = { receivable: 0n, payable: 0n, frozen: 0n };
const dayS = 24 * 3600;

/** Changes of a payment's dispute, from the provider's journal. */
function changesOf(paymentId: string): readonly unknown[] {
  return provider
    .effects()
    .filter(({ kind, paymentId: of }) => kind === "dispute-changed" && of === paymentId)
    .map(({ state }) => state);
}

test("a day before the deadline the merchant gets an alert, and at the deadline the dispute is accepted", async () => {
  const paymentId = await paid();
  const { disputeId, body } = await open(paymentId, { dueSeconds: 3 * dayS });
  await advance(2 * dayS - 600);
  assert.deepEqual(toldOf(disputeId), ["DISPUTE_CREATED"]);
  await advance(1_200);
  assert.equal((await told(disputeId, "DEFENSE_DUE_ALERT"))["defenseDueTime"], body["defenseDueTime"]);
  await advance(dayS - 1_200);
  assert.deepEqual(await books(paymentId), inIce);
  await advance(1_200);
  const accepted = await told(disputeId, "DISPUTE_ACCEPTED");
  assert.equal(accepted["disputeAcceptReason"], "TIMEOUT");
  assert.deepEqual(await books(paymentId), gone);
  assert.deepEqual(toldOf(disputeId), ["DISPUTE_CREATED", "DEFENSE_DUE_ALERT", "DISPUTE_ACCEPTED"]);
  for (const operation of ["acceptDispute", "supplyDefenseDocument"] as const)
    assert.equal(codeOf(await ask(operation, { disputeId, disputeEvidence: pdf })), "TIME_EXCEEDS_LIMIT");
});

test("a retrieval request without documents causes an alert, and no debit at its deadline", async () => {
  for (const disputeType of ["RETRIEVAL_REQUEST", "COMPLIANCE_REQUEST"]) {
    const { disputeId } = await open(await paid(), { disputeType, dueSeconds: 2 * dayS });
    await advance(3 * dayS);
    await told(disputeId, "DEFENSE_DUE_ALERT");
    await disputes.isStatus(disputeId, "EXPIRED");
    assert.deepEqual(toldOf(disputeId), ["DISPUTE_CREATED", "DEFENSE_DUE_ALERT"]);
    const late = await ask("supplyDefenseDocument", { disputeId, disputeEvidence: pdf });
    assert.equal(codeOf(late), "TIME_EXCEEDS_LIMIT");
  }
});

test("an acceptance at the deadline is recorded once, with one of the two reasons", async () => {
  for (let round = 0; round < 3; round += 1) {
    const paymentId = await paid();
    const { disputeId } = await open(paymentId, { dueSeconds: dayS });
    const [, ...codes] = await Promise.all([
      advance(dayS + 60),
      ...Array.from({ length: 5 }, async () => codeOf(await ask("acceptDispute", { disputeId }))),
    ]);
    const accepted = await told(disputeId, "DISPUTE_ACCEPTED");
    const byMerchant = accepted["disputeAcceptReason"] === "MERCHANT_ACCEPTED";
    assert.equal(
      codes.includes("SUCCESS"),
      byMerchant,
      `${codes.join(", ")} ${String(accepted["disputeAcceptReason"])}`,
    );
    assert.deepEqual(changesOf(paymentId), ["ACCEPTED"]);
    assert.deepEqual(await books(paymentId), gone);
  }
});

test("a defense before the deadline is valid after the deadline", async () => {
  const paymentId = await paid();
  const { disputeId } = await open(paymentId, { dueSeconds: 2 * dayS });
  assert.equal(codeOf(await ask("supplyDefenseDocument", { disputeId, disputeEvidence: pdf })), "SUCCESS");
  await advance(4 * dayS);
  await disputes.isStatus(disputeId, "DEFENDED");
  assert.deepEqual(toldOf(disputeId), ["DISPUTE_CREATED", "DEFENSE_SUPPLIED"]);
  assert.deepEqual(await books(paymentId), inIce);
});
