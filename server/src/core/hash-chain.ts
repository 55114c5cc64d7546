import { createHash } from "node:crypto";

/**
 * The hash of a link in a hash chain, in hex: SHA-256 of the previous link's hash and of this one's fields. A field is its
 * length in bytes, a colon and its text, or a dash when it is absent, so no two lists of fields read the same.
 */
export function linkHash(previousHash: string, fields: readonly (string | undefined)[]): string {
  const hash = createHash("sha256").update(previousHash, "hex");
  for (const field of fields)
    hash.update(field === undefined ? "-" : `${Buffer.byteLength(field)}:${field}`, "utf8");
  return hash.digest("hex");
}
