/** How money that is moved stands: a capture, a refund, a cancel. */
export const movedTones = { PROCESSING: "unknown", SUCCESS: "happened", FAIL: "refused" } as const;

export const movedStatuses = Object.keys(movedTones) as readonly (keyof typeof movedTones)[];
