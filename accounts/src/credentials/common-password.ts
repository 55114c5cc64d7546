import { sha256 } from "../../../server/src/core/digest.ts";
import { digests } from "./generated/common-passwords.ts";

/**
 * Length of a truncated SHA-256. With 12,000 entries, one of 20 billion other passwords is wrongly counted as common.
 */
const digestBytes = 6;

/** `digestOf` normalises a password for keyboard and case before it is hashed. */
function digestOf(password: string): string {
  return sha256(password.normalize("NFKC").toLowerCase()).toString("latin1", 0, digestBytes);
}

/** `encodeDigests` returns the truncated digests of passwords, sorted, without duplicates, in base64. */
export function encodeDigests(passwords: readonly string[]): string {
  const sorted = [...new Set(passwords.map(digestOf))].toSorted();
  return Buffer.from(sorted.join(""), "latin1").toString("base64");
}

let commonDigests: Set<string> | undefined;

/** `isCommonPassword` returns whether a password is on the list of common passwords (ASVS 6.2.4). */
export function isCommonPassword(password: string): boolean {
  commonDigests ??= readDigests();
  return commonDigests.has(digestOf(password));
}

function readDigests(): Set<string> {
  const text = Buffer.from(digests, "base64").toString("latin1");
  const digestSet = new Set<string>();
  for (let at = 0; at < text.length; at += digestBytes) digestSet.add(text.slice(at, at + digestBytes));
  return digestSet;
}
