import type { Lifecycle } from "../core/lifecycle.ts";

export type PayoutStatus = "CREATED" | "SENT" | "PAID" | "FAILED" | "RETURNED";

/** A payout is claimed, stands in a file that the bank was given, and ends as the bank says. */
export const payoutLifecycle = {
  CREATED: ["SENT"],
  SENT: ["PAID", "FAILED"],
  PAID: ["RETURNED"],
  FAILED: [],
  RETURNED: [],
} as const satisfies Lifecycle<PayoutStatus>;
