import assert from "node:assert/strict";
import {
  isOpen,
  webhookTypeOf,
  noKnownState,
  type DisputeState,
  type ModelDispute,
} from "./dispute-model.ts";
import { describePayment, repeatUntilFinal, type Real } from "./run-context.ts";
import { sum, takenMinorOf, type ModelPayment } from "./merchant-model.ts";
import type { ProviderEffect } from "./real-system.ts";

/** The provider's journal of a dispute, read at each call. */
export function statesOf(
  { system }: Real,
  paymentId: string,
  providerDisputeId: string,
): readonly DisputeState[] {
  return system
    .effectsOf(paymentId)
    .filter((effect) => effect.providerDisputeId === providerDisputeId && effect.kind.startsWith("dispute-"))
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
export function readDisputeWebhooks({ system }: Real, payment: ModelPayment): void {
  const { paymentId, disputes } = payment;
  for (const dispute of disputes) {
    const webhooks = webhooksOf(system.disputeWebhooksOf(paymentId), dispute, disputes);
    const [first] = webhooks;
    if (first?.["sequence"] !== 1) continue;
    if (dispute.disputeId === undefined) recordFirstWebhook(payment, dispute, first);
    const types = webhooks.map((webhook) => String(webhook["disputeNotificationType"]));
    dispute.knownStateIndex = Math.max(dispute.knownStateIndex, minimumKnownState(payment, dispute, types));
  }
}

/** The first webhook about a dispute. */
function recordFirstWebhook(payment: ModelPayment, dispute: ModelDispute, webhook: Webhook): void {
  const { type, amountMinor, isAuto } = dispute;
  dispute.disputeId = String(webhook["disputeId"]);
  assert.equal(webhook["paymentId"], payment.paymentId);
  assert.deepEqual(webhook["disputeAmount"], { currency: "EUR", value: String(amountMinor) });
  assert.equal(webhook["disputeType"], type === "RDR" ? undefined : type);
  const isAutoInWebhook = webhook["autoDefendReason"] === "FULLY_REFUNDED";
  assert.ok(
    isAutoInWebhook ? isAuto !== "no" : isAuto !== "yes",
    `Defended by itself? ${describePayment(payment)}`,
  );
  dispute.isAuto = isAutoInWebhook ? "yes" : "no";
}

type Webhook = Readonly<Record<string, unknown>>;

/** All webhooks about one dispute, oldest first, without repeats. */
function webhooksOf(
  all: readonly Webhook[],
  { disputeId }: ModelDispute,
  disputes: readonly ModelDispute[],
): readonly Webhook[] {
  // Without a dispute id, the webhook of the payment's newest dispute is meant, because only the newest one can lack a
  // webhook.
  const others = new Set(disputes.flatMap((each) => each.disputeId ?? []));
  const isAboutDispute = (webhook: Webhook): boolean =>
    disputeId === undefined ? !others.has(String(webhook["disputeId"])) : webhook["disputeId"] === disputeId;
  const bySequence = new Map(
    all.filter(isAboutDispute).map((webhook) => [Number(webhook["sequence"]), webhook]),
  );
  return [...bySequence].sort(([one], [other]) => one - other).map(([, webhook]) => webhook);
}

/** The minimum state that the gateway knows. It may have skipped states, and never goes back. */
function minimumKnownState(payment: ModelPayment, dispute: ModelDispute, types: readonly string[]): number {
  const expected = dispute.states().map((state, index) => webhookTypeOf(dispute, state, index));
  let knownIndex = noKnownState;
  for (const type of types) {
    knownIndex = expected.indexOf(type, knownIndex + 1);
    assert.ok(
      knownIndex >= 0,
      `Told ${types.join(", ")}, not ${expected.join(", ")}: ${describePayment(payment)}`,
    );
  }
  return knownIndex;
}

/** Whether the full amount was already returned, so that the gateway defends automatically. */
export function autoDefenseCertainty(payment: ModelPayment, type: string): ModelDispute["isAuto"] {
  if (type !== "CHARGEBACK") return "no";
  const { refunds, possibleStatuses, content } = payment;
  const takenMinor = takenMinorOf(payment);
  if (content?.isManual || possibleStatuses.has("CANCELLED"))
    return sum(refunds) > 0n || possibleStatuses.has("CANCELLED") ? "maybe" : "no";
  if (sum(refunds, ["SUCCESS"]) >= takenMinor) return "yes";
  return sum(refunds) >= takenMinor ? "maybe" : "no";
}

/** Waits for the webhook about the dispute, and about its end if it has ended. */
export async function waitUntilNotified(
  real: Real,
  payment: ModelPayment,
  dispute: ModelDispute,
): Promise<void> {
  await repeatUntilFinal(real, async () => {
    readDisputeWebhooks(real, payment);
    const { disputeId, knownStateIndex } = dispute;
    const states = dispute.states();
    const isNotified = knownStateIndex === states.length - 1 || states.every(isOpen);
    const json = { disputeId, known: knownStateIndex, states: states.map(({ state }) => state) };
    return { code: "", status: disputeId !== undefined && isNotified ? "S" : "U", json };
  });
}

export function describeDispute(payment: ModelPayment, { states }: ModelDispute): string {
  const stateTexts = states().map(({ state, takenMinor }) => `${state} ${takenMinor}`);
  return `${stateTexts.join(", ")}; ${describePayment(payment)}`;
}
