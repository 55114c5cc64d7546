import { captureRefusal, type CaptureRefusal } from "../captures/capture.ts";
import type { Money } from "../core/money.ts";
import { feeOfRefund, feeTermsOf, noRefundFee, refundCost, type Fee } from "../ledger/fee.ts";
import { cancelCost, cancelRefusal, type CancelRefusal } from "../payments/cancellation.ts";
import { orderOf, type Payment } from "../payments/payment.ts";
import type { ConnectorTerms } from "../wallets/connector.ts";
import { leftToRefund, refundRefusal, type RefundRefusal } from "./refund.ts";

/** What a payment's options are decided by. */
export interface OptionsAsked {
  readonly payment: Payment;
  /** What was really taken from the buyer so far; a capture that is under way may still fail. */
  readonly capturedMinor: bigint;
  /** Whether a capture was made, or is under way, that was said to be the last. */
  readonly hadLast: boolean;
  /** What new refunds can take of the merchant's balance, in the payment's currency. */
  readonly availableMinor: bigint;
  /** What earlier refunds have returned of the fee; undefined when there is no rule of fees. */
  readonly returnedFee?: Fee | undefined;
  readonly termsOf: (connector: string) => ConnectorTerms;
  readonly now: Date;
}

export interface RefundOption {
  /** What is left of the payment, whatever the balance. */
  readonly left: Money;
  /** The largest sum that would be taken now. */
  readonly most: Money;
  /** Whether it can also be less than that. */
  readonly inParts: boolean;
  readonly whyNot: RefundRefusal | "MERCHANT_BALANCE_NOT_ENOUGH" | undefined;
}

/** What can be refunded now, by the rule that refunds it; undefined for what was never paid, or has been called off. */
export function refundOption(asked: OptionsAsked): RefundOption | undefined {
  const { payment, termsOf } = asked;
  const { amount, status } = payment;
  if (status !== "SUCCESS" || !amount) return undefined;
  const { currency } = amount;
  const leftMinor = leftToRefund(asked);
  const coveredMinor = coveredOf(asked, leftMinor);
  const { refunds } = termsOf(orderOf(payment).connector);
  const mostMinor = refunds === "FULL" ? leftMinor : coveredMinor;
  const refused = refundRefusal({ ...asked, amount: { currency, minor: leftMinor } });
  const whyNot = refused ?? balanceRefusal(mostMinor, coveredMinor);
  return {
    left: { currency, minor: atLeastZero(leftMinor) },
    most: { currency, minor: atLeastZero(mostMinor) },
    inParts: refunds !== "FULL",
    whyNot: leftMinor > 0n ? whyNot : (refused ?? "REFUND_AMOUNT_EXCEED"),
  };
}

/** How much of what is left the balance covers. In part, what such a part would return of the fee is not counted: it is safely less. */
function coveredOf(asked: OptionsAsked, leftMinor: bigint): bigint {
  const { payment, capturedMinor, availableMinor, returnedFee: returned } = asked;
  if (leftMinor <= 0n) return 0n;
  const sums = { takenMinor: capturedMinor, refundedMinor: payment.refundedMinor + leftMinor, returned };
  const fee = payment.feeTerms === undefined ? noRefundFee : feeOfRefund(feeTermsOf(payment), sums);
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

/** What can be captured now; undefined for what holds no money. */
export function captureOption({
  payment,
  hadLast,
  termsOf,
  now,
}: Omit<OptionsAsked, "capturedMinor" | "availableMinor" | "returnedFee">): CaptureOption | undefined {
  const { amount, status, captureMode, capturedMinor } = payment;
  if (status !== "SUCCESS" || captureMode !== "MANUAL" || !amount) return undefined;
  const left = { currency: amount.currency, minor: amount.minor - capturedMinor };
  const refused = captureRefusal({ payment, hadLast }, termsOf, left, now);
  return { left, whyNot: left.minor > 0n ? refused : (refused ?? "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT") };
}

export interface CancelOption {
  readonly whyNot: CancelRefusal | "MERCHANT_BALANCE_NOT_ENOUGH" | undefined;
}

/** Whether it can be called off now; undefined for what has failed, was called off, or is being called off. */
export function cancelOption({
  payment,
  availableMinor,
  termsOf,
  now,
}: Omit<OptionsAsked, "capturedMinor" | "hadLast" | "returnedFee">): CancelOption | undefined {
  const { status, cancelRequestedAt, paidAmount, captureMode } = payment;
  if (status === "FAIL" || status === "CANCELLED" || cancelRequestedAt) return undefined;
  if (status === "PROCESSING") return { whyNot: undefined };
  if (status === "PENDING" || !paidAmount) return { whyNot: "ORDER_STATUS_INVALID" };
  const refused = cancelRefusal(payment, termsOf(orderOf(payment).connector), now);
  const isHeld = captureMode === "MANUAL";
  const isCovered = isHeld || cancelCost(payment, paidAmount).minor <= availableMinor;
  return { whyNot: refused ?? (isCovered ? undefined : "MERCHANT_BALANCE_NOT_ENOUGH") };
}

function atLeastZero(minor: bigint): bigint {
  return minor > 0n ? minor : 0n;
}
