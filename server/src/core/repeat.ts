import { differingField } from "./fingerprint.ts";
import { refuse, type Refusal } from "./result.ts";

/** What idempotency compares of an earlier request under the same id. */
export interface Earlier {
  /** Undefined for what has no content: a tombstone, left by a cancel that came before its payment. */
  readonly fingerprint: Uint8Array | undefined;
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
