import type { KeyObject } from "node:crypto";
import { parseWireTime } from "../../../clients/typescript/src/wire-time.ts";
import { diagnose, type OtherKey } from "../../../server/src/signing/doctor.ts";
import { readSignatureHeader } from "../../../server/src/signing/signature-header.ts";
import { slips } from "../../../server/src/signing/slips.ts";
import { signatureProblem } from "../../../server/src/signing/verify.ts";
import type { KeptMessage } from "./message.ts";

/** What is to be said of a signature. */
export interface Finding {
  readonly holds: boolean;
  readonly says: string;
}

const headerProblems = {
  MISSING_SIGNATURE: "There is no header Signature, or it is empty.",
  MALFORMED_SIGNATURE: "The header Signature has to be algorithm=RSA256,keyVersion=N,signature=…, once.",
  UNSUPPORTED_ALGORITHM: "The header Signature has to say algorithm=RSA256.",
} as const;

/** Who looks: whoever signed it and was refused, or whoever received it. */
export type Viewpoint = "sender" | "receiver";

/** Whether a message's signature is by this key; if not, by which one, and over which other bytes. */
export function examine(
  message: KeptMessage,
  key: KeyObject,
  others: readonly OtherKey[],
  viewpoint: Viewpoint,
  clientIdUsual = "",
): Finding {
  const wrong = (says: string): Finding => ({ holds: false, says });
  const header = readSignatureHeader(message.header("signature"));
  if (typeof header === "string") return wrong(headerProblems[header]);
  const [time] = [...message.header("request-time"), ...message.header("response-time")];
  if (time === undefined) return wrong("There is no header Request-Time, and no Response-Time.");
  const [clientId = clientIdUsual] = message.header("client-id");
  const [host = ""] = message.header("host");
  const { method, path, body } = message;
  const sent = { method, path, clientId, time, body, host };
  const keys = new Map([[header.keyVersion, key]]);
  if (signatureProblem(header, keys, sent) === undefined)
    return { holds: true, says: `The signature holds.${ageInWords(time)}` };
  const found = diagnose({ sent, signature: header.signature, claimed: key, others });
  if (!found) return wrong("The signature does not hold, and the body is too long to look for the reason.");
  if (viewpoint === "sender") return wrong(found.says);
  return wrong(forReceiver(found.madeBy, found.slips, found.says));
}

function forReceiver(madeBy: string, names: readonly string[] | undefined, says: string): string {
  if (madeBy !== "claimed key") {
    return madeBy === "other key"
      ? says
      : "This key did not make the signature: another key did, or the signature was changed on its way.";
  }
  const signed = (names ?? []).flatMap((name) => slips[name]?.signed ?? []);
  return signed.length === 0
    ? "The key is right, but other bytes were signed: the body was changed or parsed and written again, or the path, the client id or the time is another one."
    : `The key is right, but what was signed is ${signed.join("; and ")}. Compare that to what you verify: the raw bytes as they came.`;
}

/** Old messages are replays to a receiver. */
function ageInWords(time: string): string {
  const atMs = parseWireTime(time);
  if (atMs === undefined) return " But its time cannot be read: 13 digits, or ISO 8601 with an offset.";
  const seconds = Math.round(Math.abs(Date.now() - atMs) / 1000);
  return seconds > 300
    ? ` It is ${seconds} seconds away from now: as a new message, libraries refuse that.`
    : "";
}
