import { hash } from "node:crypto";

export const bucketCount = 1024;

/**
 * The bucket of a client, which is the shard key: a merchant's data is in one bucket, and a bucket in one cell. It is
 * the first 10 bits of the SHA-256 of the client id and never changes, so that any process can route without a look-up.
 */
export function bucketOf(clientId: string): number {
  return hash("sha256", clientId, "buffer").readUInt16BE(0) >> 6;
}
