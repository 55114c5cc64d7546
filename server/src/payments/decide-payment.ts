import { paymentFeeTerms } from "../ledger/fee.ts";
import { paymentEffect, lateSuccessEffect, type Effect } from "../ledger/transfer.ts";
import { backOff, type Backoff } from "../resilience/backoff.ts";
import type { Money } from "../core/money.ts";
import type { ResultCode } from "../core/result.ts";
import { defaultTerms } from "../providers/connector.ts";
import type { OrderReport } from "../providers/provider.ts";
import { isNewerAction, type BuyerAction } from "./next-actions/next-action-columns.ts";
import {
  isMethodChangeRequested,
  isInStore,
  isSettled,
  type Payment,
  type PaymentStatus,
} from "./payment.ts";

/**
 * The outcome of a provider's report, for callbacks, responses and inquiries alike. `why` is the text of the operator
 * alert.
 */
export type PaymentDecision =
  /** The report changes nothing. */
  | { readonly kind: "nothing" }
  /** The provider has accepted the order, or its buyer has another next action, such as a renewed code. */
  | { readonly kind: "accepted"; readonly action: BuyerAction }
  | { readonly kind: "moved"; readonly change: PaymentChange; readonly why?: string }
  /** The provider has closed the order because the buyer wants another payment method. The buyer can choose again. */
  | { readonly kind: "left" }
  /**
   * Late success: paid after the merchant was notified of the failure. The merchant's result does not change, and the
   * money is reversed. An authorization hold has no ledger effect, because the money was never the gateway's.
   */
  | {
      readonly kind: "late success";
      readonly why: string;
      readonly paidAmount: Money;
      readonly effect: Effect | undefined;
    }
  /**
   * The provider reports a hold that the gateway has released: it must release the hold again. This outcome has no
   * ledger effect.
   */
  | { readonly kind: "held again" }
  /** The hold expired at the provider before all of it was captured. The rest can not be captured any more. */
  | { readonly kind: "hold lapsed" }
  /** The merchant's cancel of a hold ended at the provider. The cancel's own job asks for its result. */
  | { readonly kind: "cancel ended" }
  /** The report contradicts the gateway's request or an earlier report. The payment does not change. */
  | { readonly kind: "contradiction"; readonly why: string };

export interface PaymentChange {
  readonly status: PaymentStatus;
  readonly resultCode: ResultCode;
  readonly paidAmount?: Money;
  readonly paidAt?: Date;
  readonly cancelledAt?: Date;
  readonly authExpiresAt?: Date;
  /** The provider's details of the order, as JSON. */
  readonly providerDetails?: string;
  readonly effect?: Effect;
}

/**
 * `decidePayment` returns the outcome of a provider's report for a payment. It is pure: the caller writes the change.
 * `holdSeconds` is the length of an authorization hold whose end the provider does not report.
 */
export function decidePayment(
  payment: Payment,
  report: OrderReport,
  now: Date,
  holdSeconds = defaultTerms.holdSeconds,
): PaymentDecision {
  const mismatch = orderMismatch(payment, report);
  if (mismatch !== undefined) return { kind: "contradiction", why: mismatch };
  if (isHeld(payment) && payment.cancelRequestedAt && hasCancelEnded(report)) return { kind: "cancel ended" };
  switch (report.state) {
    case "OPEN":
      return decideOpen(payment, buyerActionOf(report));
    case "PENDING":
      // An in-store payment is not moved to PENDING, because points of sale do not know this status: they cancel each
      // payment that is not final.
      return payment.status === "PROCESSING" && !isInStore(payment)
        ? statusChange("PENDING", "PAYMENT_IN_PROCESS")
        : { kind: "nothing" };
    case "PAID":
    case "AUTHORIZED":
      return withDetails(decidePaid(payment, report, holdSeconds), report);
    case "DECLINED":
    case "REFUSED":
      return isSettled(payment)
        ? { kind: "nothing" }
        : withDetails(finalStatusChange(payment, report.resultCode, now), report);
    case "LAPSED":
    case "CLOSED":
      if (report.state === "LAPSED" && isHeld(payment) && !payment.releasedAt) return { kind: "hold lapsed" };
      if (isMethodChangeRequested(payment) && !payment.cancelRequestedAt) return { kind: "left" };
      return isSettled(payment) ? { kind: "nothing" } : finalStatusChange(payment, "ORDER_IS_CLOSED", now);
    case "NOT_FOUND":
    case "NO_QUERY":
      return { kind: "nothing" };
    case "INCONSISTENT":
      return {
        kind: "contradiction",
        why: "The payment provider reports another action under this reference.",
      };
  }
}

