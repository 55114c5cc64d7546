import type { Stream } from "../../contract/operation.ts";
import { WrongCellError } from "../../core/wrong-cell-error.ts";
import {
  isRefusal,
  refuse,
  results,
  said,
  type Refusal,
  type ResultCode,
  type ResultMeaning,
} from "../../core/result.ts";
import { isWellFormedClientId } from "../../merchants/client.ts";
import { admit, onlineHint, type Admission, type Proven, type RejectedRequest } from "./admit.ts";
import { inAnswerTime, type Arrival } from "./arrival.ts";
import type { KnownClient } from "../../merchants/client-directory.ts";
import { openStream, streamAskedFor, type Streaming } from "./event-stream.ts";
import type { Gateway } from "./gateway.ts";
import { recordUnauthenticatedCall, recordCall } from "./note-call.ts";
import {
  answerBody,
  explainMistakes,
  signedReplyHeaders,
  type Addressee,
  type Lesson,
  type Reply,
} from "./reply.ts";
import { TooManyWaiting } from "../../postgres/merchant-queue.ts";
import { runOperation } from "./run-operation.ts";

/** Rate limit, by network, on signing responses to unauthenticated clients: a signature costs 0.4 ms. */
export const signedFailures = { ratePerSecond: 20, burst: 20 };
/**
 * Rate limit on signing responses to unauthenticated clients for all networks together, because an attacker can have
 * many addresses.
 */
const signedFailuresInAll = { ratePerSecond: 200, burst: 200 };

/** Handles a request of any operation: admits, runs, signs and logs it. */
export async function answerArrival(gateway: Gateway, arrival: Arrival): Promise<Reply | Streaming> {
  const admitted = await admitSafely(gateway, arrival);
  if ("refused" in admitted) return rejectRequest(gateway, arrival, admitted);
  const stream = streamAskedFor(admitted);
  if (stream) return answerWithStream(gateway, arrival, admitted, stream);

  const ran = await run(gateway, arrival, admitted);
  if ("refused" in ran) return rejectRequest(gateway, arrival, ran);
  const { code, body, shown } = ran;
  const { clientId, gatewayKeyVersion } = admitted.client;
  gateway.runner.at("before-answer");
  const headers = await signedReplyHeaders(
    gateway,
    arrival,
    { clientId, keyVersion: gatewayKeyVersion },
    body,
  );
  const reply = { code, isProven: true, headers, body };
  countKeys(gateway, admitted);
  recordCall(gateway, arrival, admitted, admitted.json, { code, body: shown });
  return reply;
}

async function answerWithStream(
  gateway: Gateway,
  arrival: Arrival,
  admission: Admission,
  stream: Stream,
): Promise<Reply | Streaming> {
  const opened = await openStream(gateway, arrival, admission, stream).catch((error: unknown) => {
    gateway.log.error({ err: error, requestId: arrival.requestId }, "Opening the event stream failed.");
    return refuse("UNKNOWN_EXCEPTION");
  });
  const { client, json } = admission;
  if (!("follow" in opened))
    return rejectRequest(gateway, arrival, { ...opened, client, proven: admission, json });
  const follow: Streaming["follow"] = async (response) => {
    countKeys(gateway, admission);
    const end = await opened.follow(response);
    const { code } = opened;
    recordCall(gateway, arrival, admission, json, { code, body: answerBody(gateway, { code }, end) });
    return end;
  };
  return { ...opened, follow };
}

async function admitSafely(gateway: Gateway, arrival: Arrival): Promise<Admission | RejectedRequest> {
  try {
    return await admit(gateway, arrival);
  } catch (error) {
    if (error instanceof WrongCellError) return { ...refuse("UNKNOWN_EXCEPTION"), retryAfterSeconds: 1 };
    gateway.log.error({ err: error, requestId: arrival.requestId }, "Request validation failed.");
    return refuse("UNKNOWN_EXCEPTION");
  }
}

interface Outcome {
  readonly code: ResultCode;
  readonly body: Buffer;
  /** The body with masked secrets, for the request log. */
  readonly shown: Buffer;
}

async function run(
  gateway: Gateway,
  arrival: Arrival,
  admission: Admission,
): Promise<Outcome | RejectedRequest> {
  const { traces } = gateway.runner;
  traces.about(admission.request);
  try {
    const ran = await inAnswerTime(arrival, runOperation(gateway, admission));
    if (isRefusal(ran)) {
      const lesson = explainMistakes(admission.route, admission.json, { refusal: ran });
      return refused(gateway, { ...wrongPlace(arrival, admission, ran), ...ran }, lesson);
    }
    const { code, ...fields } = ran.answered;
    traces.about(fields);
    // The sandbox explains a response without success like a rejection. The response's fields about the record stay.
    const lesson = explainMistakes(admission.route, admission.json, ran);
    const body = answerBody(gateway, { code }, fields, lesson);
    const { maskAnswer } = admission.route;
    const shown = maskAnswer ? answerBody(gateway, { code }, maskAnswer(fields) as object, lesson) : body;
    return { code, body, shown };
  } catch (error) {
    if (error instanceof TooManyWaiting) {
      const { client, json } = admission;
      const retryAfterSeconds = error.retryAfterMs / 1000;
      return {
        ...refuse("REQUEST_TRAFFIC_EXCEED_LIMIT"),
        client,
        proven: admission,
        json,
        retryAfterSeconds,
      };
    }
    if (error instanceof WrongCellError) {
      const { client, json } = admission;
      return { ...refuse("UNKNOWN_EXCEPTION"), client, proven: admission, json, retryAfterSeconds: 1 };
    }
    // The operation may have failed after the commit. The outcome is unknown, so the response must not be a final
    // failure.
    gateway.log.error({ err: error, requestId: arrival.requestId }, "The operation failed.");
    return refused(gateway, refuse("UNKNOWN_EXCEPTION"));
  }
}

