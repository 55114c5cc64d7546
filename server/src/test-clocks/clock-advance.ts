/** A merchant's request to advance its test clock in the sandbox. */
export interface ClockAdvance {
  readonly bucket: number;
  readonly clientId: string;
  readonly advanceId: string;
  readonly turnRequestId: string;
  readonly fingerprint: Uint8Array;
  readonly from: Date;
  readonly to: Date;
  readonly isDone: boolean;
  /** Jobs that became due during the turn, in order. */
  readonly fired: readonly FiredJob[];
}

export interface FiredJob {
  /** The time at which the job ran, on the merchant's test clock. */
  readonly at: Date;
  readonly job: string;
  readonly subjectId: string;
}

/** The state of a merchant's jobs, with times of the database. */
export interface PendingJobs {
  readonly now: Date;
  /** Whether a job is due or leased, so that the clock has to wait for it. */
  readonly isBusy: boolean;
  readonly nextDueAt: Date | undefined;
}

/**
 * `nextStep` returns how far to move the clock next, and whether it is the last step; undefined while the clock has to
 * wait. The clock stops whenever a job becomes due, so that each job runs at its own time and in order.
 */
export function nextStep(
  { now, isBusy, nextDueAt }: PendingJobs,
  to: Date,
): { readonly byMs: number; readonly isLast: boolean } | undefined {
  if (isBusy) return undefined;
  const isLast = nextDueAt === undefined || nextDueAt > to;
  const stop = isLast ? to : nextDueAt;
  return { byMs: Math.max(0, stop.getTime() - now.getTime() + 1), isLast };
}
