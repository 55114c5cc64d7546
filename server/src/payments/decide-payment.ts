import { feeTermsOf } from "../ledger/fee.ts";
import { paymentEffect, lateSuccessEffect, type Effect } from "../ledger/transfer.ts";
import { backOff, type Backoff } from "../core/backoff.ts";
import type { Money } from "../core/money.ts";
import type { ResultCode } from "../core/result.ts";
import type { OrderReport } from "../wallets/wallet.ts";
import { isChanging, isInStore, isSettled, type Payment, type PaymentStatus } from "./payment.ts";

/** The outcome of a wallet's report. Callbacks, answers and inquiries all decide here. `why` alerts the operator. */
export type PaymentDecision =
  /** Nothing new. */
  | { readonly kind: "nothing" }
  /** The order stands at the wallet: its code and page can be shown. */
  | { readonly kind: "accepted"; readonly code: string | undefined; readonly url: string | undefined }
  | { readonly kind: "moved"; readonly change: PaymentChange }
  /** The wallet has closed the order that the buyer wants to leave: another can be chosen. */
  | { readonly kind: "left" }
  /**
   * Late success: paid after the merchant was told that it was not. The answer stays, and the money is
   * reversed. Money that the wallet only authorized was never ours, so it has no ledger effect.
   */
  | {
      readonly kind: "late success";
      readonly why: string;
      readonly paid: Money;
      readonly effect: Effect | undefined;
    }
  /** The wallet reports a hold that we have released: release it again. No ledger effect either way. */
  | { readonly kind: "held again" }
  /** The report contradicts what we sent. The payment does not move. */
  | { readonly kind: "contradiction"; readonly why: string };

export interface PaymentChange {
  readonly status: PaymentStatus;
  readonly resultCode: ResultCode;
  readonly paidAmount?: Money;
  readonly paidAt?: Date;
  readonly cancelledAt?: Date;
  readonly authExpiresAt?: Date;
  readonly effect?: Effect;
}

export function decidePayment(payment: Payment, report: OrderReport, now: Date): PaymentDecision {
  const mismatch = orderMismatch(payment, report);
  if (mismatch !== undefined) return { kind: "contradiction", why: mismatch };
  switch (report.state) {
    case "OPEN":
      return payment.order?.acceptedAt || isSettled(payment)
        ? { kind: "nothing" }
        : { kind: "accepted", code: report.code, url: report.url };
    case "PENDING":
      // Tills have no PENDING: they cancel anything that is not final.
      return payment.status === "PROCESSING" && !isInStore(payment)
        ? moved("PENDING", "PAYMENT_IN_PROCESS")
        : { kind: "nothing" };
    case "PAID":
    case "AUTHORIZED":
      return decidePaid(payment, report);
    case "DECLINED":
    case "REFUSED":
      return isSettled(payment) ? { kind: "nothing" } : ended(payment, report.resultCode, now);
    case "CLOSED":
      if (isChanging(payment) && !payment.cancelRequestedAt) return { kind: "left" };
      return isSettled(payment) ? { kind: "nothing" } : ended(payment, "ORDER_IS_CLOSED", now);
    case "NOT_FOUND":
      return { kind: "nothing" };
    case "INCONSISTENT":
      return { kind: "contradiction", why: "The wallet has done something else under this reference." };
  }
}

/** `orderMismatch` returns why a report is about another payment or amount, and undefined when it is not. */
export function orderMismatch(
  { paymentId, amount }: Pick<Payment, "paymentId" | "amount">,
  report: OrderReport,
): string | undefined {
  if (report.paymentId !== undefined && report.paymentId !== paymentId)
    return "The payment provider reports the order of another payment.";
  if (!report.amount || !amount) return undefined;
  const isSame = report.amount.currency === amount.currency && report.amount.minor === amount.minor;
  return isSame ? undefined : "The wallet speaks of another amount.";
}

/** A report on an order that its buyer has left. The wallet had closed it for good, so nobody can have paid it. */
export function decideLeft({ state }: OrderReport): PaymentDecision {
  const isPaid = state === "PAID" || state === "AUTHORIZED";
  if (!isPaid) return { kind: "nothing" };
  return {
    kind: "contradiction",
    why: "Paid at a wallet that the buyer had left, and that had closed the order.",
  };
}

/** How long a wallet holds money that nobody captures. */
const authorizationLifetimeMs = 7 * 24 * 3600 * 1000;