/**
 * The hint for an in-store merchant's request to an online operation: the path or the host is wrong, not a setting of
 * the client.
 */
function wrongPlace(
  { target }: Arrival,
  { inStoreOnly, route }: Admission,
  { refused: code }: Refusal,
): { readonly hint?: string } {
  return inStoreOnly && code === "ACCESS_DENIED" ? { hint: onlineHint(target.sandbox, route) } : {};
}

function refused(gateway: Gateway, refusal: Refusal, lesson: Lesson = {}): Outcome {
  const { adviceWhenRefused }: ResultMeaning = results[refusal.refused];
  const hint = lesson.problems ? undefined : adviceWhenRefused;
  const body = answerBody(gateway, { ...(hint !== undefined && { hint }), ...said(refusal) }, {}, lesson);
  return { code: refusal.refused, body, shown: body };
}

/**
 * Sends a rejection, which is signed, too. Signing for unauthenticated clients is rate-limited, because it is costly.
 */
export async function rejectRequest(
  gateway: Gateway,
  arrival: Arrival,
  away: RejectedRequest,
): Promise<Reply> {
  const lesson = away.proven ? explainMistakes(away.proven.route, away.json, { refusal: away }) : {};
  const { code, body } = refused(gateway, away, lesson);
  const retryAfter = away.retryAfterSeconds && { "retry-after": String(away.retryAfterSeconds) };
  const sealed = (
    away.proven ? isWorthSigning(gateway, away.proven, code) : mayBeSigned(gateway, arrival, code)
  )
    ? await signedReplyHeaders(gateway, arrival, await callerOf(gateway, arrival, away), body)
    : undefined;
  const isProven = away.proven !== undefined;
  const reply = { code, isProven, body, headers: { ...sealed, ...retryAfter } };
  if (away.proven) countKeys(gateway, away.proven);
  // Rate-limited requests are not logged.
  if (away.proven && code !== "REQUEST_TRAFFIC_EXCEED_LIMIT")
    recordCall(gateway, arrival, away.proven, away.json, reply);
  if (away.unproven) recordUnauthenticatedCall(gateway, arrival, away.unproven, reply);
  return reply;
}

/**
 * Whether to sign a rejection of an authenticated client. The signature is most of the cost of a "retry later"
 * response, so load shedding omits it to leave more time for other requests. Client libraries accept this code
 * unsigned: it says nothing about money.
 */
function isWorthSigning({ limiter }: Gateway, { client }: Proven, code: ResultCode): boolean {
  if (code !== "REQUEST_TRAFFIC_EXCEED_LIMIT") return true;
  return limiter.take(`${client.clientId} signed refusals`, signedFailures) === 0;
}

/**
 * Whether to sign a rejection of an unauthenticated client. A signature takes a token of the client's network, a token
 * of all networks, and a slot.
 */
export function mayBeSigned(gateway: Gateway, { network, visit }: Arrival, code: ResultCode): boolean {
  if (code === "REQUEST_TRAFFIC_EXCEED_LIMIT") return false;
  if (gateway.unauthenticatedLimiter.take(network, signedFailures) > 0) return false;
  return (
    gateway.unauthenticatedLimiter.take("all", signedFailuresInAll) === 0 && visit.take("unauthenticated")
  );
}

/**
 * The addressee of a response to an unauthenticated caller: the client id in the header, if well-formed. For an
 * existing client the pinned key version is used, so that the client can verify the rejection.
 */
async function callerOf(gateway: Gateway, arrival: Arrival, away: RejectedRequest): Promise<Addressee> {
  const [given = "", another] = arrival.headers.get("client-id") ?? [];
  const clientId = another === undefined && isWellFormedClientId(given) ? given : "";
  const client = away.client ?? (clientId ? await namedClient(gateway, arrival, clientId) : undefined);
  return { clientId, keyVersion: client?.gatewayKeyVersion ?? gateway.signer.newestVersion() };
}

async function namedClient(
  { clients }: Gateway,
  arrival: Arrival,
  clientId: string,
): Promise<KnownClient | undefined> {
  const remembered = clients.remembered(clientId);
  const client = remembered ?? (await inAnswerTime(arrival, clients.lookUp(clientId)).catch(() => undefined));
  return typeof client === "object" ? client : undefined;
}

/** Counts the merchant key that signed the request, and the gateway key that signed the response. */
function countKeys({ keyUses, clock }: Gateway, { client, keyVersion }: Proven): void {
  const { clientId, gatewayKeyVersion } = client;
  const at = clock.now();
  keyUses.add({ clientId, signed: "REQUEST", version: keyVersion, at });
  keyUses.add({ clientId, signed: "ANSWER", version: gatewayKeyVersion, at });
}
