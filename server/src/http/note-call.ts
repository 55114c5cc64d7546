import { hash } from "node:crypto";
import { cardDataIn } from "../core/card-data.ts";
import { parseStrictJson, type JsonValue } from "../core/strict-json.ts";
import { signedText, type SignedParts } from "../signing/signed-text.ts";
import type { Proven, Unproven } from "./admit.ts";
import type { Arrival } from "./arrival.ts";
import type { Gateway } from "./gateway.ts";
import type { Reply } from "./reply.ts";

type Answered = Pick<Reply, "code" | "body">;

/** Writes down a call that is proven: in the request log, and in the sandbox also where developers see it at once. */
export function noteCall(
  gateway: Gateway,
  arrival: Arrival,
  proven: Proven,
  json: JsonValue | undefined,
  answered: Answered,
): void {
  const { client, keyVersion, route, body } = proven;
  const noted = {
    ...outcomeOf(gateway, arrival, answered),
    keyVersion,
    requestBody: json === undefined ? "" : JSON.stringify(route.maskRequest(json)),
    answerBody: answered.body.toString("utf8"),
  };
  gateway.requestLog.add({
    ...noted,
    bucket: client.bucket,
    clientId: client.clientId,
    // Card data leaves no hash either: card numbers are few enough to find one by brute force.
    requestSha256: json === undefined ? Buffer.alloc(0) : hash("sha256", body, "buffer"),
  });
  gateway.recentCalls?.add(client.clientId, {
    ...noted,
    ...signedIn(arrival, { ...partsOf(arrival, client.clientId), body }, json !== undefined),
    requestBody: shortened(noted.requestBody),
    answerBody: shortened(noted.answerBody),
    isProven: true,
    verdict: undefined,
  });
}

/**
 * Shows an attempt whose signature did not hold to the developers of the client that it names: in memory, never in the database
 * (docs/decisions/0064). It was looked into within the strangers' rate limits, or it would not be here.
 */
export function noteAttempt(
  gateway: Gateway,
  arrival: Arrival,
  { client, keyVersion, route, parts, verdict }: Unproven,
  answered: Answered,
): void {
  if (!gateway.recentCalls) return;
  const parsed = parseStrictJson(Buffer.from(parts.body));
  const isReadable =
    !("problem" in parsed) && cardDataIn(parsed.value, route.operation.request) === undefined;
  gateway.recentCalls.add(client.clientId, {
    ...outcomeOf(gateway, arrival, answered),
    ...signedIn(arrival, parts, isReadable),
    keyVersion,
    requestBody: isReadable ? shortened(JSON.stringify(route.maskRequest(parsed.value))) : "",
    // The answer tells the hash of what was verified, and what was signed.
    answerBody: isReadable ? shortened(answered.body.toString("utf8")) : "",
    isProven: false,
    verdict: isReadable ? verdict : undefined,
  });
}

function outcomeOf({ clock }: Gateway, { requestId, target, arrivedAtMs }: Arrival, { code }: Answered) {
  return {
    at: clock.now(),
    requestId,
    path: target.path,
    resultCode: code,
    durationUs: Math.round((performance.now() - arrivedAtMs) * 1000),
  };
}

function partsOf({ method, target, headers }: Arrival, clientId: string): Omit<SignedParts, "body"> {
  return { method, path: target.signedPath, clientId, time: headers.get("request-time")?.[0] ?? "" };
}

/** The query may hold a secret, so it is left out of what is shown; it is in the hash. */
function signedIn({ network, target }: Arrival, parts: SignedParts, isReadable: boolean) {
  const text = signedText(parts);
  const query = parts.path === target.path ? "" : "?…";
  return {
    network,
    signedHead: `${parts.method} ${target.path}${query}\n${parts.clientId}.${parts.time.slice(0, 64)}.`,
    signedBytes: text.length,
    signedSha256: isReadable ? hash("sha256", text, "hex") : undefined,
  };
}

const shownMax = 16_000;

function shortened(text: string): string {
  return text.length <= shownMax ? text : `${text.slice(0, shownMax)}… (cut: ${text.length} characters)`;
}
