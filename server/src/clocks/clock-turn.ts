/** A merchant of the sandbox has moved its clock. */
export interface ClockTurn {
  readonly bucket: number;
  readonly clientId: string;
  readonly turnId: string;
  readonly turnRequestId: string;
  readonly fingerprint: Uint8Array;
  readonly from: Date;
  readonly to: Date;
  readonly isDone: boolean;
  /** What became due on the way, in order. */
  readonly fired: readonly Fired[];
}

export interface Fired {
  /** On the merchant's clock. */
  readonly at: Date;
  readonly job: string;
  readonly subjectId: string;
}

/** What a look at a merchant's jobs says: times are the database's. */
export interface Outlook {
  readonly now: Date;
  /** Something is due, or under way, and has to come to its end first. */
  readonly isBusy: boolean;
  readonly nextDueAt: Date | undefined;
}

/**
 * How far to move the clock next, and whether that is all. It stops wherever something becomes due, so that everything
 * happens at its own time and in its order; undefined while it has to stand still.
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
