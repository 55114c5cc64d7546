import assert from "node:assert/strict";
import fc from "fast-check";
import { newCommand, selectPayment, rarely, arbitraryTarget } from "./model-command.ts";
import {
  heldAtProvider,
  possibleDecisionResults,
  noKnownState,
  type DisputeType,
  type ModelDispute,
} from "./dispute-model.ts";
import { describeDispute, autoDefenseCertainty, statesOf, waitUntilNotified } from "./dispute-events.ts";
import { describePayment, type Model, type Real } from "./run-context.ts";
import { isInStore, sum, takenMinorOf, type ModelPayment } from "./merchant-model.ts";
import { markReversalUncertain } from "./expected-effects.ts";
import { minOf, maxOf } from "./model-types.ts";

const someCallbackFault = rarely(fc.constantFrom("callback-drop", "callback-twice"));
const someType = fc.constantFrom<DisputeType[]>(
  "CHARGEBACK",
  "CHARGEBACK",
  "CHARGEBACK",
  "CHARGEBACK",
  "RETRIEVAL_REQUEST",
  "COMPLIANCE_REQUEST",
  "RDR",
);

/**
 * Commands in which the buyer or the card scheme disputes a paid or captured amount. A command can wait until the
 * merchant is notified.
 */
export const disputeCommands = fc
  .tuple(
    arbitraryTarget,
    someType,
    fc.constantFrom("all", "a part", "too much"),
    fc.constantFrom(true, true, true, false),
    someCallbackFault,
    fc.boolean(),
  )
  .map(([target, type, share, isDefendable, fault, waits]) =>
    newCommand(`dispute ${share} of ${target.name} by ${type}${waits ? " and wait" : ""}`, fault, {
      check: (model) => model.payments.length > 0 && isDisputable(selectPayment(model, target, isDisputable)),
      async run(model, real) {
        const payment = selectPayment(model, target, isDisputable);
        // A provider opens disputes one after the other; the second one can only take what the first left.
        for (const dispute of payment.disputes) await waitUntilNotified(real, payment, dispute);
        const { paymentId } = payment;
        if (fault) await real.system.provider.fault({ kind: fault, match: { verb: "callback", paymentId } });
        const newDispute = {
          type,
          isDefendable: isDefendable && type !== "RDR",
          amountMinor: amountOf(payment, share),
        };
        const opened = await openDispute(real, payment, newDispute);
        if (opened && waits) await waitUntilNotified(real, payment, opened);
      },
    }),
  );

/**
 * Returns whether a payment can be disputed in this model. In-store payments have no disputes here, and the money of a
 * late success is already being returned.
 */
function isDisputable(payment: ModelPayment): boolean {
  return takenMinorOf(payment) > 0n && !payment.wasPaidLate && !isInStore(payment);
}

function amountOf(payment: ModelPayment, share: string): bigint {
  const takenMinor = takenMinorOf(payment);
  if (share === "too much") return (payment.content?.amountMinor ?? 0n) + 1n;
  return share === "all" ? takenMinor : maxOf(1n, takenMinor / 2n);
}

type NewDispute = Pick<ModelDispute, "type" | "isDefendable" | "amountMinor">;

