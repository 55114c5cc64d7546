import type { ResultStatus } from "../core/result.ts";
import type { PaymentStatus } from "./payment.ts";

/** `PaymentOutcome` is what a shop may conclude about the money of one payment. Exactly one of the outcomes applies. */
export type PaymentOutcome = "PAID" | "AUTHORIZED" | "PENDING" | "FAILED";

export const outcomesInWords: Readonly<Record<PaymentOutcome, string>> = {
  PAID: "The money was collected. Deliver.",
  AUTHORIZED: "The money is authorized and not collected. Capture it, then deliver.",
  PENDING: "The outcome is not known yet. Wait for the next notification, or inquire. Do not deliver.",
  FAILED: "It was not paid, and it will not be. Do not deliver.",
};

/**
 * `HoldState` is the state of an authorization hold, derived from the fields of a message: `NONE` without
 * `authExpiryTime`; else `CAPTURED` with a successful capture in `transactions`; else `RELEASED` with
 * `authReleaseTime`; else `HELD`.
 */
export type HoldState = "NONE" | "HELD" | "CAPTURED" | "RELEASED";

/**
 * A row of the table of payment outcomes. It matches a message if every value is equal. Null is a field that the
 * message does not have; undefined matches any value.
 */
export interface OutcomeRow {
  readonly notifyType: "PAYMENT_RESULT" | null;
  readonly paymentStatus: PaymentStatus | null;
  readonly resultStatus?: ResultStatus;
  readonly hold?: HoldState;
  readonly outcome: Exclude<PaymentOutcome, "PENDING">;
}

const notified = { notifyType: "PAYMENT_RESULT", paymentStatus: null } as const;
const succeeded = { notifyType: null, paymentStatus: "SUCCESS", resultStatus: "S" } as const;

/**
 * The one table of payment outcomes. A message that matches no row is `PENDING`: a value that a newer gateway adds never
 * means paid. `isPaid`, `isAuthorized`, `isPending` and `isFailed` of every client library are generated from it.
 */
export const paymentOutcomes: readonly OutcomeRow[] = [
  { ...notified, resultStatus: "S", hold: "NONE", outcome: "PAID" },
  { ...notified, resultStatus: "S", hold: "HELD", outcome: "AUTHORIZED" },
  { ...notified, resultStatus: "F", outcome: "FAILED" },
  { ...succeeded, hold: "NONE", outcome: "PAID" },
  { ...succeeded, hold: "HELD", outcome: "AUTHORIZED" },
  { ...succeeded, hold: "CAPTURED", outcome: "PAID" },
  { ...succeeded, hold: "RELEASED", outcome: "FAILED" },
  { notifyType: null, paymentStatus: "FAIL", outcome: "FAILED" },
  { notifyType: null, paymentStatus: "CANCELLED", outcome: "FAILED" },
];

/** The operations and webhooks whose messages have an outcome. */
export const messagesWithOutcome = ["pay", "inquiryPayment", "notifyPayment"] as const;

/**
 * The fields of a message that decide the outcome of a payment; a field that is absent from the message is undefined.
 */
export interface OutcomeFacts {
  readonly notifyType?: string | undefined;
  readonly paymentStatus?: string | undefined;
  readonly resultStatus?: string | undefined;
  readonly hold: HoldState;
}

export function paymentOutcomeOf({
  notifyType,
  paymentStatus,
  resultStatus,
  hold,
}: OutcomeFacts): PaymentOutcome {
  const row = paymentOutcomes.find(
    (each) =>
      each.notifyType === (notifyType ?? null) &&
      each.paymentStatus === (paymentStatus ?? null) &&
      (each.resultStatus === undefined || each.resultStatus === resultStatus) &&
      (each.hold === undefined || each.hold === hold),
  );
  return row?.outcome ?? "PENDING";
}
