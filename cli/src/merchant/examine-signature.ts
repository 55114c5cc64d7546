import type { KeyObject } from "node:crypto";
import { parseWireTime } from "../../../clients/typescript/src/wire-time.ts";
import { diagnose, type OtherKey } from "../../../server/src/signing/signature-diagnosis.ts";
import { readSignatureHeader } from "../../../server/src/signing/signature-header.ts";
import { signatureMistakes } from "../../../server/src/signing/signature-candidates.ts";
import { signatureProblem } from "../../../server/src/signing/verify-signature.ts";
import type { RecordedMessage } from "./recorded-message.ts";

/** The result of a signature check, with its explanation. */
export interface Finding {
  readonly holds: boolean;
  readonly says: string;
}

const headerProblems = {
  MISSING_SIGNATURE: "There is no header Signature, or it is empty.",
  MALFORMED_SIGNATURE: "The header Signature must be algorithm=RSA256,keyVersion=N,signature=…, once.",
  UNSUPPORTED_ALGORITHM: "The header Signature must contain algorithm=RSA256.",
} as const;

/** The reader of the finding: the sender of a rejected message, or its receiver. */
export type Perspective = "sender" | "receiver";

/**
 * Checks whether a message's signature is by this key. If not, it searches for the key that signed, and for the signed
 * bytes.
 */
export function examineSignature(
  message: RecordedMessage,
  key: KeyObject,
  otherKeys: readonly OtherKey[],
  perspective: Perspective,
  defaultClientId = "",
): Finding {
  const invalid = (says: string): Finding => ({ holds: false, says });
  const header = readSignatureHeader(message.header("signature"));
  if (typeof header === "string") return invalid(headerProblems[header]);
  const [time] = [...message.header("request-time"), ...message.header("response-time")];
  if (time === undefined) return invalid("The headers Request-Time and Response-Time are both missing.");
  const [clientId = defaultClientId] = message.header("client-id");
  const [host = ""] = message.header("host");
  const { method, path, body } = message;
  const sent = { method, path, clientId, time, body, host };
  const keys = new Map([[header.keyVersion, key]]);
  if (signatureProblem(header, keys, sent) === undefined)
    return { holds: true, says: `The signature is valid.${describeAge(time)}` };
  const diagnosis = diagnose({ sent, signature: header.signature, claimedKey: key, otherKeys });
  if (!diagnosis)
    return invalid("The signature is not valid, and the body is too long to search for the reason.");
  if (perspective === "sender") return invalid(diagnosis.message);
  return invalid(describeForReceiver(diagnosis.madeBy, diagnosis.mistakes, diagnosis.message));
}

function describeForReceiver(
  madeBy: string,
  mistakeNames: readonly string[] | undefined,
  says: string,
): string {
  if (madeBy !== "claimed key") {
    return madeBy === "other key"
      ? says
      : "This key did not make the signature: another key did, or the signature was changed in transit.";
  }
  const signed = (mistakeNames ?? []).flatMap((name) => signatureMistakes[name]?.description ?? []);
  return signed.length === 0
    ? "The key is correct, but other bytes were signed: the body was changed, or parsed and written again; or the path, the client id or the time differs."
    : `The key is correct, but the signed text was ${signed.join("; and ")}. Compare it with the text that you verify: use the raw bytes as received.`;
}

/** Describes the age of a message, because for a receiver an old message may be a replay. */
function describeAge(time: string): string {
  const atMs = parseWireTime(time);
  if (atMs === undefined) return " But its time is malformed: use 13 digits, or ISO 8601 with an offset.";
  const seconds = Math.round(Math.abs(Date.now() - atMs) / 1000);
  return seconds > 300
    ? ` It differs from the current time by ${seconds} seconds: client libraries reject a new message with such a difference.`
    : "";
}