async function openDispute(
  real: Real,
  payment: ModelPayment,
  newDispute: NewDispute,
): Promise<ModelDispute | undefined> {
  const { paymentId, refunds, content } = payment;
  const { type, isDefendable, amountMinor } = newDispute;
  const takenMinor = takenMinorOf(payment);
  const freeMinor = takenMinor - heldAtProvider(payment.disputes);
  const isReversalPossible = payment.isReversing !== "no" || payment.possibleStatuses.has("CANCELLED");
  const leftMinor = {
    low: isReversalPossible ? 0n : freeMinor - sum(refunds),
    high: freeMinor - sum(refunds, ["SUCCESS"]),
  };
  const isCaptureUncertain = content?.isManual === true && sum(payment.captures) > takenMinor;
  if (isCaptureUncertain) leftMinor.high += sum(payment.captures) - takenMinor;
  const isAuto = autoDefenseCertainty(payment, type);
  const amount = { currency: "EUR", value: String(amountMinor) };
  const terms = { disputeType: type, amount, defendable: isDefendable };
  const { status, text } = await real.system.provider.control(paymentId, "dispute", terms);
  const mayOpen = amountMinor <= (content?.amountMinor ?? 0n) && (type !== "RDR" || leftMinor.high > 0n);
  const mayNot = amountMinor > takenMinor || (type === "RDR" && leftMinor.low <= 0n);
  assert.ok(
    status === 200 ? mayOpen : status === 409 && mayNot,
    `${status} ${text} ${describePayment(payment)}`,
  );
  if (status !== 200) return undefined;

  const { providerDisputeId } = (JSON.parse(text) as { dispute: { providerDisputeId: string } }).dispute;
  const effect = real.system
    .effectsOf(paymentId)
    .find((each) => each.providerDisputeId === providerDisputeId);
  const heldMinor = BigInt(effect?.dispute?.heldMinor ?? 0);
  const isOfMoney = type === "CHARGEBACK" || type === "RDR";
  const [low, high] = isOfMoney
    ? [minOf(amountMinor, leftMinor.low), minOf(amountMinor, leftMinor.high)]
    : [0n, 0n];
  assert.ok(
    heldMinor >= low && heldMinor <= high,
    `The provider holds ${heldMinor}: ${describePayment(payment)}`,
  );
  const dispute: ModelDispute = {
    ...newDispute,
    states: () => statesOf(real, paymentId, providerDisputeId),
    providerDisputeId,
    heldMinor,
    lowMinor: type === "CHARGEBACK" ? maxOf(low, 0n) : 0n,
    highMinor: type === "CHARGEBACK" && isCaptureUncertain ? amountMinor : heldMinor,
    disputeId: undefined,
    isAuto,
    knownStateIndex: noKnownState,
    answer: undefined,
  };
  payment.disputes.push(dispute);
  if (heldMinor > 0n) {
    for (const refund of refunds) if (refund.state === "under way") refund.mayFail = true;
    markReversalUncertain(payment);
  }
  return dispute;
}

const someEvent = fc.constantFrom(
  "judge-won",
  "judge-lost",
  "judge-lost",
  "cancel",
  "accept",
  "expire",
  "validate",
  "invalidate",
  "invalidate",
);

/** The provider, the card scheme or the buyer decides a dispute. */
export const disputeDecisionCommands = fc
  .tuple(arbitraryTarget, fc.nat(), someEvent, fc.boolean(), someCallbackFault, fc.boolean())
  .map(([target, nth, event, isPart, fault, waits]) =>
    newCommand(
      `decide ${event} for ${target.name}${isPart ? " in part" : ""}${waits ? " and wait" : ""}`,
      fault,
      {
        check: (model) => hasDispute(model, target),
        async run(model, real) {
          const { payment, dispute } = disputeAt(model, target, nth);
          const { paymentId } = payment;
          if (fault)
            await real.system.provider.fault({ kind: fault, match: { verb: "callback", paymentId } });
          const may = possibleDecisionResults(dispute, event);
          const lessMinor = String(dispute.heldMinor / 2n);
          const isLess = isPart && event === "judge-lost" && dispute.heldMinor > 1n;
          const body = isLess ? { amount: { currency: "EUR", value: lessMinor } } : {};
          const status = await real.system.provider.dispute(dispute.providerDisputeId, event, body);
          assert.ok(
            status === 200 ? may.done : status === 409 && may.late,
            `${event} is ${status}: ${describeDispute(payment, dispute)}`,
          );
          if (waits && status === 200) await waitUntilNotified(real, payment, dispute);
        },
      },
    ),
  );

export function hasDispute(model: Readonly<Model>, target: Parameters<typeof selectPayment>[1]): boolean {
  return model.payments.length > 0 && isDisputed(selectPayment(model, target, isDisputed));
}

function isDisputed({ disputes: all }: ModelPayment): boolean {
  return all.length > 0;
}

/** Returns a dispute of the target, in most cases the newest one. */
export function disputeAt(
  model: Model,
  target: Parameters<typeof selectPayment>[1],
  nth: number,
): { readonly payment: ModelPayment; readonly dispute: ModelDispute } {
  const payment = selectPayment(model, target, isDisputed);
  const stepsBack = nth % 4 === 0 ? nth % payment.disputes.length : 0;
  return { payment, dispute: payment.disputes.at(-1 - stepsBack) ?? assert.fail() };
}
