import type { Lifecycle } from "../core/lifecycle.ts";
import type { Money } from "../core/money.ts";

export type ReversalStatus = "PROCESSING" | "SUCCESS" | "FAIL";

export const reversalLifecycle = {
  PROCESSING: ["SUCCESS", "FAIL"],
  SUCCESS: [],
  FAIL: [],
} as const satisfies Lifecycle<ReversalStatus>;

/** Money that came after the merchant had been told "no", on its way back to the buyer. */
export interface Reversal {
  readonly bucket: number;
  readonly clientId: string;
  readonly reversalId: string;
  readonly paymentId: string;
  readonly connector: string;
  /** Its own, derived from the payment, so that it is sent back once. */
  readonly reference: string;
  readonly status: ReversalStatus;
  readonly amount: Money;
  readonly createdAt: Date;
}
