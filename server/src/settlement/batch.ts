import type { Lifecycle } from "../core/lifecycle.ts";

export type BatchStatus = "DUE" | "CARRIED" | "PAYING" | "PAID";

/** A batch is owed until a payout takes it, and again when the payout failed or came back. A carried one is part of a later one. */
export const batchLifecycle = {
  DUE: ["PAYING"],
  CARRIED: [],
  PAYING: ["PAID", "DUE"],
  PAID: ["DUE"],
} as const satisfies Lifecycle<BatchStatus>;
