import type { KeyObject } from "node:crypto";
import { parseWireTime } from "../../../clients/typescript/src/wire-time.ts";
import { examineSignature } from "./examine-signature.ts";
import { isSameKey, parsePublicKey } from "./key-files.ts";
import type { Caller } from "./configured-gateway.ts";
import { operationPath, sendSigned } from "./signed-request.ts";

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
const clockDifferenceSecondsMax = 300;

/** Checks keys, address, clock and signatures in both directions, with one API request that changes nothing. */
export async function checkSettings(
  caller: Caller,
  otherKeys: ReadonlyMap<string, KeyObject>,
): Promise<readonly Check[]> {
  const keys = [
    checkKey("Your private key", caller.privateKey),
    checkKey("The gateway's public key", caller.gatewayPublicKey),
  ];
  if (keys.some(({ isRight }) => !isRight)) return keys;
  const [ownKey, gatewayKey] = [parsePublicKey(caller.privateKey), parsePublicKey(caller.gatewayPublicKey)];
  const confusedKeys = [...findConfusedKeys(ownKey, gatewayKey, otherKeys)];
  return [...keys, ...confusedKeys, ...(await checkSignedRequest(caller, ownKey, gatewayKey, otherKeys))];
}

function checkKey(name: string, text: string): Check {
  try {
    const { modulusLength } = parsePublicKey(text).asymmetricKeyDetails ?? {};
    return { name, isRight: true, says: `RSA with ${modulusLength} bits.` };
  } catch (error) {
    return { name, isRight: false, says: (error as Error).message.replace(/^.*? cannot be used: /, "") };
  }
}

/** Reports keys that are valid, but that are set in the wrong setting. */
function* findConfusedKeys(
  ownKey: KeyObject,
  gatewayKey: KeyObject,
  otherKeys: ReadonlyMap<string, KeyObject>,
): Generator<Check> {
  if (isSameKey(ownKey, gatewayKey)) {
    const says =
      "it is the public key of your own key pair. Use the key that the gateway showed when you registered yours.";
    yield { name: "The gateway's public key", isRight: false, says };
  }
  for (const [file, key] of otherKeys) {
    const isOwn = isSameKey(ownKey, key);
    if (!isOwn && !isSameKey(gatewayKey, key)) continue;
    const keyName = isOwn ? "your private key" : "the gateway's public key";
    yield { name: file, isRight: true, says: `the same key as ${keyName} here.` };
  }
}

async function checkSignedRequest(
  caller: Caller,
  ownKey: KeyObject,
  gatewayKey: KeyObject,
  otherKeys: ReadonlyMap<string, KeyObject>,
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
  const response = await sendSigned(caller, { operation, body }).catch((error: Error) => error);
  if (response instanceof Error) {
    const { message } = (response.cause ?? response) as Error;
    return [{ name: caller.baseUrl, isRight: false, says: `the gateway does not answer (${message}).` }];
  }
  const answer = Buffer.from(await response.arrayBuffer());
  const message = {
    method: "POST",
    path: operationPath(caller, operation),
    body: answer,
    header: (name: string) => [response.headers.get(name) ?? []].flat(),
  };
  const knownKeys = [
    { key: ownKey, explanation: "It was made with your own key.", isMerchantKey: false },
    ...[...otherKeys].map(([file, key]) => ({
      key,
      explanation: `It was made with the key of ${file}.`,
      isMerchantKey: false,
    })),
  ];
  const { holds, says } = examineSignature(message, gatewayKey, knownKeys, "receiver", caller.clientId);
  return [
    checkAnswer(caller.clientId, answer),
    ...(response.headers.has("signature") ? [{ name: "The gateway's signature", isRight: holds, says }] : []),
    ...checkClock(response.headers.get("response-time")),
  ];
}

function checkAnswer(clientId: string, answer: Buffer): Check {
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

function checkClock(time: string | null): readonly Check[] {
  const atMs = time === null ? undefined : parseWireTime(time);
  if (atMs === undefined) return [];
  const differenceSeconds = Math.round((Date.now() - atMs) / 1000);
  const says = `${Math.abs(differenceSeconds)} s ${differenceSeconds < 0 ? "behind" : "ahead of"} the gateway's.`;
  return [
    {
      name: "The clock of this machine",
      isRight: Math.abs(differenceSeconds) < clockDifferenceSecondsMax,
      says,
    },
  ];
}
