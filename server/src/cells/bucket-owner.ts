/**
 * A bucket as the database of one cell knows it; a cell that never owned it has no row. The owner is the cell that nobody was named
 * behind. docs/decisions/0094 tells how it changes hands.
 */
export interface HeldBucket {
  /** Counts the owners that the bucket has had. */
  readonly epoch: number;
  /** The next owner: then this cell is none any more. */
  readonly givenTo?: string | undefined;
}

export function isOwner(held: HeldBucket | undefined): boolean {
  return held !== undefined && held.givenTo === undefined;
}

/** What is done to one database, in one transaction under the lock of the bucket's row. */
export type BucketStep =
  /** At the owner: from here on nobody is, until the other has taken it. Only when no client of it lives there. */
  | { readonly step: "give"; readonly epoch: number; readonly to: string }
  /** At the next owner, with what the one before knows about clients of the bucket. */
  | { readonly step: "take"; readonly epoch: number };

/** The row about the bucket after a step; undefined when the step comes too late, or too early, and changes nothing. */
export function afterBucketStep(
  held: HeldBucket | undefined,
  hasClients: boolean,
  step: BucketStep,
): HeldBucket | undefined {
  const { epoch } = step;
  if (step.step === "give")
    return isOwner(held) && held?.epoch === epoch && !hasClients ? { epoch, givenTo: step.to } : undefined;
  return isOwner(held) || (held && held.epoch >= epoch) ? undefined : { epoch };
}

export interface BucketView {
  readonly source: HeldBucket | undefined;
  readonly target: { readonly name: string; readonly held: HeldBucket | undefined };
}

/** What a mover of the bucket does next. */
export type NextBucketMove =
  /** Move the clients that live there, then give it. */
  | { readonly do: "give"; readonly epoch: number }
  | { readonly do: "take"; readonly epoch: number }
  /** It is done, and the directory may say so. */
  | { readonly do: "publish" }
  /** It was never the source's, or has gone elsewhere. */
  | { readonly do: "nothing" };

/** By what both databases say alone, so that a run that was killed is gone on with by the next one. */
export function nextBucketMove({ source, target }: BucketView): NextBucketMove {
  if (!source) return { do: "nothing" };
  const { epoch, givenTo } = source;
  if (givenTo === undefined) return { do: "give", epoch };
  if (givenTo !== target.name) return { do: "nothing" };
  const hasTaken = target.held !== undefined && target.held.epoch > epoch;
  return hasTaken ? { do: "publish" } : { do: "take", epoch: epoch + 1 };
}
