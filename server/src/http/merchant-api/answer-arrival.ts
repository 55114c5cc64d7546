import type { Stream } from "../../contract/operation.ts";
import { WrongCellError } from "../../core/wrong-cell-error.ts";
import {
  isRefusal,
  refuse,
  results,
  toRequestResult,
  type Refusal,
  type ResultCode,
  type ResultMeaning,
} from "../../core/result.ts";
import { isWellFormedClientId } from "../../merchants/client.ts";
import {
  admit,
  onlineHint,
  type Admission,
  type AuthenticatedRequest,
  type RejectedRequest,
} from "./admit.ts";
import { withinResponseDeadline, type Arrival } from "./arrival.ts";
import type { ClientWithKeys } from "../../merchants/client-directory.ts";
import { openStream, requestedStream, type Streaming } from "./event-stream.ts";
import type { Gateway } from "./gateway.ts";
import { recordUnauthenticatedCall, recordCall } from "./record-call.ts";
import {
  answerBody,
  explainMistakes,
  signedReplyHeaders,
  type Addressee,
  type SandboxExplanation,
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
  const stream = requestedStream(admitted);
  if (stream) return answerWithStream(gateway, arrival, admitted, stream);

  const ran = await runAdmitted(gateway, arrival, admitted);
  if ("refused" in ran) return rejectRequest(gateway, arrival, ran);
  const { code, body, loggedBody } = ran;
  const { clientId, gatewayKeyVersion } = admitted.client;
  gateway.runner.atCrashPoint("before-answer");
  const headers = await signedReplyHeaders(
    gateway,
    arrival,
    { clientId, keyVersion: gatewayKeyVersion },
    body,
  );
  const reply = { code, isAuthenticated: true, headers, body };
  countKeys(gateway, admitted);
  recordCall(gateway, arrival, admitted, admitted.json, { code, body: loggedBody });
  return reply;
}

async function answerWithStream(
  gateway: Gateway,
  arrival: Arrival,
  admission: Admission,
  stream: Stream,
): Promise<Reply | Streaming> {
  const openedStream = await openStream(gateway, arrival, admission, stream).catch((error: unknown) => {
    gateway.log.error({ err: error, requestId: arrival.requestId }, "Opening the event stream failed.");
    return refuse("UNKNOWN_EXCEPTION");
  });
  const { client, json } = admission;
  if (!("follow" in openedStream))
    return rejectRequest(gateway, arrival, { ...openedStream, client, authenticated: admission, json });
  const follow: Streaming["follow"] = async (response) => {
    countKeys(gateway, admission);
    const end = await openedStream.follow(response);
    const { code } = openedStream;
    recordCall(gateway, arrival, admission, json, { code, body: answerBody(gateway, { code }, end) });
    return end;
  };
  return { ...openedStream, follow };
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
  readonly loggedBody: Buffer;
}

async function runAdmitted(
  gateway: Gateway,
  arrival: Arrival,
  admission: Admission,
): Promise<Outcome | RejectedRequest> {
  const { traces } = gateway.runner;
  traces.recordPayment(admission.request);
  try {
    const ran = await withinResponseDeadline(arrival, runOperation(gateway, admission));
    if (isRefusal(ran)) {
      const explanation = explainMistakes(admission.route, admission.json, { refusal: ran });
      return refusalOutcome(gateway, { ...wrongPathHint(arrival, admission, ran), ...ran }, explanation);
    }
    const { code, ...fields } = ran.response;
    traces.recordPayment(fields);
    // The sandbox explains a response without success like a rejection. The response's fields about the record stay.
    const explanation = explainMistakes(admission.route, admission.json, ran);
    const body = answerBody(gateway, { code }, fields, explanation);
    const { maskAnswer } = admission.route;
    const loggedBody = maskAnswer
      ? answerBody(gateway, { code }, maskAnswer(fields) as object, explanation)
      : body;
    return { code, body, loggedBody };
  } catch (error) {
    if (error instanceof TooManyWaiting) {
      const { client, json } = admission;
      const retryAfterSeconds = error.retryAfterMs / 1000;
      return {
        ...refuse("REQUEST_TRAFFIC_EXCEED_LIMIT"),
        client,
        authenticated: admission,
        json,
        retryAfterSeconds,
      };
    }
    if (error instanceof WrongCellError) {
      const { client, json } = admission;
      return { ...refuse("UNKNOWN_EXCEPTION"), client, authenticated: admission, json, retryAfterSeconds: 1 };
    }
    // The operation may have failed after the commit. The outcome is unknown, so the response must not be a final
    // failure.
    gateway.log.error({ err: error, requestId: arrival.requestId }, "The operation failed.");
    return refusalOutcome(gateway, refuse("UNKNOWN_EXCEPTION"));
  }
}

/**
 * The hint for an in-store merchant's request to an online operation: the path or the host is wrong, not a setting of
 * the client.
 */
