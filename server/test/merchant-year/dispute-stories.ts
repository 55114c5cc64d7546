import assert from "node:assert/strict";
import type { MerchantSimulation, Story } from "./merchant-year.ts";
import { controlPayment, payAtOnce, type PaidPayment } from "./payment-stories.ts";

/** The smallest file with the first and last bytes of a PDF. */
const evidence = Buffer.from("%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n").toString("base64");

interface DisputedPayment extends PaidPayment {
  readonly disputeId: string;
}

async function openDispute(
  simulation: MerchantSimulation,
  name: string,
  paid: PaidPayment,
  disputeType = "CHARGEBACK",
): Promise<DisputedPayment> {
  await controlPayment(simulation, paid.paymentId, "dispute", { disputeType });
  // A dispute that is defended automatically causes a second webhook at once.
  const first = disputeType === "RDR" ? "RDR_RESOLVED" : "DISPUTE_CREATED";
  const { json } = await simulation.waitForWebhook(
    ({ disputeNotificationType, paymentId }) =>
      paymentId === paid.paymentId && disputeNotificationType === first,
  );
  simulation.accounting.addLine(simulation.day(), `${name} ${first}`);
  return { ...paid, disputeId: String(json["disputeId"]) };
}

async function waitForDisputeWebhook(
  simulation: MerchantSimulation,
  name: string,
  { disputeId }: DisputedPayment,
  type: string,
): Promise<void> {
  await simulation.waitForWebhook(
    (body) => body["disputeId"] === disputeId && body["disputeNotificationType"] === type,
  );
  simulation.accounting.addLine(simulation.day(), `${name} ${type}`);
}

async function defend(simulation: MerchantSimulation, name: string, dispute: DisputedPayment): Promise<void> {
  const request = { disputeId: dispute.disputeId, disputeEvidence: evidence };
  assert.equal(await simulation.codeOf("payments/supplyDefenseDocument", request), "SUCCESS");
  await waitForDisputeWebhook(simulation, name, dispute, "DEFENSE_SUPPLIED");
}

async function decideDispute(
  { provider }: MerchantSimulation,
  { paymentId }: DisputedPayment,
  event: string,
): Promise<void> {
  assert.equal(await provider.dispute(paymentId, event), 200, event);
}

/** A buyer who pays, and disputes the payment some days later. */
async function* payAndDispute(
  simulation: MerchantSimulation,
  name: string,
  random: Parameters<Story>[2],
  disputeType?: string,
): AsyncGenerator<number, DisputedPayment> {
  const paid = await payAtOnce(simulation, name, random);
  yield random.between(1, 40);
  return openDispute(simulation, name, paid, disputeType);
}

export const disputeStories: Readonly<Record<string, Story>> = {
  async *"dispute accepted"(simulation, name, random) {
    const disputed = yield* payAndDispute(simulation, name, random);
    yield random.between(1, 5);
    assert.equal(
      await simulation.codeOf("payments/acceptDispute", { disputeId: disputed.disputeId }),
      "SUCCESS",
    );
    await waitForDisputeWebhook(simulation, name, disputed, "DISPUTE_ACCEPTED");
    simulation.accounting.bookRefund(disputed.currency, disputed.minor);
  },

  async *"dispute won"(simulation, name, random) {
    const disputed = yield* payAndDispute(simulation, name, random);
    yield random.between(1, 5);
    await defend(simulation, name, disputed);
    yield random.between(1, 20);
    await decideDispute(simulation, disputed, "judge-won");
    await waitForDisputeWebhook(simulation, name, disputed, "DISPUTE_JUDGED");
  },

  async *"dispute lost"(simulation, name, random) {
    const disputed = yield* payAndDispute(simulation, name, random);
    await defend(simulation, name, disputed);
    yield random.between(1, 20);
    await decideDispute(simulation, disputed, "judge-lost");
    await waitForDisputeWebhook(simulation, name, disputed, "DISPUTE_JUDGED");
    simulation.accounting.bookRefund(disputed.currency, disputed.minor);
  },

  async *"dispute ignored"(simulation, name, random) {
    const disputed = yield* payAndDispute(simulation, name, random);
    yield 8;
    await waitForDisputeWebhook(simulation, name, disputed, "DEFENSE_DUE_ALERT");
    await waitForDisputeWebhook(simulation, name, disputed, "DISPUTE_ACCEPTED");
    simulation.accounting.bookRefund(disputed.currency, disputed.minor);
    const { disputeId } = disputed;
    assert.equal(await simulation.codeOf("payments/acceptDispute", { disputeId }), "TIME_EXCEEDS_LIMIT");
  },

  async *"dispute withdrawn"(simulation, name, random) {
    const disputed = yield* payAndDispute(simulation, name, random);
    yield 2;
    await decideDispute(simulation, disputed, "cancel");
    await waitForDisputeWebhook(simulation, name, disputed, "DISPUTE_CANCELLED");
  },

  async *"papers asked for"(simulation, name, random) {
    const disputed = yield* payAndDispute(simulation, name, random, "RETRIEVAL_REQUEST");
    yield 1;
    await defend(simulation, name, disputed);
  },

  async *"resolved rapidly"(simulation, name, random) {
    const disputed = yield* payAndDispute(simulation, name, random, "RDR");
    simulation.accounting.bookRefund(disputed.currency, disputed.minor);
  },

  async *"disputed after a refund"(simulation, name, random) {
    const paid = await payAtOnce(simulation, name, random);
    yield 3;
    const refundAmount = { currency: paid.currency, value: String(paid.minor) };
    const request = { refundRequestId: name, paymentId: paid.paymentId, refundAmount };
    assert.equal(await simulation.codeOf("payments/refund", request), "SUCCESS");
    simulation.accounting.bookRefund(paid.currency, paid.minor);
    yield 5;
    // The merchant sends no answer, because the buyer already has the money.
    const disputed = await openDispute(simulation, name, paid);
    yield 10;
    await decideDispute(simulation, disputed, "judge-won");
    await waitForDisputeWebhook(simulation, name, disputed, "DISPUTE_JUDGED");
  },
};
