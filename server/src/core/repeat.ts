import { differingField } from "./fingerprint.ts";
import { refuse, type Refusal } from "./result.ts";

/** What idempotency compares of an earlier request under the same id. */
export interface Earlier {
  /** Undefined for what has no content: a tombstone, left by a cancel that came before its payment. */
  readonly fingerprint: Uint8Array | undefined;
}

/**
 * The fields of a repeat that differ from the first request and are not compared: the repeat is accepted, and the first
 * value stays. A field that the repeat leaves out is not named, nor one whose first value is not stored: the archive or an
 * erasure may have removed it.
 */
export function unchangedFields(
  fields: Readonly<Record<string, readonly [sent: string | undefined, stored: string | undefined]>>,
): readonly string[] {
  return Object.entries(fields)
    .filter(([, [sent, stored]]) => sent !== undefined && stored !== undefined && sent !== stored)
    .map(([field]) => field);
}

/** Idempotency: the same id with other content is refused, and the refusal names the first field that differs. */
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
