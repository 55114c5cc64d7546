import { createHash } from "node:crypto";

/**
 * The hash of a link in a hash chain, in hex: SHA-256 over the previous link's hash and this link's fields. A field is
 * encoded as its length in bytes, a colon and its text, or as a dash if absent. So two different lists of fields have
 * different encodings.
 */
export function hashLink(previousHash: string, fields: readonly (string | undefined)[]): string {
  const hash = createHash("sha256").update(previousHash, "hex");
  for (const field of fields)
    hash.update(field === undefined ? "-" : `${Buffer.byteLength(field)}:${field}`, "utf8");
  return hash.digest("hex");
}
