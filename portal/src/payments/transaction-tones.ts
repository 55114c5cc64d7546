/** Tones of the statuses of captures, refunds and cancels. */
export const movedTones = { PROCESSING: "unknown", SUCCESS: "happened", FAIL: "refused" } as const;

export const movedStatuses = Object.keys(movedTones) as readonly (keyof typeof movedTones)[];
