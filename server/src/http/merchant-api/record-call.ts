import { hash } from "node:crypto";
import { findCardData } from "../../core/card-data.ts";
import { parseStrictJson, type JsonValue } from "../../core/strict-json.ts";
import { hashRecordId } from "../../merchants/request-record.ts";
import { signedText, type SignedParts } from "../../signing/signed-text.ts";
import type { AuthenticatedRequest, InvalidlySignedRequest } from "./admit.ts";
import type { Arrival } from "./arrival.ts";
import type { Gateway } from "./gateway.ts";
import type { Reply } from "./reply.ts";

type LoggedReply = Pick<Reply, "code" | "body">;

/** Records an authenticated request in the request log, and in the sandbox also in the list of recent API requests. */
export function recordCall(
  gateway: Gateway,
  arrival: Arrival,
  authenticated: AuthenticatedRequest,
  json: JsonValue | undefined,
  reply: LoggedReply,
): void {
  const { client, keyVersion, route, body } = authenticated;
  const masked = json === undefined ? undefined : route.maskRequest(json);
  const entry = {
    ...outcomeOf(gateway, arrival, reply),
    keyVersion,
    requestBody: masked === undefined ? "" : JSON.stringify(masked),
    answerBody: reply.body.toString("utf8"),
  };
  gateway.requestLog.add({
    ...entry,
    bucket: client.bucket,
    clientId: client.clientId,
    recordHash: masked === undefined ? undefined : hashRecordId(masked),
    // The log has no hash of card data either: card numbers are few enough for a brute-force search.
    requestSha256: json === undefined ? Buffer.alloc(0) : hash("sha256", body, "buffer"),
  });
  gateway.recentCalls?.add(client.clientId, {
    ...entry,
    ...signedTextFields(arrival, { ...partsOf(arrival, client.clientId), body }, json !== undefined),
    requestBody: truncate(entry.requestBody),
    answerBody: truncate(entry.answerBody),
    isProven: true,
    verdict: undefined,
  });
}

/**
 * Records a request with an invalid signature for the developers of the client that it names: in memory only, never in
 * the database (docs/decisions/0064). It was diagnosed within the rate limits for unauthenticated clients.
 */
export function recordUnauthenticatedCall(
  gateway: Gateway,
  arrival: Arrival,
  { client, keyVersion, route, parts, verdict }: InvalidlySignedRequest,
  reply: LoggedReply,
): void {
  if (!gateway.recentCalls) return;
  const parsed = parseStrictJson(Buffer.from(parts.body));
  const isReadable =
    !("problem" in parsed) && findCardData(parsed.value, route.operation.request) === undefined;
  gateway.recentCalls.add(client.clientId, {
    ...outcomeOf(gateway, arrival, reply),
    ...signedTextFields(arrival, parts, isReadable),
    keyVersion,
    requestBody: isReadable ? truncate(JSON.stringify(route.maskRequest(parsed.value))) : "",
    // The response of a signature diagnosis contains the hash of the verified text and the signed text.
    answerBody: isReadable ? truncate(reply.body.toString("utf8")) : "",
    isProven: false,
    verdict: isReadable ? verdict : undefined,
  });
}

function outcomeOf({ clock }: Gateway, { requestId, target, arrivedAtMs }: Arrival, { code }: LoggedReply) {
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

/** The signed text of a request without the query, which may contain a secret. The hash covers the query. */
function signedTextFields({ network, target }: Arrival, parts: SignedParts, isReadable: boolean) {
  const text = signedText(parts);
  const query = parts.path === target.path ? "" : "?…";
  return {
    network,
    signedHead: `${parts.method} ${target.path}${query}\n${parts.clientId}.${parts.time.slice(0, 64)}.`,
    signedBytes: text.length,
    signedSha256: isReadable ? hash("sha256", text, "hex") : undefined,
  };
}

const loggedCharactersMax = 16_000;

function truncate(text: string): string {
  return text.length <= loggedCharactersMax
    ? text
    : `${text.slice(0, loggedCharactersMax)}… (cut: ${text.length} characters)`;
}
