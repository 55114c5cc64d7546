/** The newest change that a merchant asked for with an operation, by the time that it signed. */
export interface LastChange {
  readonly requestedAt: Date;
  /** Of the bodies that came with this very time, in the order in which they came: many libraries sign whole seconds. */
  readonly digests: readonly Buffer[];
}

export interface AskedChange {
  readonly requestedAt: Date;
  readonly digest: Buffer;
}

/** More in one second come from nobody who sets something. */
const ofOneTimeMax = 32;

/**
 * What is last once this change is made, "again" for the last one repeated, or "old" for one that others have followed:
 * whoever saw a request go by must not undo with it what came after.
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
