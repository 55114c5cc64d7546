import type { Lifecycle } from "../core/lifecycle.ts";
import type { Money } from "../core/money.ts";
import type { ResultCode } from "../core/result.ts";
import { orderOf, type Payment } from "../payments/payment.ts";
import type { ConnectorTerms } from "../providers/connector.ts";

export type CaptureStatus = "PROCESSING" | "SUCCESS" | "FAIL";

export const captureLifecycle = {
  PROCESSING: ["SUCCESS", "FAIL"],
  SUCCESS: [],
  FAIL: [],
} as const satisfies Lifecycle<CaptureStatus>;

/** A capture collects authorized money, in full or in part. */
export interface Capture {
  readonly bucket: number;
  readonly clientId: string;
  readonly captureId: string;
  readonly captureRequestId: string;
  readonly paymentId: string;
  readonly status: CaptureStatus;
  /** The reason for the capture's final status; CAPTURE_IN_PROCESS until the status is final. */
  readonly resultCode: ResultCode;
  readonly amount: Money;
  /** Whether the merchant marked this capture as the last one of the payment. */
  readonly isLast: boolean;
  /** Idempotency: a hash of the fields that must be equal in a repeated request. */
  readonly fingerprint: Uint8Array;
  readonly connector: string;
  /** Idempotency key at the provider: derived from the request, so that each retry sends the same reference. */
  readonly reference: string;
  readonly createdAt: Date;
  /** When the provider accepted the capture. From then on, the job polls the capture and does not send it again. */
  readonly acceptedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
}

export const captureRefusals = [
  "AUTH_NOT_FOUND",
  "AUTH_CANCELLED",
  "ORDER_IS_CANCELED",
  "ORDER_STATUS_INVALID",
  "AUTH_EXPIRED",
  "CURRENCY_NOT_SUPPORT",
  "MULTI_CAPTURE_NOT_SUPPORTED",
  "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT",
] as const satisfies readonly ResultCode[];

export type CaptureRefusal = (typeof captureRefusals)[number];

/** The payment and its earlier captures, against which a capture is checked. */
export interface CaptureContext {
  readonly payment: Payment | undefined;
  /** Whether a capture with `isLastCapture` succeeded or is in progress. */
  readonly hasLastCapture: boolean;
}

/** `checkCapture` returns the first reason to refuse the capture of `amount`, or undefined. */
export function checkCapture(
  { payment, hasLastCapture }: CaptureContext,
  termsOf: (connector: string) => Pick<ConnectorTerms, "captures">,
  amount: Money,
  now: Date,
): CaptureRefusal | undefined {
  if (!payment) return "AUTH_NOT_FOUND";
  const isManual = payment.captureMode === "MANUAL";
  if (payment.status === "CANCELLED") {
    return isManual && payment.paidAt ? "AUTH_CANCELLED" : "ORDER_IS_CANCELED";
  }
  if (payment.status !== "SUCCESS" || payment.cancelRequestedAt || !isManual || !payment.amount)
    return "ORDER_STATUS_INVALID";
  if (payment.releasedAt || !payment.authExpiresAt || now >= payment.authExpiresAt) return "AUTH_EXPIRED";
  if (amount.currency !== payment.amount.currency) return "CURRENCY_NOT_SUPPORT";
  const { captures } = termsOf(orderOf(payment).connector);
  if (captures === "ONE" && payment.capturedMinor > 0n) return "MULTI_CAPTURE_NOT_SUPPORTED";
  const exceeds = payment.capturedMinor + amount.minor > payment.amount.minor;
  return hasLastCapture || exceeds ? "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT" : undefined;
}

/**
 * `releasesRest` returns whether the provider may release the rest of the authorization hold with this capture. While
 * an earlier capture is in progress it may not, because nothing would be left to capture; then the rest expires with
 * the hold.
 */
export function releasesRest({ isLast, captureId }: Capture, captures: readonly Capture[]): boolean {
  return isLast && captures.every((each) => each.captureId === captureId || each.status !== "PROCESSING");
}

/** Refusal codes of a provider that the merchant receives unchanged. */
export const captureDeclines = [
  "RISK_REJECT",
  "USER_NOT_EXIST",
  "USER_STATUS_ABNORMAL",
  "USER_BALANCE_NOT_ENOUGH",
  "USER_AMOUNT_EXCEED_LIMIT",
  "PAYMENT_COUNT_EXCEED_LIMIT",
] as const satisfies readonly ResultCode[];

/**
 * `captureFailureCode` maps a provider's refusal to the merchant's code: the same code if `capture` may return it, else
 * PROCESS_FAIL.
 */
export function captureFailureCode(providerCode: ResultCode): ResultCode {
  const forwarded = [
    "ORDER_STATUS_INVALID",
    "CURRENCY_NOT_SUPPORT",
    "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT",
  ] as const;
  return [...forwarded, ...captureDeclines].find((code) => code === providerCode) ?? "PROCESS_FAIL";
}
