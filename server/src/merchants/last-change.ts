/** The newest change that a merchant requested with an operation, by its signed time. */
export interface LastChange {
  readonly requestedAt: Date;
  /**
   * Hashes of the bodies with exactly this signed time, in order of arrival, because many libraries sign whole seconds.
   */
  readonly digests: readonly Buffer[];
}

export interface RequestedChange {
  readonly requestedAt: Date;
  readonly digest: Buffer;
}

/** Maximum number of changes with one signed time: no honest merchant makes more in a second. */
const changesPerTimeMax = 32;

/**
 * `decideChange` protects against replay. It returns the new last change, "again" for a repeat of the last change, or
 * "old" for a request that a later change has followed: an eavesdropper must not undo later changes by replaying a
 * request.
 */
export function decideChange(
  last: LastChange,
  { requestedAt, digest }: RequestedChange,
): LastChange | "again" | "old" {
  const laterMs = requestedAt.getTime() - last.requestedAt.getTime();
  if (laterMs > 0) return { requestedAt, digests: [digest] };
  if (laterMs < 0) return "old";
  if (last.digests.at(-1)?.equals(digest)) return "again";
  if (last.digests.length >= changesPerTimeMax || last.digests.some((each) => each.equals(digest)))
    return "old";
  return { requestedAt, digests: [...last.digests, digest] };
}
