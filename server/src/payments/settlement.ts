import { paymentEffect, lateSuccessEffect, type Effect } from "../ledger/transfer.ts";
import type { Money } from "../core/money.ts";
import type { ResultCode } from "../core/result.ts";
import type { OrderReport } from "../wallets/wallet.ts";
import { isInStore, isSettled, type Payment, type PaymentStatus } from "./payment.ts";

/** What follows from a wallet's report. Decided here, and only here, whichever way the report came. */
export type Decision =
  /** Nothing new. */
  | { readonly kind: "nothing" }
  /** The order stands at the wallet: its code and page can be shown. */
  | { readonly kind: "accepted"; readonly code: string | undefined; readonly url: string | undefined }
  | { readonly kind: "moved"; readonly change: Change }
  /**
   * Paid, after the merchant was told that it was not: the answer stays, and the money goes back. What is
   * only held was never ours, and stands in no account.
   */
  | { readonly kind: "late success"; readonly paid: Money; readonly effect: Effect | undefined }
  /** Held, although it was let go: it is let go once more. In no account either way. */
  | { readonly kind: "held again" }
  /** The wallet speaks of something else than what it was sent. Nothing is settled; people have to look. */
  | { readonly kind: "contradiction"; readonly why: string };

export interface Change {
  readonly status: PaymentStatus;
  readonly resultCode: ResultCode;
  readonly paidAmount?: Money;
  readonly paidAt?: Date;
  readonly cancelledAt?: Date;
  readonly authExpiresAt?: Date;
  readonly effect?: Effect;
}

export function decide(payment: Payment, report: OrderReport, now: Date): Decision {
  switch (report.state) {
    case "OPEN":
      return payment.wallet?.acceptedAt || isSettled(payment)
        ? { kind: "nothing" }
        : { kind: "accepted", code: report.code, url: report.url };
    case "PENDING":
      // A till knows paid, not paid and not yet; and it cancels what is not yet.
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
      return isSettled(payment) ? { kind: "nothing" } : ended(payment, "ORDER_IS_CLOSED", now);
    case "NOT_FOUND":
      return { kind: "nothing" };
    case "INCONSISTENT":
      return { kind: "contradiction", why: "The wallet has done something else under this reference." };
  }
}

/** How long a wallet holds money that nobody captures. */
const authorizationLifetimeMs = 7 * 24 * 3600 * 1000;

function decidePaid(
  payment: Payment,
  report: OrderReport & { readonly state: "PAID" | "AUTHORIZED" },
): Decision {
  const { amount, wallet, clientId, captureMode, feeBasisPoints } = payment;
  if (!amount || !wallet)
    return { kind: "contradiction", why: "The wallet was paid for an order that was never sent." };
  if (report.amount.currency !== amount.currency || report.amount.minor !== amount.minor) {
    return { kind: "contradiction", why: "The wallet speaks of another amount." };
  }
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
  const { paidAmount, paidAt } = report;
  if (payment.status === "FAIL" || payment.status === "CANCELLED") {
    // A success that was cancelled by the merchant is not late: its money has gone back already.
    if (payment.paidAt) return afterLetGo(payment);
    const effect = captureMode === "MANUAL" ? undefined : lateSuccessEffect(wallet.connector, paidAmount);
    return { kind: "late success", paid: paidAmount, effect };
  }
  if (payment.status === "SUCCESS") return payment.releasedAt ? afterLetGo(payment) : { kind: "nothing" };
  if (captureMode === "MANUAL") {
    const authExpiresAt = new Date(paidAt.getTime() + authorizationLifetimeMs);
    return moved("SUCCESS", "SUCCESS", { paidAmount, paidAt, authExpiresAt });
  }
  const effect = paymentEffect(clientId, wallet.connector, paidAmount, feeBasisPoints);
  return moved("SUCCESS", "SUCCESS", { paidAmount, paidAt, effect });
}

/**
 * A report of a hold that we have let go may be an old one that was overtaken, or the wallet holds the money again.
 * Letting go once more is right in both cases; nobody else would ever ask again. What was captured is held no longer.
 */
function afterLetGo({ captureMode, capturedMinor }: Payment): Decision {
  return { kind: captureMode === "MANUAL" && capturedMinor === 0n ? "held again" : "nothing" };
}

/** Not paid and never to be paid: cancelled if the merchant wanted that, failed otherwise. */
function ended(payment: Payment, resultCode: ResultCode, now: Date): Decision {
  if (payment.cancelRequestedAt && payment.status === "PROCESSING") {
    return moved("CANCELLED", "ORDER_IS_CANCELED", { cancelledAt: now });
  }
  return moved("FAIL", resultCode);
}

function moved(status: PaymentStatus, resultCode: ResultCode, more: Partial<Change> = {}): Decision {
  return { kind: "moved", change: { status, resultCode, ...more } };
}

export type Step = "submit" | "inquire" | "expire" | "close";

/** What a payment that is not settled needs next. A local timer decides nothing: it only has the wallet asked. */
export function nextStep(payment: Payment, now: Date, maySubmit = true): Step {
  if (payment.cancelRequestedAt) return "close";
  if (isExpired(payment, now)) return "expire";
  return payment.wallet?.acceptedAt || !maySubmit ? "inquire" : "submit";
}

function isExpired({ expiresAt }: Payment, now: Date): boolean {
  return expiresAt !== undefined && now >= expiresAt;
}

/**
 * Whether an order whose time is over is to be closed, by what the wallet has just said of it. A buyer who has acted has
 * acted in time, since nobody can after the expiry: to close then would let go what is held, or undo what only the
 * wallet knows. The message that has yet to arrive finds the order closed.
 */
export function mayExpire({ state }: OrderReport): boolean {
  return state === "OPEN" || state === "NOT_FOUND";
}

const inquiryGapsSeconds = [30, 60, 120, 240];
/** For what is the wallet's alone to decide, long after the buyer could act. */
const longestGapMs = 6 * 3600 * 1000;
const retryGapsSeconds = [1, 2, 5, 10, 20, 40, 60];

/**
 * When to look at an open order again: the wallet's callback comes first as a rule, so asking is for the
 * case that it is lost. Never later than the expiry.
 */
export function nextLookAt(payment: Payment, attempts: number, now: Date): Date {
  const gapSeconds = inquiryGapsSeconds[Math.min(attempts, inquiryGapsSeconds.length - 1)] ?? 0;
  const lookAtMs = now.getTime() + gapSeconds * 1000;
  // What expired on its way to the wallet is closed at once; what is the wallet's to decide is asked after in gaps.
  if (isExpired(payment, now)) {
    if (attempts === 0 && payment.status === "PROCESSING") return now;
    // A wallet may take days for its word: whoever asks every four minutes until then asks two thousand times.
    const overdueMs = now.getTime() - (payment.expiresAt?.getTime() ?? 0);
    return new Date(Math.max(lookAtMs, now.getTime() + Math.min(overdueMs / 4, longestGapMs)));
  }
  return new Date(Math.min(lookAtMs, payment.expiresAt?.getTime() ?? Infinity));
}

/** When to try again after a wallet gave no answer. */
export function retryAt(attempts: number, now: Date): Date {
  const gapSeconds = retryGapsSeconds[Math.min(attempts, retryGapsSeconds.length - 1)] ?? 0;
  return new Date(now.getTime() + gapSeconds * 1000);
}
