import { bucketCount, bucketOf } from "../core/bucket.ts";
import { sha256 } from "../core/digest.ts";
import { addressOf } from "../core/id.ts";

export interface PayoutAttempt {
  readonly bucket: number;
  readonly clientId: string;
  readonly batchId: string;
  /** 1 for the first payout of the batch; one more after each payout of it that failed or was returned. */
  readonly attempt: number;
}

/**
 * `endToEndIdOf` returns the reference that the bank gets and reports back for a payout (ISO 20022 `EndToEndId`): `TG`, the bucket in 4
 * digits, 8 characters for the merchant, 21 characters (105 bits) for batch and attempt. It depends on nothing else. A database that
 * was restored therefore sends the same reference again, and the bank can detect the duplicate.
 */
export function endToEndIdOf({ bucket, clientId, batchId, attempt }: PayoutAttempt): string {
  return `TG${String(bucket).padStart(4, "0")}${tagOf(clientId)}${base32([clientId, batchId, attempt], 21)}`;
}

const ourReference = /^TG(?<bucket>\d{4})(?<tag>[\dA-HJKMNP-TV-Z]{8})[\dA-HJKMNP-TV-Z]{21}$/;

/**
 * `bucketOfEndToEndId` returns the merchant's bucket, which leads to its cell, or undefined for a reference that is none of ours.
 * Payouts of earlier releases have their payout id as reference.
 */
export function bucketOfEndToEndId(reference: string): number | undefined {
  const bucket = Number(ourReference.exec(reference)?.groups?.["bucket"] ?? Number.NaN);
  if (bucket < bucketCount) return bucket;
  const address = addressOf(reference);
  return address?.kind === "payout" ? address.bucket : undefined;
}

/** `mayNameClient` returns whether a payout of this merchant can have the reference. One of an earlier release only has the bucket. */
export function mayNameClient(reference: string, clientId: string): boolean {
  if (bucketOfEndToEndId(reference) !== bucketOf(clientId)) return false;
  const tag = ourReference.exec(reference)?.groups?.["tag"];
  return tag === undefined || tag === tagOf(clientId);
}

const tagOf = (clientId: string): string => base32([clientId], 8);

/** Crockford's alphabet: no I, L, O and U, which people mistake for other characters. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Characters with 5 bits each of a digest. */
function base32(parts: readonly (string | number)[], length: number): string {
  const digest = sha256(JSON.stringify(parts)).subarray(0, length);
  return Array.from(digest, (byte) => alphabet[byte & 31]).join("");
}
