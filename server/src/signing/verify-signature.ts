import type { KeyObject } from "node:crypto";
import { parseRequestTime } from "../core/request-time.ts";
import { algorithmOf, signatureByteLength, isSignatureValid, isSignatureValidInPool } from "./algorithm.ts";
import {
  decodeSignature,
  readSignatureHeader,
  type HeaderProblem,
  type SignatureHeader,
} from "./signature-header.ts";
import { signedText, type SignedParts } from "./signed-text.ts";

export type SignatureProblem = "UNKNOWN_KEY_VERSION" | "MALFORMED_SIGNATURE" | "MISMATCH";

/** Returns the first problem of a signature, or undefined if the key of its version made it. */
export function signatureProblem(
  header: SignatureHeader,
  keys: ReadonlyMap<number, KeyObject>,
  parts: SignedParts,
): SignatureProblem | undefined {
  const key = keys.get(header.keyVersion);
  if (!key) return "UNKNOWN_KEY_VERSION";
  const signature = decodeForKey(header, key);
  if (!signature) return "MALFORMED_SIGNATURE";
  return isSignatureValid(key, signedText(parts), signature) ? undefined : "MISMATCH";
}

/**
 * Returns the problem of a provider's signature. A provider has one key, or two during a rotation, whatever version the
 * header names. The reported problem is that of the first key.
 */
export async function providerSignatureProblem(
  values: readonly string[],
  [key, ...others]: readonly [KeyObject, ...KeyObject[]],
  parts: SignedParts,
): Promise<HeaderProblem | SignatureProblem | undefined> {
  const problem = await problemWithKey(values, key, parts);
  if (problem === undefined) return undefined;
  for (const other of others)
    if ((await problemWithKey(values, other, parts)) === undefined) return undefined;
  return problem;
}

/**
 * Returns the problem of a signature with a key. A header that names another algorithm than the key's is rejected,
 * which prevents a downgrade.
 */
async function problemWithKey(
  values: readonly string[],
  key: KeyObject,
  parts: SignedParts,
): Promise<HeaderProblem | SignatureProblem | undefined> {
  const header = readSignatureHeader(values, algorithmOf(key));
  if (typeof header === "string") return header;
  const signature = decodeForKey(header, key);
  if (!signature) return "MALFORMED_SIGNATURE";
  return (await isSignatureValidInPool(key, signedText(parts), signature)) ? undefined : "MISMATCH";
}

/**
 * Returns the bytes of a signature, if their number fits the key. A shorter signature is malformed and is not verified.
 */
function decodeForKey(header: SignatureHeader, key: KeyObject): Buffer | undefined {
  const signature = decodeSignature(header.signature);
  return signature?.length === signatureByteLength(key) ? signature : undefined;
}

export type TimeProblem = "BAD_TIME" | "STALE";

/** Replay protection: returns the problem of a message's time, or undefined. A tolerance of zero disables the check. */
export function timeProblem(text: string, nowMs: number, toleranceSeconds: number): TimeProblem | undefined {
  const timeMs = parseRequestTime(text);
  if (timeMs === undefined) return "BAD_TIME";
  if (toleranceSeconds === 0) return undefined;
  return Math.abs(nowMs - timeMs) > toleranceSeconds * 1000 ? "STALE" : undefined;
}
