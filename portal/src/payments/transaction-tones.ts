/** Tones of the statuses of captures, refunds and cancels. */
export const transactionTones = { PROCESSING: "unknown", SUCCESS: "happened", FAIL: "refused" } as const;

export const transactionStatuses = Object.keys(
  transactionTones,
) as readonly (keyof typeof transactionTones)[];
