import type { ResultStatus } from "../core/result.ts";
import type { PaymentStatus } from "./payment.ts";

/** `PaymentOutcome` is what a shop may conclude about the money of one payment. Exactly one of the outcomes applies. */
export type PaymentOutcome = "PAID" | "AUTHORIZED" | "PENDING" | "FAILED";

export const outcomeMeanings: Readonly<Record<PaymentOutcome, string>> = {
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

const notifiedResult = { notifyType: "PAYMENT_RESULT", paymentStatus: null } as const;
const inquiredSuccess = { notifyType: null, paymentStatus: "SUCCESS", resultStatus: "S" } as const;

/**
 * The one table of payment outcomes. A message that matches no row is `PENDING`: a value that a newer gateway adds never
 * means paid. `isPaid`, `isAuthorized`, `isPending` and `isFailed` of every client library are generated from it.
 */
export const paymentOutcomes: readonly OutcomeRow[] = [
  { ...notifiedResult, resultStatus: "S", hold: "NONE", outcome: "PAID" },
  { ...notifiedResult, resultStatus: "S", hold: "HELD", outcome: "AUTHORIZED" },
  { ...notifiedResult, resultStatus: "F", outcome: "FAILED" },
  { ...inquiredSuccess, hold: "NONE", outcome: "PAID" },
  { ...inquiredSuccess, hold: "HELD", outcome: "AUTHORIZED" },
  { ...inquiredSuccess, hold: "CAPTURED", outcome: "PAID" },
  { ...inquiredSuccess, hold: "RELEASED", outcome: "FAILED" },
  { notifyType: null, paymentStatus: "FAIL", outcome: "FAILED" },
  { notifyType: null, paymentStatus: "CANCELLED", outcome: "FAILED" },
];

/** The operations and webhooks whose messages have an outcome. */
export const messagesWithOutcome = ["pay", "inquiryPayment", "notifyPayment"] as const;

/**
 * The fields of a message that decide the outcome of a payment; a field that is absent from the message is undefined.
 */
export interface OutcomeFields {
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
}: OutcomeFields): PaymentOutcome {
  const matchingRow = paymentOutcomes.find(
    (row) =>
      row.notifyType === (notifyType ?? null) &&
      row.paymentStatus === (paymentStatus ?? null) &&
      (row.resultStatus === undefined || row.resultStatus === resultStatus) &&
      (row.hold === undefined || row.hold === hold),
  );
  return matchingRow?.outcome ?? "PENDING";
}
