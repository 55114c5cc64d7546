import { bucketOf } from "../../core/bucket.ts";
import { sha256 } from "../../core/digest.ts";
import { parseId, newId } from "../../core/id.ts";

/** The key of a payout: its batch by merchant, currency and last day, and the payout attempt. */
export interface PayoutAttempt {
  readonly clientId: string;
  /** The currency of the sales. */
  readonly currency: string;
  readonly toDay: string;
  /** Number of the attempt: 1 for the first payout of the batch; one more after each that failed or was returned. */
  readonly attempt: number;
}

const millisecondsOfDay = 86_400_000n;

/**
 * `payoutIdOf` returns the id of a payout, which is also its end-to-end id at the bank. The id depends only on these
 * fields, so a restored database gives the same payout the same id, and the bank can reject the duplicate. The id has
 * the form of every id (`core/id.ts`): its time is on the batch's last day, and its last six digits identify the
 * merchant. Later attempts sort after earlier ones.
 */
export function payoutIdOf({ clientId, currency, toDay, attempt }: PayoutAttempt): string {
  const hash = sha256(JSON.stringify([clientId, currency, toDay]));
  const at = new Date(Date.parse(`${toDay}T00:00:00Z`) + Number(hash.readBigUInt64BE(0) % millisecondsOfDay));
  const tail = [attempt * 10_000 + (hash.readUInt32BE(8) % 10_000), tagOf(clientId)];
  return newId("payout", bucketOf(clientId), at, () => tail.shift() ?? 0);
}

/**
 * `bucketOfPayout` returns the bucket of a payout's merchant, which leads to its cell; undefined for a reference in
 * another format.
 */
export function bucketOfPayout(endToEndId: string): number | undefined {
  const address = parseId(endToEndId);
  return address?.kind === "payout" ? address.bucket : undefined;
}

/** `mayBePayoutOf` returns whether a payout of this merchant can have the end-to-end id. */
export function mayBePayoutOf(endToEndId: string, clientId: string): boolean {
  return (
    bucketOfPayout(endToEndId) === bucketOf(clientId) && Number(endToEndId.slice(-6)) === tagOf(clientId)
  );
}

const tagOf = (clientId: string): number => sha256(JSON.stringify([clientId])).readUInt32BE(0) % 1_000_000;
