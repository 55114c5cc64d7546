import type { KeyObject } from "node:crypto";
import { parseRequestTime } from "../core/request-time.ts";
import { algorithmOf, signatureBytes, signatureHolds } from "./algorithm.ts";
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
  return key ? mismatch(header, key, parts) : "UNKNOWN_KEY_VERSION";
}

/**
 * The same for a wallet, which has one key, whatever version it names. A header that names another algorithm than
 * that key's is refused: no downgrade.
 */
export function walletSignatureProblem(
  values: readonly string[],
  key: KeyObject,
  parts: SignedParts,
): HeaderProblem | SignatureProblem | undefined {
  const header = readSignatureHeader(values, algorithmOf(key));
  return typeof header === "string" ? header : mismatch(header, key, parts);
}

function mismatch(header: SignatureHeader, key: KeyObject, parts: SignedParts): SignatureProblem | undefined {
  const signature = decodeSignature(header.signature);
  if (!signature || signature.length !== signatureBytes(key)) return "MALFORMED_SIGNATURE";
  // Public data, so no constant-time comparison.
  return signatureHolds(key, signedText(parts), signature) ? undefined : "MISMATCH";
}

export type TimeProblem = "BAD_TIME" | "STALE";

/** Limits replay: what is wrong with a message's time, or undefined. A tolerance of zero switches it off. */
export function timeProblem(text: string, nowMs: number, toleranceSeconds: number): TimeProblem | undefined {
  const timeMs = parseRequestTime(text);
  if (timeMs === undefined) return "BAD_TIME";
  if (toleranceSeconds === 0) return undefined;
  return Math.abs(nowMs - timeMs) > toleranceSeconds * 1000 ? "STALE" : undefined;
}
