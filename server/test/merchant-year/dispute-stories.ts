import assert from "node:assert/strict";
import type { Life, Plot } from "./merchant-year.ts";
import { act, takePayment, type Paid } from "./payment-stories.ts";

/** The smallest file with the first and last bytes of a PDF. */
const evidence = Buffer.from("%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n").toString("base64");

interface Disputed extends Paid {
  readonly disputeId: string;
}

async function dispute(life: Life, name: string, paid: Paid, disputeType = "CHARGEBACK"): Promise<Disputed> {
  await act(life, paid.paymentId, "dispute", { disputeType });
  // A dispute that is defended automatically causes a second webhook at once.
  const first = disputeType === "RDR" ? "RDR_RESOLVED" : "DISPUTE_CREATED";
  const { json } = await life.told(
    ({ disputeNotificationType, paymentId }) =>
      paymentId === paid.paymentId && disputeNotificationType === first,
  );
  life.book.line(life.day(), `${name} ${first}`);
  return { ...paid, disputeId: String(json["disputeId"]) };
}

async function news(life: Life, name: string, { disputeId }: Disputed, type: string): Promise<void> {
  await life.told((body) => body["disputeId"] === disputeId && body["disputeNotificationType"] === type);
  life.book.line(life.day(), `${name} ${type}`);
}

async function defend(life: Life, name: string, it: Disputed): Promise<void> {
  const asked = { disputeId: it.disputeId, disputeEvidence: evidence };
  assert.equal(await life.codeOf("payments/supplyDefenseDocument", asked), "SUCCESS");
  await news(life, name, it, "DEFENSE_SUPPLIED");
}

async function decide({ provider }: Life, { paymentId }: Disputed, what: string): Promise<void> {
  assert.equal(await provider.dispute(paymentId, what), 200, what);
}

/** A buyer who pays, and disputes the payment some days later. */
async function* disputed(
  life: Life,
  name: string,
  random: Parameters<Plot>[2],
  disputeType?: string,
): AsyncGenerator<number, Disputed> {
  const paid = await takePayment(life, name, random);
  yield random.between(1, 40);
  return dispute(life, name, paid, disputeType);
}

export const disputePlots: Readonly<Record<string, Plot>> = {
  async *"dispute accepted"(life, name, random) {
    const it = yield* disputed(life, name, random);
    yield random.between(1, 5);
    assert.equal(await life.codeOf("payments/acceptDispute", { disputeId: it.disputeId }), "SUCCESS");
    await news(life, name, it, "DISPUTE_ACCEPTED");
    life.book.bookRefund(it.currency, it.minor);
  },

  async *"dispute won"(life, name, random) {
    const it = yield* disputed(life, name, random);
    yield random.between(1, 5);
    await defend(life, name, it);
    yield random.between(1, 20);
    await decide(life, it, "judge-won");
    await news(life, name, it, "DISPUTE_JUDGED");
  },

  async *"dispute lost"(life, name, random) {
    const it = yield* disputed(life, name, random);
    await defend(life, name, it);
    yield random.between(1, 20);
    await decide(life, it, "judge-lost");
    await news(life, name, it, "DISPUTE_JUDGED");
    life.book.bookRefund(it.currency, it.minor);
  },

  async *"dispute ignored"(life, name, random) {
    const it = yield* disputed(life, name, random);
    yield 8;
    await news(life, name, it, "DEFENSE_DUE_ALERT");
    await news(life, name, it, "DISPUTE_ACCEPTED");
    life.book.bookRefund(it.currency, it.minor);
    const { disputeId } = it;
    assert.equal(await life.codeOf("payments/acceptDispute", { disputeId }), "TIME_EXCEEDS_LIMIT");
  },

  async *"dispute withdrawn"(life, name, random) {
    const it = yield* disputed(life, name, random);
    yield 2;
    await decide(life, it, "cancel");
    await news(life, name, it, "DISPUTE_CANCELLED");
  },

  async *"papers asked for"(life, name, random) {
    const it = yield* disputed(life, name, random, "RETRIEVAL_REQUEST");
    yield 1;
    await defend(life, name, it);
  },

  async *"resolved rapidly"(life, name, random) {
    const it = yield* disputed(life, name, random, "RDR");
    life.book.bookRefund(it.currency, it.minor);
  },

  async *"disputed after a refund"(life, name, random) {
    const paid = await takePayment(life, name, random);
    yield 3;
    const refundAmount = { currency: paid.currency, value: String(paid.minor) };
    const asked = { refundRequestId: name, paymentId: paid.paymentId, refundAmount };
    assert.equal(await life.codeOf("payments/refund", asked), "SUCCESS");
    life.book.bookRefund(paid.currency, paid.minor);
    yield 5;
    // The merchant sends no answer, because the buyer already has the money.
    const it = await dispute(life, name, paid);
    yield 10;
    await decide(life, it, "judge-won");
    await news(life, name, it, "DISPUTE_JUDGED");
  },
};
