import assert from "node:assert/strict";
import fc from "fast-check";
import { command, paymentAt, seldom, someTarget } from "./command.ts";
import { heldAtProvider, mayDecide, unheard, type DisputeType, type ModelDispute } from "./dispute-model.ts";
import { describedDispute, mayBeAuto, statesOf, untilTold } from "./dispute-events.ts";
import { described, type Model, type Real } from "./run-context.ts";
import { isInStore, sum, takenOf, type ModelPayment } from "./merchant-model.ts";
import { reversalMayFail } from "./expected-effects.ts";
import { least, most } from "./model-types.ts";

const someCallbackFault = seldom(fc.constantFrom("callback-drop", "callback-twice"));
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
export const disputes = fc
  .tuple(
    someTarget,
    someType,
    fc.constantFrom("all", "a part", "too much"),
    fc.constantFrom(true, true, true, false),
    someCallbackFault,
    fc.boolean(),
  )
  .map(([which, type, share, isDefendable, fault, waits]) =>
    command(`dispute ${share} of ${which.name} by ${type}${waits ? " and wait" : ""}`, fault, {
      check: (model) => model.payments.length > 0 && isDisputable(paymentAt(model, which, isDisputable)),
      async run(model, real) {
        const payment = paymentAt(model, which, isDisputable);
        // A provider opens disputes one after the other; the second one can only take what the first left.
        for (const dispute of payment.disputes) await untilTold(real, payment, dispute);
        const { paymentId } = payment;
        if (fault) await real.world.provider.fault({ kind: fault, match: { verb: "callback", paymentId } });
        const asked = {
          type,
          isDefendable: isDefendable && type !== "RDR",
          amountMinor: amountOf(payment, share),
        };
        const opened = await open(real, payment, asked);
        if (opened && waits) await untilTold(real, payment, opened);
      },
    }),
  );

/**
 * Returns whether a payment can be disputed in this model. In-store payments have no disputes here, and the money of a
 * late success is already being returned.
 */
function isDisputable(payment: ModelPayment): boolean {
  return takenOf(payment) > 0n && !payment.wasPaidLate && !isInStore(payment);
}

function amountOf(payment: ModelPayment, share: string): bigint {
  const takenMinor = takenOf(payment);
  if (share === "too much") return (payment.content?.amountMinor ?? 0n) + 1n;
  return share === "all" ? takenMinor : most(1n, takenMinor / 2n);
}

type Asked = Pick<ModelDispute, "type" | "isDefendable" | "amountMinor">;

async function open(real: Real, payment: ModelPayment, asked: Asked): Promise<ModelDispute | undefined> {
  const { paymentId, refunds, content } = payment;
  const { type, isDefendable, amountMinor } = asked;
  const takenMinor = takenOf(payment);
  const freeMinor = takenMinor - heldAtProvider(payment.disputes);
  const isGoing = payment.isReversing !== "no" || payment.may.has("CANCELLED");
  const leftMinor = {
    low: isGoing ? 0n : freeMinor - sum(refunds),
    high: freeMinor - sum(refunds, ["SUCCESS"]),
  };
  const isUnsure = content?.isManual === true && sum(payment.captures) > takenMinor;
  if (isUnsure) leftMinor.high += sum(payment.captures) - takenMinor;
  const isAuto = mayBeAuto(payment, type);
  const amount = { currency: "EUR", value: String(amountMinor) };
  const terms = { disputeType: type, amount, defendable: isDefendable };
  const { status, text } = await real.world.provider.control(paymentId, "dispute", terms);
  const mayOpen = amountMinor <= (content?.amountMinor ?? 0n) && (type !== "RDR" || leftMinor.high > 0n);
  const mayNot = amountMinor > takenMinor || (type === "RDR" && leftMinor.low <= 0n);
  assert.ok(status === 200 ? mayOpen : status === 409 && mayNot, `${status} ${text} ${described(payment)}`);
  if (status !== 200) return undefined;

  const { walletDisputeId } = (JSON.parse(text) as { dispute: { walletDisputeId: string } }).dispute;
  const effect = real.world.effectsOf(paymentId).find((each) => each.walletDisputeId === walletDisputeId);
  const heldMinor = BigInt(effect?.dispute?.heldMinor ?? 0);
  const isOfMoney = type === "CHARGEBACK" || type === "RDR";
  const [low, high] = isOfMoney
    ? [least(amountMinor, leftMinor.low), least(amountMinor, leftMinor.high)]
    : [0n, 0n];
  assert.ok(heldMinor >= low && heldMinor <= high, `The provider holds ${heldMinor}: ${described(payment)}`);
  const dispute: ModelDispute = {
    ...asked,
    states: () => statesOf(real, paymentId, walletDisputeId),
    walletDisputeId,
    heldMinor,
    lowMinor: type === "CHARGEBACK" ? most(low, 0n) : 0n,
    highMinor: type === "CHARGEBACK" && isUnsure ? amountMinor : heldMinor,
    disputeId: undefined,
    isAuto,
    known: unheard,
    answer: undefined,
  };
  payment.disputes.push(dispute);
  if (heldMinor > 0n) {
    for (const refund of refunds) if (refund.state === "under way") refund.mayFail = true;
    reversalMayFail(payment);
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
export const decides = fc
  .tuple(someTarget, fc.nat(), someEvent, fc.boolean(), someCallbackFault, fc.boolean())
  .map(([which, nth, event, isPart, fault, waits]) =>
    command(
      `decide ${event} for ${which.name}${isPart ? " in part" : ""}${waits ? " and wait" : ""}`,
      fault,
      {
        check: (model) => hasDispute(model, which),
        async run(model, real) {
          const { payment, dispute } = disputeAt(model, which, nth);
          const { paymentId } = payment;
          if (fault) await real.world.provider.fault({ kind: fault, match: { verb: "callback", paymentId } });
          const may = mayDecide(dispute, event);
          const lessMinor = String(dispute.heldMinor / 2n);
          const isLess = isPart && event === "judge-lost" && dispute.heldMinor > 1n;
          const body = isLess ? { amount: { currency: "EUR", value: lessMinor } } : {};
          const status = await real.world.provider.dispute(dispute.walletDisputeId, event, body);
          assert.ok(
            status === 200 ? may.done : status === 409 && may.late,
            `${event} is ${status}: ${describedDispute(payment, dispute)}`,
          );
          if (waits && status === 200) await untilTold(real, payment, dispute);
        },
      },
    ),
  );

export function hasDispute(model: Readonly<Model>, which: Parameters<typeof paymentAt>[1]): boolean {
  return model.payments.length > 0 && isDisputed(paymentAt(model, which, isDisputed));
}

function isDisputed({ disputes: all }: ModelPayment): boolean {
  return all.length > 0;
}

/** Returns a dispute of the target, in most cases the newest one. */
export function disputeAt(
  model: Model,
  which: Parameters<typeof paymentAt>[1],
  nth: number,
): { readonly payment: ModelPayment; readonly dispute: ModelDispute } {
  const payment = paymentAt(model, which, isDisputed);
  const back = nth % 4 === 0 ? nth % payment.disputes.length : 0;
  return { payment, dispute: payment.disputes.at(-1 - back) ?? assert.fail() };
}
