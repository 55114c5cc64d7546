/** Points at which a process may crash while it moves money: fault injection for the crash tests. */
export const crashPoints = [
  "before-claim",
  "after-claim-commit",
  "before-provider-call",
  "after-sent-commit",
  "after-provider-call",
  "before-outcome-commit",
  "after-outcome-commit",
  "before-answer",
  "after-callback-verified",
  "before-callback-commit",
  "after-callback-commit",
] as const;

export type CrashPoint = (typeof crashPoints)[number];

/** Points at which a payout command may crash while it moves money: fault injection for the crash tests. */
export const payoutCrashPoints = [
  "before-close-commit",
  "after-close-commit",
  "before-file-commit",
  "after-file-commit",
  "after-release-commit",
  "before-payout-commit",
  "after-payout-commit",
  "after-file-written",
  "after-file-renamed",
  "before-sent-commit",
  "after-handed-over-commit",
  "before-import-commit",
  "after-import-commit",
] as const;

export type PayoutCrashPoint = (typeof payoutCrashPoints)[number];

/** Injected like `At`. */
export type PayoutCrashPointHook = (point: PayoutCrashPoint) => void;

/**
 * Called at each crash point. The function is injected, like the clock. It does nothing, except in the crash tests,
 * where it kills the process.
 */
export type CrashPointHook = (point: CrashPoint) => void;
