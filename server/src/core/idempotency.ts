import { differingField } from "./fingerprint.ts";
import { refuse, type Refusal } from "./result.ts";

/** The stored part of an earlier request with the same id, which idempotency compares. */
export interface EarlierRequest {
  /**
   * The fingerprint of the earlier request; undefined for a tombstone: a cancel arrived before its payment, so there is
   * no content.
   */
  readonly fingerprint: Uint8Array | undefined;
}

/**
 * The fields of a repeated request that differ from the first request, but are not compared. The gateway accepts the
 * repeated request, and the first value stays. The list omits a field that the repeated request does not have, and a
 * field whose first value the gateway no longer stores, because of the archive or an erasure.
 */
export function findIgnoredDifferences(
  fields: Readonly<Record<string, readonly [sent: string | undefined, stored: string | undefined]>>,
): readonly string[] {
  return Object.entries(fields)
    .filter(([, [sent, stored]]) => sent !== undefined && stored !== undefined && sent !== stored)
    .map(([field]) => field);
}

/** Idempotency: the rejection of a repeated id with other content. It names the first field that differs. */
export function rejectChangedRepeat(
  comparedFields: readonly string[],
  earlierRequest: EarlierRequest,
  fingerprint: Uint8Array,
): Refusal<"REPEAT_REQ_INCONSISTENT"> | undefined {
  const field =
    earlierRequest.fingerprint && differingField(comparedFields, earlierRequest.fingerprint, fingerprint);
  return field === undefined
    ? undefined
    : refuse("REPEAT_REQ_INCONSISTENT", { field, detail: `${field} is not what it was before.` });
}
