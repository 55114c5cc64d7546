import { toBase64 } from "./bytes.ts";
import type { SignatureProblem } from "./errors.ts";
import type { PublicKey } from "./key.ts";
import { decodeSignature, readSignatureHeader, signedText } from "./signature.ts";
import { headerValues, type TransportResponse } from "./transport.ts";
import { parseWireTime } from "./wire-time.ts";

/**
 * Returns the gateway's public key for a key version. There is one key for all versions, or one key for each
 * version.
 */
export type GatewayKeys = (version: number) => PublicKey | undefined;

export interface Received {
  readonly kind: "response" | "webhook";
  readonly method: string;
  readonly path: string;
  readonly clientId: string;
  readonly headers: TransportResponse["headers"];
  readonly body: Uint8Array;
}

export interface Verified {
  /** The signature in base64: unique for each message. */
  readonly replayKey: string;
  /** The text of the message's time header. */
  readonly time: string;
}

/**
 * The order of the checks is part of the contract: presence, syntax, algorithm, key version, base64, client
 * id, signature.
 */
export async function verify(message: Received, keys: GatewayKeys): Promise<Verified | SignatureProblem> {
  const header = readSignatureHeader(headerValues(message.headers, "signature"));
  if (typeof header === "string") return header;
  const [time] = headerValues(
    message.headers,
    message.kind === "response" ? "response-time" : "request-time",
  );
  if (time === undefined) return "MISSING_TIME";

  const key = keys(header.keyVersion);
  if (!key) return "UNKNOWN_KEY_VERSION";
  const signature = decodeSignature(header.signature);
  if (!signature || signature.length !== (key.signatureBytes ?? signature.length))
    return "MALFORMED_SIGNATURE";
  const [clientId = message.clientId] = headerValues(message.headers, "client-id");
  if (clientId !== message.clientId) return "CLIENT_MISMATCH";
  if (!(await key.verify(signedText({ ...message, time }), signature))) return "MISMATCH";
  return { replayKey: toBase64(signature), time };
}

/** Checks the age of a message. A tolerance of zero disables the check. */
export function timeProblem(
  time: string,
  nowMs: number,
  toleranceSeconds: number,
): "BAD_TIME" | "STALE" | undefined {
  const timeMs = parseWireTime(time);
  if (timeMs === undefined) return "BAD_TIME";
  if (toleranceSeconds === 0) return undefined;
  return Math.abs(nowMs - timeMs) > toleranceSeconds * 1000 ? "STALE" : undefined;
}
