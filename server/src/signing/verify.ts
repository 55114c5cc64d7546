import type { KeyObject } from "node:crypto";
import { parseRequestTime } from "../core/request-time.ts";
import { algorithmOf, signatureBytes, signatureHolds, signatureHoldsInPool } from "./algorithm.ts";
import {
  decodeSignature,
  readSignatureHeader,
  type HeaderProblem,
  type SignatureHeader,
} from "./signature-header.ts";
import { signedText, type SignedParts } from "./signed-text.ts";

export type SignatureProblem = "UNKNOWN_KEY_VERSION" | "MALFORMED_SIGNATURE" | "MISMATCH";

/** The first thing wrong with a signature, or undefined when one of these keys made it. */
export function signatureProblem(
  header: SignatureHeader,
  keys: ReadonlyMap<number, KeyObject>,
  parts: SignedParts,
): SignatureProblem | undefined {
  const key = keys.get(header.keyVersion);
  if (!key) return "UNKNOWN_KEY_VERSION";
  const signature = bytesOf(header, key);
  if (!signature) return "MALFORMED_SIGNATURE";
  return signatureHolds(key, signedText(parts), signature) ? undefined : "MISMATCH";
}

/**
 * The same for a wallet, which has one key, or two while it changes them, whatever version it names. What is wrong is told of the first.
 */
export async function walletSignatureProblem(
  values: readonly string[],
  [key, ...others]: readonly [KeyObject, ...KeyObject[]],
  parts: SignedParts,
): Promise<HeaderProblem | SignatureProblem | undefined> {
  const problem = await problemUnder(values, key, parts);
  if (problem === undefined) return undefined;
  for (const other of others) if ((await problemUnder(values, other, parts)) === undefined) return undefined;
  return problem;
}

/** A header that names another algorithm than the key's is refused: no downgrade. */
async function problemUnder(
  values: readonly string[],
  key: KeyObject,
  parts: SignedParts,
): Promise<HeaderProblem | SignatureProblem | undefined> {
  const header = readSignatureHeader(values, algorithmOf(key));
  if (typeof header === "string") return header;
  const signature = bytesOf(header, key);
  if (!signature) return "MALFORMED_SIGNATURE";
  return (await signatureHoldsInPool(key, signedText(parts), signature)) ? undefined : "MISMATCH";
}

/** As many as the key makes, or none: a shorter one is malformed and does not reach the key. */
function bytesOf(header: SignatureHeader, key: KeyObject): Buffer | undefined {
  const signature = decodeSignature(header.signature);
  return signature?.length === signatureBytes(key) ? signature : undefined;
}

export type TimeProblem = "BAD_TIME" | "STALE";

/** Limits replay: what is wrong with a message's time, or undefined. A tolerance of zero switches it off. */
export function timeProblem(text: string, nowMs: number, toleranceSeconds: number): TimeProblem | undefined {
  const timeMs = parseRequestTime(text);
  if (timeMs === undefined) return "BAD_TIME";
  if (toleranceSeconds === 0) return undefined;
  return Math.abs(nowMs - timeMs) > toleranceSeconds * 1000 ? "STALE" : undefined;
}