/** `withDetails` adds the details of the report to the change that settles the payment. */
function withDetails(decision: PaymentDecision, { details, hasCardNumber }: OrderReport): PaymentDecision {
  if (decision.kind !== "moved" || !(details || hasCardNumber)) return decision;
  return {
    ...decision,
    change: { ...decision.change, ...(details && { providerDetails: JSON.stringify(details) }) },
    // Later reports change nothing, so the operator is alerted once.
    ...(hasCardNumber && {
      why: "The payment provider's details contained a card number, which was dropped.",
    }),
  };
}

/** The next action of the buyer that a report of an open order states. */
export function buyerActionOf({
  nextAction,
  sequence = 0,
}: OrderReport & { readonly state: "OPEN" }): BuyerAction {
  return { nextAction, actionSequence: sequence };
}

/** Once the buyer has acted, the payment is PENDING, and a report about an earlier action changes nothing. */
function decideOpen({ status, order }: Payment, action: BuyerAction): PaymentDecision {
  const isOpen = status === "PROCESSING" || (status === "PENDING" && !order?.acceptedAt);
  const isNews = !order?.acceptedAt || isNewerAction(order, action);
  return isOpen && isNews ? { kind: "accepted", action } : { kind: "nothing" };
}

/** `isHeld` returns whether the payment is authorized, and its money is or was held by the provider. */
function isHeld({ status, captureMode }: Payment): boolean {
  return status === "SUCCESS" && captureMode === "MANUAL";
}

/** `hasCancelEnded` returns whether an order is not being cancelled any more: its hold is gone, or its cancel failed. */
function hasCancelEnded({ state, cancel }: OrderReport): boolean {
  return state === "CLOSED" || state === "LAPSED" || cancel?.state === "DONE" || cancel?.state === "FAILED";
}

/** `orderMismatch` returns why a report is about another payment or amount; undefined if it is about this order. */
export function orderMismatch(
  { paymentId, amount }: Pick<Payment, "paymentId" | "amount">,
  report: OrderReport,
): string | undefined {
  if (report.paymentId !== undefined && report.paymentId !== paymentId)
    return "The payment provider reports the order of another payment.";
  if (!report.amount || !amount) return undefined;
  const isSame = report.amount.currency === amount.currency && report.amount.minor === amount.minor;
  return isSame ? undefined : "The payment provider reports another amount than requested.";
}

/**
 * `decideAbandonedOrder` judges a report on an order that its buyer has left. The provider had closed this order, so a payment is
 * a contradiction.
 */
export function decideAbandonedOrder({ state }: OrderReport): PaymentDecision {
  const isPaid = state === "PAID" || state === "AUTHORIZED";
  if (!isPaid) return { kind: "nothing" };
  return {
    kind: "contradiction",
    why: "Paid at a payment provider that the buyer had left, and that had closed the order.",
  };
}

function decidePaid(
  payment: Payment,
  report: OrderReport & { readonly state: "PAID" | "AUTHORIZED" },
  holdSeconds: number,
): PaymentDecision {
  const { amount, order, clientId, captureMode } = payment;
  if (!amount || !order)
    return {
      kind: "contradiction",
      why: "The payment provider reports a payment of an order that was never sent.",
    };
  // The paid amount may differ from the requested one only with a quote or a coupon, and the gateway offers neither.
  if (report.paidAmount.currency !== amount.currency || report.paidAmount.minor !== amount.minor) {
    return { kind: "contradiction", why: "The buyer paid another amount than requested." };
  }
  if ((report.state === "AUTHORIZED") !== (captureMode === "MANUAL")) {
    const why =
      captureMode === "MANUAL"
        ? "The payment provider collected money that it should only authorize."
        : "The payment provider only authorized money that it should collect.";
    return { kind: "contradiction", why };
  }
  // Race: the close that is in flight releases this hold, so the merchant must not be notified of a success.
  if (report.state === "AUTHORIZED" && isMethodChangeRequested(payment)) return { kind: "nothing" };
  const { paidAmount, paidAt } = report;
  if (payment.status === "FAIL" || payment.status === "CANCELLED") {
    // Money of a payment that succeeded and was then cancelled is not a late success: the gateway has already returned
    // it.
    if (payment.paidAt) return decideReleasedHold(payment);
    const effect = captureMode === "MANUAL" ? undefined : lateSuccessEffect(order.connector, paidAmount);
    const why = "Paid after the merchant was notified that the payment failed.";
    return { kind: "late success", why, paidAmount, effect };
  }
  if (payment.status === "SUCCESS")
    return payment.releasedAt ? decideReleasedHold(payment) : { kind: "nothing" };
  if (captureMode === "MANUAL") {
    const { holdExpiresAt } = report.state === "AUTHORIZED" ? report : {};
    const authExpiresAt = holdExpiresAt ?? new Date(paidAt.getTime() + holdSeconds * 1000);
    return statusChange("SUCCESS", "SUCCESS", { paidAmount, paidAt, authExpiresAt });
  }
  const effect = paymentEffect(clientId, order.connector, paidAmount, paymentFeeTerms(payment));
  return statusChange("SUCCESS", "SUCCESS", { paidAmount, paidAt, effect });
}

