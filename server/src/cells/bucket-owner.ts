/**
 * A bucket in the database of one cell. A cell that never owned the bucket has no row. The owner is the cell whose row
 * names no next owner (`givenTo`). docs/decisions/0094 describes how the ownership moves.
 */
export interface BucketOwnership {
  /** Number of owners that the bucket has had. */
  readonly epoch: number;
  /** The next owner; if it is set, this cell is no longer the owner. */
  readonly givenTo?: string | undefined;
}

export function isOwner(ownership: BucketOwnership | undefined): boolean {
  return ownership !== undefined && ownership.givenTo === undefined;
}

/** A change of one database, in one transaction under the lock of the bucket's row. */
export type BucketStep =
  /**
   * At the owner: gives the bucket away. It has no owner until the next owner takes it. The step is only possible if no
   * client of the bucket has its home in the owner's cell.
   */
  | { readonly step: "give"; readonly epoch: number; readonly to: string }
  /** At the next owner: takes the bucket, together with the homes that the previous owner knows. */
  | { readonly step: "take"; readonly epoch: number };

/**
 * `applyBucketStep` returns the bucket's row after a step; undefined if the step comes too late or too early, and
 * changes nothing.
 */
export function applyBucketStep(
  ownership: BucketOwnership | undefined,
  hasClients: boolean,
  step: BucketStep,
): BucketOwnership | undefined {
  const { epoch } = step;
  if (step.step === "give")
    return isOwner(ownership) && ownership?.epoch === epoch && !hasClients
      ? { epoch, givenTo: step.to }
      : undefined;
  return isOwner(ownership) || (ownership && ownership.epoch >= epoch) ? undefined : { epoch };
}

export interface BucketView {
  readonly source: BucketOwnership | undefined;
  readonly target: { readonly name: string; readonly ownership: BucketOwnership | undefined };
}

/** The next action of a bucket move. */
export type NextBucketMove =
  /** Move the clients of the bucket to the target, then give the bucket away. */
  | { readonly do: "give"; readonly epoch: number }
  | { readonly do: "take"; readonly epoch: number }
  /** The move is done, and the directory can be updated. */
  | { readonly do: "publish" }
  /** Nothing to do: the bucket never belonged to the source, or was given to another cell. */
  | { readonly do: "nothing" };

/** `nextBucketMove` decides only by the state of both databases, so that the next run continues a killed run. */
export function nextBucketMove({ source, target }: BucketView): NextBucketMove {
  if (!source) return { do: "nothing" };
  const { epoch, givenTo } = source;
  if (givenTo === undefined) return { do: "give", epoch };
  if (givenTo !== target.name) return { do: "nothing" };
  const hasTaken = target.ownership !== undefined && target.ownership.epoch > epoch;
  return hasTaken ? { do: "publish" } : { do: "take", epoch: epoch + 1 };
}
