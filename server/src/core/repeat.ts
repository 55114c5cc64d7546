import { differingField } from "./fingerprint.ts";
import { refuse, type Refusal } from "./result.ts";

/** The stored part of an earlier request with the same id, which idempotency compares. */
export interface Earlier {
  /** Undefined for a tombstone: a cancel arrived before its payment, so there is no content. */
  readonly fingerprint: Uint8Array | undefined;
}

/**
 * The fields of a repeat that differ from the first request, but are not compared. The repeat is accepted, and the
 * first value stays. A field that the repeat omits is not named, nor one whose first value is no longer stored, because
 * of the archive or an erasure.
 */
export function unchangedFields(
  fields: Readonly<Record<string, readonly [sent: string | undefined, stored: string | undefined]>>,
): readonly string[] {
  return Object.entries(fields)
    .filter(([, [sent, stored]]) => sent !== undefined && stored !== undefined && sent !== stored)
    .map(([field]) => field);
}

/** Idempotency: a repeated id with other content is rejected, and the rejection names the first differing field. */
export function repeatRefusal(
  comparedFields: readonly string[],
  earlier: Earlier,
  fingerprint: Uint8Array,
): Refusal<"REPEAT_REQ_INCONSISTENT"> | undefined {
  const field = earlier.fingerprint && differingField(comparedFields, earlier.fingerprint, fingerprint);
  return field === undefined
    ? undefined
    : refuse("REPEAT_REQ_INCONSISTENT", { field, detail: `${field} is not what it was before.` });
}
