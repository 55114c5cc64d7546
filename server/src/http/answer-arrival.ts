import { createHash } from "node:crypto";
import { maskSecrets } from "../api/mask.ts";
import { isRefusal, refuse, type Refusal, type ResultCode } from "../core/result.ts";
import type { JsonValue } from "../core/strict-json.ts";
import { isWellFormedClientId } from "../merchants/client.ts";
import { admit, type Admission, type Proven, type TurnedAway } from "./admit.ts";
import type { Arrival } from "./arrival.ts";
import type { Gateway } from "./gateway.ts";
import { refusalBody, sealedHeaders, successBody, type Reply } from "./reply.ts";

/** Answers to callers of whom nothing is known are signed only so often: a signature costs 0.4 ms. */
export const signedFailures = { ratePerSecond: 20, burst: 20 };

/** All that is the same for every operation, in the order in which it happens. */
export async function answerArrival(gateway: Gateway, arrival: Arrival): Promise<Reply> {
  const admitted = await admitSafely(gateway, arrival);
  if ("refused" in admitted) return turnAway(gateway, arrival, admitted);

  const { code, body } = await runOperation(gateway, arrival, admitted);
  const { clientId, gatewayKeyVersion } = admitted.client;
  const headers = await sealedHeaders(gateway, arrival, { clientId, keyVersion: gatewayKeyVersion }, body);
  const reply = { code, headers, body };
  note(gateway, arrival, admitted, admitted.json, reply);
  return reply;
}

async function admitSafely(gateway: Gateway, arrival: Arrival): Promise<Admission | TurnedAway> {
  try {
    return await admit(gateway, arrival);
  } catch (error) {
    gateway.log.error({ err: error, requestId: arrival.requestId }, "The front door failed.");
    return refuse("UNKNOWN_EXCEPTION");
  }
}

interface Outcome {
  readonly code: ResultCode;
  readonly body: Buffer;
}

async function runOperation(gateway: Gateway, arrival: Arrival, admission: Admission): Promise<Outcome> {
  const { client, route, request, inStoreOnly } = admission;
  const { clientId, bucket } = client;
  try {
    const tx = gateway.database.reader([clientId]);
    const call = { tx, clientId, bucket, now: gateway.clock.now(), inStoreOnly };
    const record = await route.operation.find(call, request);
    if (isRefusal(record)) return refused(gateway, record);
    const { code, ...fields } = route.operation.answer(record);
    return { code, body: successBody(code, fields) };
  } catch (error) {
    // Whatever failed may have failed after it happened, so the caller must not conclude that it did not.
    gateway.log.error({ err: error, requestId: arrival.requestId }, "The operation failed.");
    return refused(gateway, refuse("UNKNOWN_EXCEPTION"));
  }
}

function refused(gateway: Gateway, refusal: Refusal): Outcome {
  return { code: refusal.refused, body: refusalBody(gateway, refusal) };
}

/** Signed like every answer, except when signing is what an attacker wants us to spend our time on. */
async function turnAway(gateway: Gateway, arrival: Arrival, away: TurnedAway): Promise<Reply> {
  const { code, body } = refused(gateway, away);
  const retryAfter = away.retryAfterSeconds && { "retry-after": String(away.retryAfterSeconds) };
  const sealed = mayBeSigned(gateway, arrival, away)
    ? await sealedHeaders(gateway, arrival, callerOf(gateway, arrival, away), body)
    : undefined;
  const reply = { code, body, headers: { ...sealed, ...retryAfter } };
  // Whoever floods us is not written down as well.
  if (away.proven && code !== "REQUEST_TRAFFIC_EXCEED_LIMIT")
    note(gateway, arrival, away.proven, away.json, reply);
  return reply;
}

function mayBeSigned(gateway: Gateway, arrival: Arrival, away: TurnedAway): boolean {
  if (away.proven) return true;
  if (away.refused === "REQUEST_TRAFFIC_EXCEED_LIMIT") return false;
  return gateway.limiter.take(`address ${arrival.address}`, signedFailures) === 0;
}

/** To whom an answer is addressed when the caller is not proven: the id that it gave, if it is one. */
function callerOf(
  gateway: Gateway,
  arrival: Arrival,
  away: TurnedAway,
): { clientId: string; keyVersion: number } {
  const [given = "", another] = arrival.headers.get("client-id") ?? [];
  const clientId = another === undefined && isWellFormedClientId(given) ? given : "";
  return { clientId, keyVersion: away.client?.gatewayKeyVersion ?? gateway.signer.newestVersion() };
}

function note(
  gateway: Gateway,
  arrival: Arrival,
  { client, keyVersion, route, body }: Proven,
  json: JsonValue | undefined,
  reply: Reply,
): void {
  gateway.requestLog.add({
    bucket: client.bucket,
    at: gateway.clock.now(),
    requestId: arrival.requestId,
    clientId: client.clientId,
    keyVersion,
    path: arrival.target.signedPath,
    resultCode: reply.code,
    durationUs: Math.round((performance.now() - arrival.arrivedAtMs) * 1000),
    requestSha256: createHash("sha256").update(body).digest(),
    requestBody: json === undefined ? "" : JSON.stringify(maskSecrets(route.operation.request, json)),
    answerBody: reply.body.toString("utf8"),
  });
}
