/** The newest change that a merchant asked for with an operation, by the time that it signed. */
export interface LastChange {
  readonly requestedAt: Date;
  /**
   * Hashes of the bodies signed with this very time, in order of arrival: many libraries sign whole seconds.
   */
  readonly digests: readonly Buffer[];
}

export interface AskedChange {
  readonly requestedAt: Date;
  readonly digest: Buffer;
}

/** Limit of changes with one signed time: no honest merchant makes more in a second. */
const ofOneTimeMax = 32;

/**
 * Replay protection. The last change after this one, "again" for a repeat of the last one, or "old" for one
 * that a later change has followed: an eavesdropper must not undo later changes by replaying a request.
 */
export function afterChange(
  last: LastChange,
  { requestedAt, digest }: AskedChange,
): LastChange | "again" | "old" {
  const laterMs = requestedAt.getTime() - last.requestedAt.getTime();
  if (laterMs > 0) return { requestedAt, digests: [digest] };
  if (laterMs < 0) return "old";
  if (last.digests.at(-1)?.equals(digest)) return "again";
  if (last.digests.length >= ofOneTimeMax || last.digests.some((each) => each.equals(digest))) return "old";
  return { requestedAt, digests: [...last.digests, digest] };
}
