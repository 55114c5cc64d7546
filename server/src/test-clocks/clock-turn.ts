/** A merchant's request to move its test clock, in the sandbox. */
export interface ClockTurn {
  readonly bucket: number;
  readonly clientId: string;
  readonly turnId: string;
  readonly turnRequestId: string;
  readonly fingerprint: Uint8Array;
  readonly from: Date;
  readonly to: Date;
  readonly isDone: boolean;
  /** Jobs that became due on the way, in order. */
  readonly fired: readonly Fired[];
}

export interface Fired {
  /** On the merchant's clock. */
  readonly at: Date;
  readonly job: string;
  readonly subjectId: string;
}

/** The state of a merchant's jobs; times are the database's. */
export interface Outlook {
  readonly now: Date;
  /** A job is due, or leased, and has to end first. */
  readonly isBusy: boolean;
  readonly nextDueAt: Date | undefined;
}

/**
 * How far to move the clock next, and whether that is all. It stops wherever a job becomes due, so that each
 * job runs at its own time and in order; undefined while the clock has to stand still.
 */
export function nextStep(
  { now, isBusy, nextDueAt }: Outlook,
  to: Date,
): { readonly byMs: number; readonly isLast: boolean } | undefined {
  if (isBusy) return undefined;
  const isLast = nextDueAt === undefined || nextDueAt > to;
  const stop = isLast ? to : nextDueAt;
  return { byMs: Math.max(0, stop.getTime() - now.getTime() + 1), isLast };
}
