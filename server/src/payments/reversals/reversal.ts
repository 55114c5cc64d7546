import type { Lifecycle } from "../../core/lifecycle.ts";
import type { Money } from "../../core/money.ts";
import type { ResultCode } from "../../core/result.ts";

export type ReversalStatus = "PROCESSING" | "SUCCESS" | "FAIL";

export const reversalLifecycle = {
  PROCESSING: ["SUCCESS", "FAIL"],
  SUCCESS: ["FAIL"],
  FAIL: [],
} as const satisfies Lifecycle<ReversalStatus>;

/**
 * The reason for a reversal. LATE_SUCCESS: the payment was paid after the merchant was notified of the failure. CANCEL:
 * the merchant cancelled a paid payment.
 */
export type ReversalReason = "LATE_SUCCESS" | "CANCEL";

/** A reversal returns the full money of a payment to the buyer, once. */
export interface Reversal {
  readonly bucket: number;
  readonly clientId: string;
  readonly reversalId: string;
  readonly paymentId: string;
  readonly connector: string;
  /** Idempotency key at the provider, derived from the payment, so that the money is returned once. */
  readonly reference: string;
  readonly reason: ReversalReason;
  readonly status: ReversalStatus;
  /** The reason why the provider refused the reversal; undefined if it did not. */
  readonly resultCode: ResultCode | undefined;
  readonly amount: Money;
  readonly createdAt: Date;
  /** When the provider accepted the reversal; after that, the job only queries it. */
  readonly acceptedAt: Date | undefined;
}
