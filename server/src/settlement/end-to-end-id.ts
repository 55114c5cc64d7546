import { hash } from "node:crypto";
import { bucketCount } from "../core/bucket.ts";
import { addressOf } from "../core/id.ts";

export interface PayoutAttempt {
  readonly bucket: number;
  readonly clientId: string;
  readonly batchId: string;
  /** 1 for the first payout of the batch; one more after each payout of it that failed or was returned. */
  readonly attempt: number;
}

/**
 * `endToEndIdOf` returns the reference that the bank gets and reports back for a payout (ISO 20022 `EndToEndId`, 34 characters of A-Z and 0-9).
 * It depends on batch and attempt alone. A database that was restored therefore sends the same reference again, and the bank can detect the duplicate.
 */
export function endToEndIdOf({ bucket, clientId, batchId, attempt }: PayoutAttempt): string {
  const digest = hash("sha256", JSON.stringify([clientId, batchId, attempt]), "hex");
  return `TG${String(bucket).padStart(4, "0")}${digest.slice(0, digestLength).toUpperCase()}`;
}

/** 28 hexadecimal digits are 112 bits of the digest. */
const digestLength = 28;
const ourReference = /^TG(\d{4})[\dA-F]{28}$/;

/**
 * `bucketOfEndToEndId` returns the merchant's bucket, which leads to its cell, or undefined for a reference that is none of ours.
 * Payouts of earlier releases have their payout id as reference.
 */
export function bucketOfEndToEndId(reference: string): number | undefined {
  const bucket = Number(ourReference.exec(reference)?.[1] ?? Number.NaN);
  if (bucket < bucketCount) return bucket;
  const address = addressOf(reference);
  return address?.kind === "payout" ? address.bucket : undefined;
}
