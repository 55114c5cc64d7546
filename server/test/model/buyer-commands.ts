import assert from "node:assert/strict";
import fc from "fast-check";
import { newCommand, selectPayment, rarely, arbitraryTarget } from "./model-command.ts";
import { describePayment, inquire, repeatUntilFinal, type Real } from "./run-context.ts";
import { possibleActResults, finalStatusesOf, type ModelPayment, type Status } from "./merchant-model.ts";
import { afterProviderAction, afterExpiry, afterTooLate } from "./expected-effects.ts";

const someCallbackFault = rarely(fc.constantFrom("callback-drop", "callback-twice"));

/**
 * Commands that act as the buyer at the provider, or as the provider's clock. A command can wait until the gateway
 * knows of the action.
 */
export const buyerActionCommands = fc
  .tuple(
    arbitraryTarget,
    fc.constantFrom("approve", "approve", "approve", "decline", "pend", "expire"),
    someCallbackFault,
    fc.boolean(),
  )
  .map(([target, action, fault, waits]) =>
    newCommand(`${action} ${target.name}${waits ? " and wait" : ""}`, fault, {
      check: (model) => model.payments.length > 0 && hasOrder(selectPayment(model, target, isWaiting)),
      async run(model, real) {
        const payment = selectPayment(model, target, isWaiting);
        if (!(await isOpened(real, payment))) return;
        const { paymentId } = payment;
        if (fault) await real.system.provider.fault({ kind: fault, match: { paymentId } });
        const may = possibleActResults(payment, action);
        const { status, text } = await real.system.provider.control(paymentId, action);
        assert.ok(
          status === 200 ? may.done : status === 409 && may.late,
          `${status} ${text} ${describePayment(payment)}`,
        );
        if (status === 200) afterProviderAction(payment, action);
        else if (may.done && payment.order !== "HELD") afterTooLate(payment);
        if (waits) await waitUntilKnown(real, payment);
      },
    }),
  );

/** The payment expires, and the gateway asks the provider to close the order. */
export const expiryCommands = arbitraryTarget.map((target) =>
  newCommand(`let ${target.name} expire`, undefined, {
    check: (model) => model.payments.length > 0 && mayBeOpen(selectPayment(model, target, mayBeOpen)),
    async run(model, real) {
      const payment = selectPayment(model, target, mayBeOpen);
      await real.system.expirePayment(payment.paymentId);
      afterExpiry(payment);
    },
  }),
);

/** The provider takes the money of an order that it had closed, after the merchant was notified of the final status. */
export const lateApprovalCommands = arbitraryTarget.map((target) =>
  newCommand(`approve ${target.name} late`, undefined, {
    check: (model) =>
      model.payments.length > 0 && isFinallyClosed(selectPayment(model, target, isFinallyClosed)),
    async run(model, real) {
      const payment = selectPayment(model, target, isFinallyClosed);
      const { paymentId, content } = payment;
      if (!(await isOpened(real, payment))) return;
      await real.system.provider.fault({ kind: "late-success", match: { paymentId } });
      const { status, text } = await real.system.provider.control(paymentId, "approve");
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

function mayBeOpen({ possibleStatuses, content }: ModelPayment): boolean {
  return content !== undefined && (possibleStatuses.has("PROCESSING") || possibleStatuses.has("PENDING"));
}

function isFinallyClosed(payment: ModelPayment): boolean {
  const { possibleStatuses, order, wasHeld, sawSuccess } = payment;
  const isOver = [...possibleStatuses].every((status) => status === "FAIL" || status === "CANCELLED");
  return hasOrder(payment) && isOver && order === "CLOSED" && !wasHeld && !sawSuccess;
}

/** Returns false if the order was closed before it reached the provider, so that it can never be paid. */
async function isOpened(
  { system }: Real,
  { paymentId, cancelWanted, hasExpired, order }: ModelPayment,
): Promise<boolean> {
  if (order === "UNCHOSEN") return false;
  const hasReachedProvider = (): boolean =>
    system.effectsOf(paymentId).some(({ outcome }) => outcome === "opened");
  if (hasReachedProvider()) return true;
  if (cancelWanted !== "no" || hasExpired || order === "CLOSED") return false;
  for (let waitMs = 5; !hasReachedProvider(); waitMs = Math.min(waitMs * 2, 200)) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    await system.makeJobsDue();
  }
  return true;
}

async function waitUntilKnown(real: Real, payment: ModelPayment): Promise<void> {
  await repeatUntilFinal(
    real,
    () => inquire(real, payment, "paymentId"),
    ({ json }) => finalStatusesOf(payment).has(json["paymentStatus"] as Status),
  );
}
