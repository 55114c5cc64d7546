import type { Algorithm } from "./algorithm.ts";

export interface SignatureHeader {
  readonly keyVersion: number;
  /** The signature as percent-encoded base64, which is decoded once the key is known. */
  readonly signature: string;
}

export type HeaderProblem = "MISSING_SIGNATURE" | "MALFORMED_SIGNATURE" | "UNSUPPORTED_ALGORITHM";

/** The only algorithm for merchants, in both directions. */
const merchantAlgorithm: Algorithm = "RSA256";
const defaultKeyVersion = 1;

/**
 * Parses `algorithm=RSA256,keyVersion=1,signature=…`: parameters in any order and any case, with or without spaces,
 * because published client libraries differ in all of these. The algorithm is not the sender's choice: it follows from
 * the sender's registered key.
 */
export function readSignatureHeader(
  values: readonly string[],
  algorithm: Algorithm = merchantAlgorithm,
): SignatureHeader | HeaderProblem {
  const [value, secondValue] = values;
  if (value === undefined || value.trim() === "") return "MISSING_SIGNATURE";
  if (secondValue !== undefined) return "MALFORMED_SIGNATURE";

  const parameters = new Map<string, string>();
  for (const item of value.split(",")) {
    const equals = item.indexOf("=");
    const name = item.slice(0, equals).trim().toLowerCase();
    if (equals < 1 || parameters.has(name)) return "MALFORMED_SIGNATURE";
    parameters.set(name, item.slice(equals + 1).trim());
  }

  const signature = parameters.get("signature");
  const version = parameters.get("keyversion") ?? String(defaultKeyVersion);
  if (!signature || !parameters.has("algorithm") || !/^\d{1,9}$/.test(version)) return "MALFORMED_SIGNATURE";
  if (parameters.get("algorithm") !== algorithm) return "UNSUPPORTED_ALGORITHM";
  return { keyVersion: Number(version), signature };
}

/**
 * Writes the signature header in a fixed order without spaces: one client library parses by position, another takes the
 * text after the last `=`.
 */
export function writeSignatureHeader(
  keyVersion: number,
  signature: Buffer,
  algorithm: Algorithm = merchantAlgorithm,
): string {
  return `algorithm=${algorithm},keyVersion=${keyVersion},signature=${percentEncode(signature.toString("base64"))}`;
}

/**
 * The bytes of a signature, or undefined if it is malformed. The decoder accepts either base64 alphabet,
 * percent-encoded or not, padded or not. But the base64 must be canonical: unused bits have to be zero.
 */
export function decodeSignature(text: string): Buffer | undefined {
  const base64 = text.includes("%") ? percentDecode(text) : text;
  if (!base64) return undefined;
  const bare = base64
    .replace(/={1,2}$/, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  const bytes = Buffer.from(bare, "base64");
  // Node skips characters that are not base64, so they are missing when the bytes are encoded again. The comparison
  // finds such characters.
  return bytes.toString("base64").replace(/=+$/, "") === bare ? bytes : undefined;
}

function percentDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function percentEncode(base64: string): string {
  return base64.replaceAll("+", "%2B").replaceAll("/", "%2F").replaceAll("=", "%3D");
}
