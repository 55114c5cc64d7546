import type { Lifecycle } from "../core/lifecycle.ts";
import type { Money } from "../core/money.ts";
import type { ResultCode } from "../core/result.ts";

export type ReversalStatus = "PROCESSING" | "SUCCESS" | "FAIL";

export const reversalLifecycle = {
  PROCESSING: ["SUCCESS", "FAIL"],
  SUCCESS: [],
  FAIL: [],
} as const satisfies Lifecycle<ReversalStatus>;

/** It came after the merchant had been told "no", or the merchant cancelled a payment that was made. */
export type ReversalReason = "LATE_SUCCESS" | "CANCEL";

/** The money of a payment on its way back to the buyer: all of it, and once. */
export interface Reversal {
  readonly bucket: number;
  readonly clientId: string;
  readonly reversalId: string;
  readonly paymentId: string;
  readonly connector: string;
  /** Its own, derived from the payment, so that it is sent back once. */
  readonly reference: string;
  readonly reason: ReversalReason;
  readonly status: ReversalStatus;
  /** Why the wallet refused it. */
  readonly resultCode: ResultCode | undefined;
  readonly amount: Money;
  readonly createdAt: Date;
  /** When the wallet took it on; from then on it is only asked after. */
  readonly acceptedAt: Date | undefined;
}