function decidePaid(
  payment: Payment,
  report: OrderReport & { readonly state: "PAID" | "AUTHORIZED" },
): PaymentDecision {
  const { amount, order, clientId, captureMode } = payment;
  if (!amount || !order)
    return { kind: "contradiction", why: "The wallet was paid for an order that was never sent." };
  // A difference is right only with a quote or a coupon, and we have given neither.
  if (report.paidAmount.currency !== amount.currency || report.paidAmount.minor !== amount.minor) {
    return { kind: "contradiction", why: "The buyer paid another amount." };
  }
  if ((report.state === "AUTHORIZED") !== (captureMode === "MANUAL")) {
    const why =
      captureMode === "MANUAL"
        ? "The wallet took what it was to hold."
        : "The wallet holds what it was to take.";
    return { kind: "contradiction", why };
  }
  // Race: the close that is on its way releases this hold, so it must not be promised to the merchant.
  if (report.state === "AUTHORIZED" && isChanging(payment)) return { kind: "nothing" };
  const { paidAmount, paidAt } = report;
  if (payment.status === "FAIL" || payment.status === "CANCELLED") {
    // A success that was cancelled by the merchant is not late: its money has gone back already.
    if (payment.paidAt) return afterLetGo(payment);
    const effect = captureMode === "MANUAL" ? undefined : lateSuccessEffect(order.connector, paidAmount);
    const why = "Paid after the merchant was told that it was not.";
    return { kind: "late success", why, paid: paidAmount, effect };
  }
  if (payment.status === "SUCCESS") return payment.releasedAt ? afterLetGo(payment) : { kind: "nothing" };
  if (captureMode === "MANUAL") {
    const authExpiresAt = new Date(paidAt.getTime() + authorizationLifetimeMs);
    return moved("SUCCESS", "SUCCESS", { paidAmount, paidAt, authExpiresAt });
  }
  const effect = paymentEffect(clientId, order.connector, paidAmount, feeTermsOf(payment));
  return moved("SUCCESS", "SUCCESS", { paidAmount, paidAt, effect });
}

/**
 * A report of a hold that we released is either stale (out of order), or the wallet holds the money again.
 * Releasing is idempotent and right in both cases; no other job would retry it. Captured money is held no
 * longer.
 */
function afterLetGo({ captureMode, capturedMinor }: Payment): PaymentDecision {
  return { kind: captureMode === "MANUAL" && capturedMinor === 0n ? "held again" : "nothing" };
}

/** Not paid and never to be paid: cancelled if the merchant wanted that, failed otherwise. */
function ended(payment: Payment, resultCode: ResultCode, now: Date): PaymentDecision {
  if (payment.cancelRequestedAt && payment.status === "PROCESSING") {
    return moved("CANCELLED", "ORDER_IS_CANCELED", { cancelledAt: now });
  }
  return moved("FAIL", resultCode);
}

function moved(
  status: PaymentStatus,
  resultCode: ResultCode,
  more: Partial<PaymentChange> = {},
): PaymentDecision {
  return { kind: "moved", change: { status, resultCode, ...more } };
}

export type Step = "submit" | "inquire" | "expire" | "close";

/** The next call for an open payment. Our own timer never decides: it only has the wallet asked. */
export function nextStep(payment: Payment, now: Date, maySubmit = true): Step {
  if (payment.cancelRequestedAt || isChanging(payment)) return "close";
  if (isExpired(payment, now)) return "expire";
  return payment.order?.acceptedAt || !maySubmit ? "inquire" : "submit";
}

function isExpired({ expiresAt }: Payment, now: Date): boolean {
  return expiresAt !== undefined && now >= expiresAt;
}

/**
 * Whether an expired order is to be closed, by what the wallet has just said of it. No buyer can act after
 * the expiry, so one who has acted did so in time: closing would release held money, or undo what only the
 * wallet knows. A submit that is still in flight finds the order closed.
 */
export function mayExpire({ state }: OrderReport): boolean {
  return state === "OPEN" || state === "NOT_FOUND";
}

const lookBackoff: Backoff = [30, 60, 120, 240];
/** Longest poll interval, for orders that only the wallet can decide, long after the buyer could act. */
const longestGapMs = 6 * 3600 * 1000;

/**
 * Poll schedule of an open order. The wallet's callback usually comes first; polling covers lost callbacks.
 * Never later than the expiry.
 */
export function nextLookAt(payment: Payment, attempts: number, now: Date): Date {
  const lookAtMs = backOff(lookBackoff, attempts, now).getTime();
  // An order that expired on its way to the wallet is closed at once; later polls back off.
  if (isExpired(payment, now)) {
    if (attempts === 0 && payment.status === "PROCESSING") return now;
    // A wallet may take days to decide: a poll every four minutes would make two thousand calls.
    const overdueMs = now.getTime() - (payment.expiresAt?.getTime() ?? 0);
    return new Date(Math.max(lookAtMs, now.getTime() + Math.min(overdueMs / 4, longestGapMs)));
  }
  return new Date(Math.min(lookAtMs, payment.expiresAt?.getTime() ?? Infinity));
}
