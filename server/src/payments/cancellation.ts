import type { Money } from "../core/money.ts";
import type { ResultCode } from "../core/result.ts";
import { calculateCancelCost, paymentFeeTerms } from "../ledger/fee.ts";
import type { ConnectorTerms } from "../providers/connector.ts";
import type { Payment } from "./payment.ts";

export const cancelRefusals = [
  "PAYMENT_METHOD_NOT_SUPPORTED",
  "ORDER_STATUS_INVALID",
  "CANCEL_WINDOW_EXCEED",
  "PROCESS_FAIL",
] as const satisfies readonly ResultCode[];

export type CancelRefusal = (typeof cancelRefusals)[number];

/** `cancelRefusal` returns the first reason to refuse the cancel of a paid or authorized payment, or undefined. */
export function cancelRefusal(payment: Payment, terms: ConnectorTerms, now: Date): CancelRefusal | undefined {
  const isHeld = payment.captureMode === "MANUAL";
  if (!isHeld && terms.cancelPaid === "NEVER") return "PAYMENT_METHOD_NOT_SUPPORTED";
  if (isHeld && payment.capturedMinor > 0n) return "ORDER_STATUS_INVALID";
  const holdEnd = isHeld ? payment.authExpiresAt : undefined;
  if (
    !payment.paidAt ||
    now >= (holdEnd ?? cancelWindowEnd(payment.paidAt, isHeld ? "WEEK" : terms.cancelPaid))
  )
    return "CANCEL_WINDOW_EXCEED";
  // The provider decides the dispute about this money. If the gateway also cancelled the payment, the money would be
  // returned twice.
  if (payment.disputedMinor > 0n) return "ORDER_STATUS_INVALID";
  if (payment.refundedMinor > 0n) return "PROCESS_FAIL";
  return undefined;
}

/**
 * `cancelCost` returns the debit of the merchant's balance: the paid amount less the fee and its tax, which a cancel
 * returns.
 */
export function cancelCost(payment: Payment, paid: Money): Money {
  return { currency: paid.currency, minor: calculateCancelCost(paid.minor, paymentFeeTerms(payment)) };
}

const dayMs = 24 * 3600 * 1000;
/** Time zone UTC+8, in which the business day of most payment providers ends. */
const providerZoneMs = 8 * 3600 * 1000;
const graceMs = 15 * 60 * 1000;

/** End of the cancel window: seven days after the payment, or 00:15 (UTC+8) of the day after the payment. */
function cancelWindowEnd(paidAt: Date, window: ConnectorTerms["cancelPaid"]): Date {
  const paidAtMs = paidAt.getTime();
  if (window === "WEEK") return new Date(paidAtMs + 7 * dayMs);
  const day = Math.floor((paidAtMs + providerZoneMs) / dayMs);
  return new Date((day + 1) * dayMs - providerZoneMs + graceMs);
}
