import type { Payment, PaymentStatus } from "./payment.ts";

/**
 * The payment status that people see. `paymentStatus` of the API stays SUCCESS after a refund or a chargeback; the
 * display status shows refunds and disputes.
 */
export type DisplayStatus =
  | Exclude<PaymentStatus, "SUCCESS">
  | "AUTHORIZED"
  | "RELEASED"
  | "PAID"
  | "PARTLY_REFUNDED"
  | "REFUNDED"
  | "DISPUTED"
  | "DISPUTE_LOST";

type PaymentSums = Pick<
  Payment,
  "status" | "captureMode" | "releasedAt" | "capturedMinor" | "refundedMinor" | "disputedMinor"
>;

/**
 * `displayStatusOf` derives the display status. `lostMinor` is the part of the disputed amount that disputes have
 * debited. The SQL function `display_status_of` has the same rule, because lists filter by it.
 */
export function displayStatusOf(payment: PaymentSums, lostMinor: bigint): DisplayStatus {
  const { status, capturedMinor, refundedMinor, disputedMinor } = payment;
  if (status !== "SUCCESS") return status;
  if (disputedMinor > lostMinor) return "DISPUTED";
  if (lostMinor > 0n) return "DISPUTE_LOST";
  if (payment.captureMode === "MANUAL" && capturedMinor === 0n)
    return payment.releasedAt ? "RELEASED" : "AUTHORIZED";
  if (refundedMinor === 0n) return "PAID";
  return refundedMinor >= capturedMinor ? "REFUNDED" : "PARTLY_REFUNDED";
}

/**
 * `keptMinor` returns the paid or captured amount less refunds and disputes, before fees. It returns undefined if no
 * money was collected.
 */
export function keptMinor({
  status,
  capturedMinor,
  refundedMinor,
  disputedMinor,
}: PaymentSums): bigint | undefined {
  return status === "SUCCESS" && capturedMinor > 0n
    ? capturedMinor - refundedMinor - disputedMinor
    : undefined;
}

/** `paymentStatusOf` returns the `paymentStatus` that payments with this display status have. */
export function paymentStatusOf(displayStatus: string | undefined): string | undefined {
  switch (displayStatus) {
    case undefined:
    case "PROCESSING":
    case "PENDING":
    case "FAIL":
    case "CANCELLED":
      return displayStatus;
    default:
      return "SUCCESS";
  }
}
