import type { KeyObject } from "node:crypto";
import { parseWireTime } from "../../../clients/typescript/src/wire-time.ts";
import { examine } from "./examine.ts";
import { isSameKey, publicHalf } from "./key-files.ts";
import type { Caller } from "./known-gateway.ts";
import { pathOf, sendSigned } from "./raw-call.ts";

/** One check of the settings. */
export interface Check {
  readonly name: string;
  readonly isRight: boolean;
  readonly says: string;
}

const operation = "tollgate/inquiryOpenRecords";
/**
 * Maximum clock skew in seconds. Beyond it the gateway rejects requests, or client libraries reject the gateway's
 * messages.
 */
const apartSecondsMax = 300;

/** Checks keys, address, clock and signatures in both directions, with one API request that changes nothing. */
export async function checkSettings(
  caller: Caller,
  others: ReadonlyMap<string, KeyObject>,
): Promise<readonly Check[]> {
  const keys = [
    keyCheck("Your private key", caller.privateKey),
    keyCheck("The gateway's public key", caller.gatewayPublicKey),
  ];
  if (keys.some(({ isRight }) => !isRight)) return keys;
  const [own, gateways] = [publicHalf(caller.privateKey), publicHalf(caller.gatewayPublicKey)];
  const mixedUp = [...confusions(own, gateways, others)];
  return [...keys, ...mixedUp, ...(await callChecks(caller, own, gateways, others))];
}

function keyCheck(name: string, text: string): Check {
  try {
    const { modulusLength } = publicHalf(text).asymmetricKeyDetails ?? {};
    return { name, isRight: true, says: `RSA with ${modulusLength} bits.` };
  } catch (error) {
    return { name, isRight: false, says: (error as Error).message.replace(/^.*? cannot be used: /, "") };
  }
}

/** Reports keys that are valid, but that are set in the wrong setting. */
function* confusions(
  own: KeyObject,
  gateways: KeyObject,
  others: ReadonlyMap<string, KeyObject>,
): Generator<Check> {
  if (isSameKey(own, gateways)) {
    const says =
      "it is the public key of your own key pair. Use the key that the gateway showed when you registered yours.";
    yield { name: "The gateway's public key", isRight: false, says };
  }
  for (const [file, key] of others) {
    const isOwn = isSameKey(own, key);
    if (!isOwn && !isSameKey(gateways, key)) continue;
    const which = isOwn ? "your private key" : "the gateway's public key";
    yield { name: file, isRight: true, says: `the same key as ${which} here.` };
  }
}

async function callChecks(
  caller: Caller,
  own: KeyObject,
  gateways: KeyObject,
  others: ReadonlyMap<string, KeyObject>,
): Promise<readonly Check[]> {
  if (!URL.canParse(caller.baseUrl))
    return [
      {
        name: "The gateway's address",
        isRight: false,
        says: "TOLLGATE_BASE_URL is missing or not an address.",
      },
    ];
  const body = '{"limit":1}';
  const called = await sendSigned(caller, { operation, body }).catch((error: Error) => error);
  if (called instanceof Error) {
    const { message } = (called.cause ?? called) as Error;
    return [{ name: caller.baseUrl, isRight: false, says: `the gateway does not answer (${message}).` }];
  }
  const answer = Buffer.from(await called.arrayBuffer());
  const message = {
    method: "POST",
    path: pathOf(caller, operation),
    body: answer,
    header: (name: string) => [called.headers.get(name) ?? []].flat(),
  };
  const known = [
    { key: own, says: "It was made with your own key.", isYours: false },
    ...[...others].map(([file, key]) => ({
      key,
      says: `It was made with the key of ${file}.`,
      isYours: false,
    })),
  ];
  const { holds, says } = examine(message, gateways, known, "receiver", caller.clientId);
  return [
    answerCheck(caller.clientId, answer),
    ...(called.headers.has("signature") ? [{ name: "The gateway's signature", isRight: holds, says }] : []),
    ...clockChecks(called.headers.get("response-time")),
  ];
}

function answerCheck(clientId: string, answer: Buffer): Check {
  const name = `A signed request as ${clientId}`;
  try {
    const { result } = JSON.parse(answer.toString("utf8")) as { result: Readonly<Record<string, string>> };
    const isRight = result["resultStatus"] === "S";
    const says = [result["resultCode"], result["resultMessage"], isRight ? "" : result["resultHint"]];
    return { name, isRight, says: says.filter(Boolean).join(" ") };
  } catch {
    return { name, isRight: false, says: "the server at this address is not a Tollgate." };
  }
}

function clockChecks(time: string | null): readonly Check[] {
  const atMs = time === null ? undefined : parseWireTime(time);
  if (atMs === undefined) return [];
  const apart = Math.round((Date.now() - atMs) / 1000);
  const says = `${Math.abs(apart)} s ${apart < 0 ? "behind" : "ahead of"} the gateway's.`;
  return [{ name: "The clock of this machine", isRight: Math.abs(apart) < apartSecondsMax, says }];
}
