/** The places where a process may die in the middle of moving money, each named after what has just happened. */
export const crashPoints = [
  "before-claim",
  "after-claim-commit",
  "before-wallet-call",
  "after-sent-commit",
  "after-wallet-call",
  "before-settle-commit",
  "after-settle-commit",
  "before-answer",
  "after-callback-verified",
  "before-callback-commit",
  "after-callback-commit",
] as const;

export type CrashPoint = (typeof crashPoints)[number];

/** Passed in like the clock. It does nothing, except in the proof, where it ends the process. */
export type At = (point: CrashPoint) => void;
