import { concat, fromBase64, toBase64, utf8 } from "./bytes.ts";

/** The parts of a message that its signature covers. A response is signed with the path of its request. */
export interface SignedParts {
  readonly method: string;
  /** Path and query, exactly as sent. */
  readonly path: string;
  readonly clientId: string;
  /** The text of the time header, not the parsed time. */
  readonly time: string;
  readonly body: Uint8Array;
}

/** `POST /path\nclient.time.body`, over the raw bytes of the body, never over JSON that was written again. */
export function signedText({ method, path, clientId, time, body }: SignedParts): Uint8Array {
  return concat(utf8(`${method} ${path}\n${clientId}.${time}.`), body);
}

/** The signature algorithms. Merchants use RSA256; payment providers may choose Ed25519. */
export type Algorithm = "RSA256" | "Ed25519";

/** Writes the header in a fixed order and without blanks, because some parsers depend on the position. */
export function writeSignatureHeader(
  keyVersion: number,
  signature: Uint8Array,
  algorithm: Algorithm = "RSA256",
): string {
  return `algorithm=${algorithm},keyVersion=${keyVersion},signature=${encodeURIComponent(toBase64(signature))}`;
}

export interface SignatureHeader {
  readonly keyVersion: number;
  /** The signature as percent-encoded base64. It is decoded when the key is known. */
  readonly signature: string;
}

export type HeaderProblem = "MISSING_SIGNATURE" | "MALFORMED_SIGNATURE" | "UNSUPPORTED_ALGORITHM";

/** Parses the header. It accepts parameters in any order, names in any case, with or without blanks. */
export function readSignatureHeader(
  values: readonly string[],
  algorithm: Algorithm = "RSA256",
): SignatureHeader | HeaderProblem {
  const [value, another] = values;
  if (value === undefined || value.trim() === "") return "MISSING_SIGNATURE";
  if (another !== undefined) return "MALFORMED_SIGNATURE";

  const parameters = new Map<string, string>();
  for (const item of value.split(",")) {
    const equals = item.indexOf("=");
    const name = item.slice(0, Math.max(equals, 0)).trim().toLowerCase();
    if (name === "" || parameters.has(name)) return "MALFORMED_SIGNATURE";
    parameters.set(name, item.slice(equals + 1).trim());
  }

  const signature = parameters.get("signature");
  const version = parameters.get("keyversion") ?? "1";
  if (!signature || !parameters.has("algorithm") || !/^\d{1,9}$/.test(version)) return "MALFORMED_SIGNATURE";
  if (parameters.get("algorithm") !== algorithm) return "UNSUPPORTED_ALGORITHM";
  return { keyVersion: Number(version), signature };
}

/**
 * Decodes a signature; undefined if it is invalid. Accepts both base64 alphabets, with or without
 * percent-encoding and padding.
 */
export function decodeSignature(text: string): Uint8Array | undefined {
  if (!/^(?:[A-Za-z0-9+/_=-]|%[0-9A-Fa-f]{2})+$/.test(text)) return undefined;
  const base64 = text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const bare = base64
    .replace(/={1,2}$/, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  return fromBase64(bare + "=".repeat((4 - (bare.length % 4)) % 4));
}