/**
 * Decides a report of a hold that the gateway released: it is either stale (out of order), or the provider holds the
 * money again. Another release is idempotent and correct in both cases, and no other job would retry it. Captured money
 * is no longer held.
 */
function decideReleasedHold({ captureMode, capturedMinor }: Payment): PaymentDecision {
  return { kind: captureMode === "MANUAL" && capturedMinor === 0n ? "held again" : "nothing" };
}

/**
 * `finalStatusChange` moves an unpaid payment to its final status: cancelled if the merchant requested a cancel, failed otherwise.
 */
function finalStatusChange(payment: Payment, resultCode: ResultCode, now: Date): PaymentDecision {
  if (payment.cancelRequestedAt && payment.status === "PROCESSING") {
    return statusChange("CANCELLED", "ORDER_IS_CANCELED", { cancelledAt: now });
  }
  return statusChange("FAIL", resultCode);
}

function statusChange(
  status: PaymentStatus,
  resultCode: ResultCode,
  fields: Partial<PaymentChange> = {},
): PaymentDecision {
  return { kind: "moved", change: { status, resultCode, ...fields } };
}

export type ProviderStep = "submit" | "inquire" | "expire" | "close";

/**
 * `nextStep` returns the next request to the provider for an open payment. The gateway's own timer never fails a
 * payment: at the expiry it only triggers an inquiry.
 */
export function nextStep(payment: Payment, now: Date, maySubmit = true): ProviderStep {
  if (payment.cancelRequestedAt || isMethodChangeRequested(payment)) return "close";
  if (isExpired(payment, now)) return "expire";
  return payment.order?.acceptedAt || !maySubmit ? "inquire" : "submit";
}

function isExpired({ expiresAt }: Payment, now: Date): boolean {
  return expiresAt !== undefined && now >= expiresAt;
}

/**
 * `mayExpire` returns whether the provider's last report allows the gateway to close an expired order. No buyer can act
 * after the expiry, so an approval happened in time: a close would release authorized money, or undo a result that only
 * the provider knows. If a submit is still in flight, it finds the order closed. An order that cannot be inquired about
 * is closed, unless a callback has reported that the provider decides: the response to the close has its state.
 */
export function mayExpire({ state }: OrderReport, { status }: Pick<Payment, "status">): boolean {
  return state === "OPEN" || state === "NOT_FOUND" || (state === "NO_QUERY" && status !== "PENDING");
}

const pollBackoff: Backoff = [30, 60, 120, 240];
/** Longest poll interval, for orders that only the provider can decide, long after the buyer's time to act. */
const pollIntervalMaxMs = 6 * 3600 * 1000;

/** Pause after the expiry of a next action, in which the provider renews it. */
const renewalPauseMs = 1000;
/** Shortest interval of polls for a renewed action, and for how long after its expiry these polls continue. */
const renewalPollMs = 10_000;
const renewalOverdueMsMax = 60_000;

/**
 * Poll schedule of an open order. The provider's callback usually comes first; polling covers lost callbacks. The next
 * poll is never later than the expiry. A next action that expires, such as a code, is polled after its own expiry.
 */
export function nextPollAt(payment: Payment, attempts: number, now: Date): Date {
  const backoffAtMs = backOff(pollBackoff, attempts, now).getTime();
  // An order that expires before it reaches the provider is closed immediately; later polls of an expired order back
  // off.
  if (isExpired(payment, now)) {
    if (attempts === 0 && payment.status === "PROCESSING") return now;
    // A provider may take days to decide, so the polls become less frequent: one every four minutes would be two
    // thousand requests.
    const overdueMs = now.getTime() - (payment.expiresAt?.getTime() ?? 0);
    return new Date(Math.max(backoffAtMs, now.getTime() + Math.min(overdueMs / 4, pollIntervalMaxMs)));
  }
  const renewedAtMs = renewalPollAtMs(payment, now.getTime());
  return new Date(Math.min(backoffAtMs, renewedAtMs, payment.expiresAt?.getTime() ?? Infinity));
}

function renewalPollAtMs({ status, order }: Payment, nowMs: number): number {
  const action = status === "PROCESSING" ? order?.nextAction : undefined;
  const expiresAt = action && "expiresAt" in action ? action.expiresAt : undefined;
  if (!expiresAt || nowMs > expiresAt.getTime() + renewalOverdueMsMax) return Infinity;
  return Math.max(expiresAt.getTime() + renewalPauseMs, nowMs + renewalPollMs);
}
