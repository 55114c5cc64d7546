import assert from "node:assert/strict";
import { isOpen, newsOf, unheard, type DisputeState, type ModelDispute } from "./dispute-model.ts";
import { described, untilFinal, type Real } from "./run-context.ts";
import { sum, takenOf, type ModelPayment } from "./merchant-model.ts";
import type { ProviderEffect } from "./world.ts";

/** The provider's journal of a dispute, read at each call. */
export function statesOf(
  { world }: Real,
  paymentId: string,
  walletDisputeId: string,
): readonly DisputeState[] {
  return world
    .effectsOf(paymentId)
    .filter((effect) => effect.walletDisputeId === walletDisputeId && effect.kind.startsWith("dispute-"))
    .map(stateOf);
}

function stateOf({ state, acceptReason, takenAmount }: ProviderEffect): DisputeState {
  const takenMinor = BigInt(takenAmount?.value ?? 0);
  // A dispute that already has a taken amount when it arrives begins with its final state.
  const first = takenAmount ? "RESOLVED" : "OPEN";
  return {
    state: (state as DisputeState["state"] | undefined) ?? first,
    isTimeout: acceptReason === "TIMEOUT",
    takenMinor,
  };
}

/** Reads the webhooks about a payment's disputes, and compares them with the provider's journal. */
export function listen({ world }: Real, payment: ModelPayment): void {
  const { paymentId, disputes } = payment;
  for (const dispute of disputes) {
    const told = toldOf(world.newsOf(paymentId), dispute, disputes);
    const [first] = told;
    if (first?.["sequence"] !== 1) continue;
    if (dispute.disputeId === undefined) meet(payment, dispute, first);
    const types = told.map((news) => String(news["disputeNotificationType"]));
    dispute.known = Math.max(dispute.known, heardBy(payment, dispute, types));
  }
}

/** The first webhook about a dispute. */
function meet(payment: ModelPayment, dispute: ModelDispute, news: News): void {
  const { type, amountMinor, isAuto } = dispute;
  dispute.disputeId = String(news["disputeId"]);
  assert.equal(news["paymentId"], payment.paymentId);
  assert.deepEqual(news["disputeAmount"], { currency: "EUR", value: String(amountMinor) });
  assert.equal(news["disputeType"], type === "RDR" ? undefined : type);
  const isToldAuto = news["autoDefendReason"] === "FULLY_REFUNDED";
  assert.ok(isToldAuto ? isAuto !== "no" : isAuto !== "yes", `Defended by itself? ${described(payment)}`);
  dispute.isAuto = isToldAuto ? "yes" : "no";
}

type News = Readonly<Record<string, unknown>>;

/** All webhooks about one dispute, oldest first, without repeats. */
function toldOf(
  all: readonly News[],
  { disputeId }: ModelDispute,
  disputes: readonly ModelDispute[],
): readonly News[] {
  // Without a dispute id, the webhook of the payment's newest dispute is meant, because only the newest one can lack a
  // webhook.
  const others = new Set(disputes.flatMap((each) => each.disputeId ?? []));
  const isMeant = (news: News): boolean =>
    disputeId === undefined ? !others.has(String(news["disputeId"])) : news["disputeId"] === disputeId;
  const bySequence = new Map(all.filter(isMeant).map((news) => [Number(news["sequence"]), news]));
  return [...bySequence].sort(([one], [other]) => one - other).map(([, news]) => news);
}

/** The minimum state that the gateway knows. It may have skipped states, and never goes back. */
function heardBy(payment: ModelPayment, dispute: ModelDispute, types: readonly string[]): number {
  const expected = dispute.states().map((state, index) => newsOf(dispute, state, index));
  let heard = unheard;
  for (const type of types) {
    heard = expected.indexOf(type, heard + 1);
    assert.ok(heard >= 0, `Told ${types.join(", ")}, not ${expected.join(", ")}: ${described(payment)}`);
  }
  return heard;
}

/** Whether the full amount was already returned, so that the gateway defends automatically. */
export function mayBeAuto(payment: ModelPayment, type: string): ModelDispute["isAuto"] {
  if (type !== "CHARGEBACK") return "no";
  const { refunds, may, content } = payment;
  const takenMinor = takenOf(payment);
  if (content?.isManual || may.has("CANCELLED"))
    return sum(refunds) > 0n || may.has("CANCELLED") ? "maybe" : "no";
  if (sum(refunds, ["SUCCESS"]) >= takenMinor) return "yes";
  return sum(refunds) >= takenMinor ? "maybe" : "no";
}

/** Waits for the webhook about the dispute, and about its end if it has ended. */
export async function untilTold(real: Real, payment: ModelPayment, dispute: ModelDispute): Promise<void> {
  await untilFinal(real, async () => {
    listen(real, payment);
    const { disputeId, known } = dispute;
    const states = dispute.states();
    const isHeard = known === states.length - 1 || states.every(isOpen);
    const json = { disputeId, known, states: states.map(({ state }) => state) };
    return { code: "", status: disputeId !== undefined && isHeard ? "S" : "U", json };
  });
}

export function describedDispute(payment: ModelPayment, { states }: ModelDispute): string {
  const seen = states().map(({ state, takenMinor }) => `${state} ${takenMinor}`);
  return `${seen.join(", ")}; ${described(payment)}`;
}
