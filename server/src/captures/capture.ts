import type { Lifecycle } from "../core/lifecycle.ts";
import type { Money } from "../core/money.ts";
import type { ResultCode } from "../core/result.ts";
import { orderOf, type Payment } from "../payments/payment.ts";
import type { ConnectorTerms } from "../wallets/connector.ts";

export type CaptureStatus = "PROCESSING" | "SUCCESS" | "FAIL";

export const captureLifecycle = {
  PROCESSING: ["SUCCESS", "FAIL"],
  SUCCESS: [],
  FAIL: [],
} as const satisfies Lifecycle<CaptureStatus>;

/** Money that was held for a merchant and is taken now. */
export interface Capture {
  readonly bucket: number;
  readonly clientId: string;
  readonly captureId: string;
  readonly captureRequestId: string;
  readonly paymentId: string;
  readonly status: CaptureStatus;
  /** Why it ended as it did; CAPTURE_IN_PROCESS until then. */
  readonly resultCode: ResultCode;
  readonly amount: Money;
  /** Nothing more is captured of the payment after it. */
  readonly isLast: boolean;
  /** Idempotency: a hash of the fields that a repeat must have equal. */
  readonly fingerprint: Uint8Array;
  readonly connector: string;
  /** Idempotency key at the wallet: derived from the request, so that every retry sends the same. */
  readonly reference: string;
  readonly createdAt: Date;
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

/** What a capture is checked against: the payment, and its earlier captures. */
export interface Capturable {
  readonly payment: Payment | undefined;
  /** Whether a capture was made, or is under way, that was said to be the last. */
  readonly hadLast: boolean;
}

/** The first reason not to capture `amount`, or undefined when it may go ahead. */
export function captureRefusal(
  { payment, hadLast }: Capturable,
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
  return hadLast || exceeds ? "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT" : undefined;
}

/**
 * Whether the wallet may release what a capture leaves. An earlier capture that is still on its way would find nothing
 * left: then the rest lapses with the hold.
 */
export function releasesRest({ isLast, captureId }: Capture, all: readonly Capture[]): boolean {
  return isLast && all.every((each) => each.captureId === captureId || each.status !== "PROCESSING");
}

/** A wallet's refusals that the merchant is told unchanged. */
export const captureDeclines = [
  "RISK_REJECT",
  "USER_NOT_EXIST",
  "USER_STATUS_ABNORMAL",
  "USER_BALANCE_NOT_ENOUGH",
  "USER_AMOUNT_EXCEED_LIMIT",
  "PAYMENT_COUNT_EXCEED_LIMIT",
] as const satisfies readonly ResultCode[];

/** The merchant's code for a wallet's refusal: the same if `capture` may give it, else PROCESS_FAIL. */
export function captureFailure(refusedFor: ResultCode): ResultCode {
  const said = ["ORDER_STATUS_INVALID", "CURRENCY_NOT_SUPPORT", "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT"] as const;
  return [...said, ...captureDeclines].find((code) => code === refusedFor) ?? "PROCESS_FAIL";
}
