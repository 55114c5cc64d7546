import { verify as verifyRsa, type KeyObject } from "node:crypto";
import { parseRequestTime } from "../core/request-time.ts";
import { decodeSignature, type SignatureHeader } from "./signature-header.ts";
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
  const signature = decodeSignature(header.signature);
  if (!signature || signature.length !== modulusBytes(key)) return "MALFORMED_SIGNATURE";
  // Public data, so no constant-time comparison. Verifying takes 30 µs: not worth a thread.
  return verifyRsa("sha256", signedText(parts), key, signature) ? undefined : "MISMATCH";
}

export type TimeProblem = "BAD_TIME" | "STALE";

/** Limits replay: what is wrong with a message's time, or undefined. A tolerance of zero switches it off. */
export function timeProblem(text: string, nowMs: number, toleranceSeconds: number): TimeProblem | undefined {
  const timeMs = parseRequestTime(text);
  if (timeMs === undefined) return "BAD_TIME";
  if (toleranceSeconds === 0) return undefined;
  return Math.abs(nowMs - timeMs) > toleranceSeconds * 1000 ? "STALE" : undefined;
}

function modulusBytes(key: KeyObject): number {
  return Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
}
