import { checkCapture, type CaptureRefusal } from "../captures/capture.ts";
import type { Money } from "../core/money.ts";
import { calculateRefundFee, paymentFeeTerms, noRefundFee, refundCost, type Fee } from "../ledger/fee.ts";
import { cancelCost, cancelRefusal, type CancelRefusal } from "../payments/cancellation.ts";
import { orderOf, type Payment } from "../payments/payment.ts";
import type { ConnectorTerms } from "../providers/connector.ts";
import { refundableMinorOf, refundRefusal, type RefundRefusal } from "./refund.ts";

/** Facts that decide the options of a payment. */
export interface PaymentFacts {
  readonly payment: Payment;
  /** Captured amount, without captures in progress, which may still fail. */
  readonly capturedMinor: bigint;
  /** Whether a capture with `isLastCapture` succeeded or is in progress. */
  readonly hadLast: boolean;
  /** The part of the merchant's balance that new refunds can use, in the payment's currency. */
  readonly availableMinor: bigint;
  /** Fees that earlier refunds of the payment returned; undefined without a fee rule. */
  readonly returnedFee?: Fee | undefined;
  readonly termsOf: (connector: string) => ConnectorTerms;
  readonly now: Date;
}

export interface RefundOption {
  /** The amount of the payment that is not refunded yet, whatever the merchant's balance is. */
  readonly left: Money;
  /** The largest refund that the gateway would accept now. */
  readonly most: Money;
  /** Whether a smaller refund is possible as well. */
  readonly inParts: boolean;
  readonly whyNot: RefundRefusal | "MERCHANT_BALANCE_NOT_ENOUGH" | undefined;
}

/**
 * `refundOption` returns the refund that is possible now, by the rules of `refundPayment`; undefined if the payment is
 * not paid, or was cancelled.
 */
export function refundOption(facts: PaymentFacts): RefundOption | undefined {
  const { payment, termsOf } = facts;
  const { amount, status } = payment;
  if (status !== "SUCCESS" || !amount) return undefined;
  const { currency } = amount;
  const leftMinor = refundableMinorOf(facts);
  const coveredMinor = amountCoveredByBalance(facts, leftMinor);
  const { refunds } = termsOf(orderOf(payment).connector);
  const mostMinor = refunds === "FULL" ? leftMinor : coveredMinor;
  const refused = refundRefusal({ ...facts, amount: { currency, minor: leftMinor } });
  const whyNot = refused ?? balanceRefusal(mostMinor, coveredMinor);
  return {
    left: { currency, minor: atLeastZero(leftMinor) },
    most: { currency, minor: atLeastZero(mostMinor) },
    inParts: refunds !== "FULL",
    whyNot: leftMinor > 0n ? whyNot : (refused ?? "REFUND_AMOUNT_EXCEED"),
  };
}

/**
 * `amountCoveredByBalance` returns the part of the unrefunded amount that the merchant's balance covers. For a partial
 * refund the returned fee is not counted, so the result is a safe lower bound.
 */
function amountCoveredByBalance(facts: PaymentFacts, leftMinor: bigint): bigint {
  const { payment, capturedMinor, availableMinor, returnedFee: returned } = facts;
  if (leftMinor <= 0n) return 0n;
  const sums = { capturedMinor, refundedMinor: payment.refundedMinor + leftMinor, returned };
  const fee =
    payment.feeTerms === undefined ? noRefundFee : calculateRefundFee(paymentFeeTerms(payment), sums);
  if (refundCost(leftMinor, fee) <= availableMinor) return leftMinor;
  const partMinor = availableMinor - refundCost(0n, { ...noRefundFee, charged: fee.charged });
  return atLeastZero(partMinor < leftMinor ? partMinor : leftMinor);
}

function balanceRefusal(mostMinor: bigint, coveredMinor: bigint): "MERCHANT_BALANCE_NOT_ENOUGH" | undefined {
  return coveredMinor === 0n || coveredMinor < mostMinor ? "MERCHANT_BALANCE_NOT_ENOUGH" : undefined;
}

export interface CaptureOption {
  readonly left: Money;
  readonly whyNot: CaptureRefusal | undefined;
}

/** `captureOption` returns the amount that can be captured now; undefined if the payment has no authorization hold. */
export function captureOption({
  payment,
  hadLast: hasLastCapture,
  termsOf,
  now,
}: Omit<PaymentFacts, "capturedMinor" | "availableMinor" | "returnedFee">): CaptureOption | undefined {
  const { amount, status, captureMode, capturedMinor } = payment;
  if (status !== "SUCCESS" || captureMode !== "MANUAL" || !amount) return undefined;
  const left = { currency: amount.currency, minor: amount.minor - capturedMinor };
  const refused = checkCapture({ payment, hasLastCapture }, termsOf, left, now);
  return { left, whyNot: left.minor > 0n ? refused : (refused ?? "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT") };
}

export interface CancelOption {
  readonly whyNot: CancelRefusal | "MERCHANT_BALANCE_NOT_ENOUGH" | undefined;
}

/**
 * `cancelOption` returns whether the payment can be cancelled now; undefined if it has failed, is cancelled, or is
 * being cancelled.
 */
export function cancelOption({
  payment,
  availableMinor,
  termsOf,
  now,
}: Omit<PaymentFacts, "capturedMinor" | "hadLast" | "returnedFee">): CancelOption | undefined {
  const { status, cancelRequestedAt, paidAmount, captureMode } = payment;
  if (status === "FAIL" || status === "CANCELLED" || cancelRequestedAt) return undefined;
  if (status === "PROCESSING") return { whyNot: undefined };
  if (status === "PENDING" || !paidAmount) return { whyNot: "ORDER_STATUS_INVALID" };
  const refused = cancelRefusal(payment, termsOf(orderOf(payment).connector), now);
  const isAuthorizationHold = captureMode === "MANUAL";
  const isCovered = isAuthorizationHold || cancelCost(payment, paidAmount).minor <= availableMinor;
  return { whyNot: refused ?? (isCovered ? undefined : "MERCHANT_BALANCE_NOT_ENOUGH") };
}

function atLeastZero(minor: bigint): bigint {
  return minor > 0n ? minor : 0n;
}
