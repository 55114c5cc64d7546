import assert from "node:assert/strict";
import fc from "fast-check";
import { command, paymentAt, seldom, someTarget } from "./command.ts";
import { described, inquire, untilFinal, type Real } from "./run-context.ts";
import { mayAct, restsOf, type ModelPayment, type Status } from "./merchant-model.ts";
import { afterDeed, afterExpiry, afterTooLate } from "./expected-effects.ts";

const someCallbackFault = seldom(fc.constantFrom("callback-drop", "callback-twice"));

/**
 * Commands that act as the buyer at the provider, or as the provider's clock. A command can wait until the gateway
 * knows of the action.
 */
export const acts = fc
  .tuple(
    someTarget,
    fc.constantFrom("approve", "approve", "approve", "decline", "pend", "expire"),
    someCallbackFault,
    fc.boolean(),
  )
  .map(([which, action, fault, waits]) =>
    command(`${action} ${which.name}${waits ? " and wait" : ""}`, fault, {
      check: (model) => model.payments.length > 0 && hasOrder(paymentAt(model, which, isWaiting)),
      async run(model, real) {
        const payment = paymentAt(model, which, isWaiting);
        if (!(await isOpened(real, payment))) return;
        const { paymentId } = payment;
        if (fault) await real.world.provider.fault({ kind: fault, match: { paymentId } });
        const may = mayAct(payment, action);
        const { status, text } = await real.world.provider.control(paymentId, action);
        assert.ok(
          status === 200 ? may.done : status === 409 && may.late,
          `${status} ${text} ${described(payment)}`,
        );
        if (status === 200) afterDeed(payment, action);
        else if (may.done && payment.order !== "HELD") afterTooLate(payment);
        if (waits) await untilHeard(real, payment);
      },
    }),
  );

/** The payment expires, and the gateway asks the provider to close the order. */
export const expires = someTarget.map((which) =>
  command(`let ${which.name} expire`, undefined, {
    check: (model) => model.payments.length > 0 && isPerhapsOpen(paymentAt(model, which, isPerhapsOpen)),
    async run(model, real) {
      const payment = paymentAt(model, which, isPerhapsOpen);
      await real.world.expirePayment(payment.paymentId);
      afterExpiry(payment);
    },
  }),
);

/** The provider takes the money of an order that it had closed, after the merchant was notified of the final status. */
export const approvesLate = someTarget.map((which) =>
  command(`approve ${which.name} late`, undefined, {
    check: (model) => model.payments.length > 0 && isClosedForGood(paymentAt(model, which, isClosedForGood)),
    async run(model, real) {
      const payment = paymentAt(model, which, isClosedForGood);
      const { paymentId, content } = payment;
      if (!(await isOpened(real, payment))) return;
      await real.world.provider.fault({ kind: "late-success", match: { paymentId } });
      const { status, text } = await real.world.provider.control(paymentId, "approve");
      assert.equal(status, 200, text);
      payment.wasPaidLate = true;
      if (!content?.isManual) payment.order = "PAID";
    },
  }),
);

/** Returns true if the payment waits for the buyer or for a timer. */
function isWaiting({ content, order }: ModelPayment): boolean {
  return content !== undefined && (order === "OPEN" || order === "PENDING");
}

function hasOrder({ content, wasPaidLate }: ModelPayment): boolean {
  return content !== undefined && !wasPaidLate;
}

function isPerhapsOpen({ may, content }: ModelPayment): boolean {
  return content !== undefined && (may.has("PROCESSING") || may.has("PENDING"));
}

function isClosedForGood(payment: ModelPayment): boolean {
  const { may, order, wasHeld, sawSuccess } = payment;
  const isOver = [...may].every((status) => status === "FAIL" || status === "CANCELLED");
  return hasOrder(payment) && isOver && order === "CLOSED" && !wasHeld && !sawSuccess;
}

/** Returns false if the order was closed before it reached the provider, so that it can never be paid. */
async function isOpened(
  { world }: Real,
  { paymentId, cancelWanted, hasExpired, order }: ModelPayment,
): Promise<boolean> {
  if (order === "UNCHOSEN") return false;
  const isThere = (): boolean => world.effectsOf(paymentId).some(({ outcome }) => outcome === "opened");
  if (isThere()) return true;
  if (cancelWanted !== "no" || hasExpired || order === "CLOSED") return false;
  for (let waitMs = 5; !isThere(); waitMs = Math.min(waitMs * 2, 200)) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    await world.hurry();
  }
  return true;
}

async function untilHeard(real: Real, payment: ModelPayment): Promise<void> {
  await untilFinal(
    real,
    () => inquire(real, payment, "paymentId"),
    ({ json }) => restsOf(payment).has(json["paymentStatus"] as Status),
  );
}
