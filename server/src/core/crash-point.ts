/** Where a process may crash in the middle of moving money: fault injection for the crash tests. */
export const crashPoints = [
  "before-claim",
  "after-claim-commit",
  "before-wallet-call",
  "after-sent-commit",
  "after-wallet-call",
  "before-outcome-commit",
  "after-outcome-commit",
  "before-answer",
  "after-callback-verified",
  "before-callback-commit",
  "after-callback-commit",
] as const;

export type CrashPoint = (typeof crashPoints)[number];

/** Injected like the clock. It does nothing, except in the crash tests, where it ends the process. */
export type At = (point: CrashPoint) => void;
