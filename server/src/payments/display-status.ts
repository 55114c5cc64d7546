import type { Payment, PaymentStatus } from "./payment.ts";

/**
 * What people read as the status of a payment. The interface's own status stays SUCCESS after a refund or a chargeback; this one says what is
 * left of the money.
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

type Sums = Pick<
  Payment,
  "status" | "captureMode" | "releasedAt" | "capturedMinor" | "refundedMinor" | "disputedMinor"
>;

/**
 * `displayStatusOf` derives it. `lostMinor` is the part of the disputed amount that disputes have debited. The database has the same rule,
 * `display_status_of`, because lists are filtered by it.
 */
export function displayStatusOf(payment: Sums, lostMinor: bigint): DisplayStatus {
  const { status, capturedMinor, refundedMinor, disputedMinor } = payment;
  if (status !== "SUCCESS") return status;
  if (disputedMinor > lostMinor) return "DISPUTED";
  if (lostMinor > 0n) return "DISPUTE_LOST";
  if (payment.captureMode === "MANUAL" && capturedMinor === 0n)
    return payment.releasedAt ? "RELEASED" : "AUTHORIZED";
  if (refundedMinor === 0n) return "PAID";
  return refundedMinor >= capturedMinor ? "REFUNDED" : "PARTLY_REFUNDED";
}

/** `keptMinor` returns what is left of a paid or captured amount after refunds and disputes, before fees; undefined if nothing was taken. */
export function keptMinor({ status, capturedMinor, refundedMinor, disputedMinor }: Sums): bigint | undefined {
  return status === "SUCCESS" && capturedMinor > 0n
    ? capturedMinor - refundedMinor - disputedMinor
    : undefined;
}

/** `statusOf` returns the status of payments with this display status. */
export function statusOf(display: string | undefined): string | undefined {
  switch (display) {
    case undefined:
    case "PROCESSING":
    case "PENDING":
    case "FAIL":
    case "CANCELLED":
      return display;
    default:
      return "SUCCESS";
  }
}