function wrongPathHint(
  { target }: Arrival,
  { inStoreOnly, route }: Admission,
  { refused: code }: Refusal,
): { readonly hint?: string } {
  return inStoreOnly && code === "ACCESS_DENIED" ? { hint: onlineHint(target.sandbox, route) } : {};
}

function refusalOutcome(gateway: Gateway, refusal: Refusal, explanation: SandboxExplanation = {}): Outcome {
  const { adviceWhenRefused }: ResultMeaning = results[refusal.refused];
  const hint = explanation.problems ? undefined : adviceWhenRefused;
  const body = answerBody(
    gateway,
    { ...(hint !== undefined && { hint }), ...toRequestResult(refusal) },
    {},
    explanation,
  );
  return { code: refusal.refused, body, loggedBody: body };
}

/**
 * Sends a rejection, which is signed, too. Signing for unauthenticated clients is rate-limited, because it is costly.
 */
export async function rejectRequest(
  gateway: Gateway,
  arrival: Arrival,
  rejection: RejectedRequest,
): Promise<Reply> {
  const explanation = rejection.authenticated
    ? explainMistakes(rejection.authenticated.route, rejection.json, { refusal: rejection })
    : {};
  const { code, body } = refusalOutcome(gateway, rejection, explanation);
  const retryAfter = rejection.retryAfterSeconds && { "retry-after": String(rejection.retryAfterSeconds) };
  const signedHeaders = (
    rejection.authenticated
      ? isWorthSigning(gateway, rejection.authenticated, code)
      : mayBeSigned(gateway, arrival, code)
  )
    ? await signedReplyHeaders(gateway, arrival, await addresseeOf(gateway, arrival, rejection), body)
    : undefined;
  const isAuthenticated = rejection.authenticated !== undefined;
  const reply = { code, isAuthenticated, body, headers: { ...signedHeaders, ...retryAfter } };
  if (rejection.authenticated) countKeys(gateway, rejection.authenticated);
  // Rate-limited requests are not logged.
  if (rejection.authenticated && code !== "REQUEST_TRAFFIC_EXCEED_LIMIT")
    recordCall(gateway, arrival, rejection.authenticated, rejection.json, reply);
  if (rejection.invalidlySigned)
    recordUnauthenticatedCall(gateway, arrival, rejection.invalidlySigned, reply);
  return reply;
}

/**
 * Whether to sign a rejection of an authenticated client. The signature is most of the cost of a "retry later"
 * response, so load shedding omits it to leave more time for other requests. Client libraries accept this code
 * unsigned: it says nothing about money.
 */
function isWorthSigning({ limiter }: Gateway, { client }: AuthenticatedRequest, code: ResultCode): boolean {
  if (code !== "REQUEST_TRAFFIC_EXCEED_LIMIT") return true;
  return limiter.take(`${client.clientId} signed refusals`, signedFailures) === 0;
}

/**
 * Whether to sign a rejection of an unauthenticated client. A signature takes a token of the client's network, a token
 * of all networks, and a slot.
 */
export function mayBeSigned(gateway: Gateway, { network, slot }: Arrival, code: ResultCode): boolean {
  if (code === "REQUEST_TRAFFIC_EXCEED_LIMIT") return false;
  if (gateway.unauthenticatedLimiter.take(network, signedFailures) > 0) return false;
  return (
    gateway.unauthenticatedLimiter.take("all", signedFailuresInAll) === 0 && slot.take("unauthenticated")
  );
}

/**
 * The addressee of a response to an unauthenticated caller: the client id in the header, if well-formed. For an
 * existing client the pinned key version is used, so that the client can verify the rejection.
 */
async function addresseeOf(
  gateway: Gateway,
  arrival: Arrival,
  rejection: RejectedRequest,
): Promise<Addressee> {
  const [clientIdHeader = "", another] = arrival.headers.get("client-id") ?? [];
  const clientId = another === undefined && isWellFormedClientId(clientIdHeader) ? clientIdHeader : "";
  const client =
    rejection.client ?? (clientId ? await findNamedClient(gateway, arrival, clientId) : undefined);
  return { clientId, keyVersion: client?.gatewayKeyVersion ?? gateway.signer.newestVersion() };
}

async function findNamedClient(
  { clients }: Gateway,
  arrival: Arrival,
  clientId: string,
): Promise<ClientWithKeys | undefined> {
  const cachedClient = clients.findCached(clientId);
  const client =
    cachedClient ?? (await withinResponseDeadline(arrival, clients.lookUp(clientId)).catch(() => undefined));
  return typeof client === "object" ? client : undefined;
}

/** Counts the merchant key that signed the request, and the gateway key that signed the response. */
function countKeys({ keyUses, clock }: Gateway, { client, keyVersion }: AuthenticatedRequest): void {
  const { clientId, gatewayKeyVersion } = client;
  const at = clock.now();
  keyUses.add({ clientId, messageKind: "REQUEST", version: keyVersion, at });
  keyUses.add({ clientId, messageKind: "ANSWER", version: gatewayKeyVersion, at });
}
