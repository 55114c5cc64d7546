import type { JsonValue } from "../core/strict-json.ts";
import { results, type Refusal, type ResultCode } from "../core/result.ts";
import { wireTime } from "../core/request-time.ts";
import { writeSignatureHeader } from "../signing/signature-header.ts";
import { signedText } from "../signing/signed-text.ts";
import type { Arrival } from "./arrival.ts";
import type { Gateway } from "./gateway.ts";

/** What goes back over the wire. The status is always 200: the result object speaks. */
export interface Reply {
  readonly code: ResultCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** One shape for every answer: the result first, then the operation's fields. */
export function successBody(code: ResultCode, fields: object): Buffer {
  const { status, message } = results[code];
  const result = { resultCode: code, resultStatus: status, resultMessage: message };
  return Buffer.from(JSON.stringify({ result, ...fields }), "utf8");
}

/** The sandbox says where to look; live says no more than the three strings of the interface. */
export function refusalBody(gateway: Gateway, refusal: Refusal): Buffer {
  const { status, message, advice } = results[refusal.refused];
  const result: { [key: string]: JsonValue } = {
    resultCode: refusal.refused,
    resultStatus: status,
    resultMessage: (refusal.detail ?? message).slice(0, 256),
  };
  if (gateway.environment === "sandbox") {
    if (refusal.field) result["resultField"] = refusal.field;
    result["resultHint"] = refusal.hint ?? advice;
    result["docUrl"] = `${gateway.docsUrl}#${refusal.refused}`;
  }
  return Buffer.from(JSON.stringify({ result }), "utf8");
}

/** To whom an answer goes, and with which key it is signed. */
export interface Addressee {
  /** Empty when the caller gave none that is well-formed. */
  readonly clientId: string;
  readonly keyVersion: number;
}

/**
 * Signs an answer. Names in lower case, and no other header may contain the words `signature` or
 * `response-time`: published libraries look for them letter by letter.
 */
export async function sealedHeaders(
  gateway: Gateway,
  { method, target }: Arrival,
  { clientId, keyVersion }: Addressee,
  body: Buffer,
): Promise<Readonly<Record<string, string>>> {
  // The real time, never a merchant's virtual one: receivers compare it with their own clocks.
  const time = wireTime(gateway.clock.now().getTime());
  const text = signedText({ method, path: target.signedPath, clientId, time, body });
  const signature = await gateway.signer.sign(keyVersion, text);
  return {
    ...(clientId && { "client-id": clientId }),
    "response-time": time,
    signature: writeSignatureHeader(keyVersion, signature),
  };
}
