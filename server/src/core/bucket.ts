import { hash } from "node:crypto";

export const bucketCount = 1024;

/**
 * The shard key: a merchant's data is in one bucket, and a bucket in one cell. It is computed from the client id and
 * never changes, so that any process can route without a look-up. It is the first 10 bits of SHA-256.
 */
export function bucketOf(clientId: string): number {
  return hash("sha256", clientId, "buffer").readUInt16BE(0) >> 6;
}
