import { findCardData } from "../../core/card-data.ts";
import { parseRequestTime } from "../../core/request-time.ts";
import { isInStoreHost } from "../../core/regional-host.ts";
import { isRefusal, refuse, type RequestValidationCode, type Refusal } from "../../core/result.ts";
import { parseStrictJson, lineAndColumn, type JsonValue } from "../../core/strict-json.ts";
import { isUniverseId } from "../../core/universe-id.ts";
import { isWellFormedClientId } from "../../merchants/client.ts";
import { readSignatureHeader, type SignatureHeader } from "../../signing/signature-header.ts";
import type { SignedParts } from "../../signing/signed-text.ts";
import { signatureProblem, timeProblem } from "../../signing/verify-signature.ts";
import type { Tx } from "../../postgres/sql.ts";
import { withinResponseDeadline, type Arrival } from "./arrival.ts";
import type { UnreadBody } from "./body-reader.ts";
import type { ClientWithKeys } from "../../merchants/client-directory.ts";
import { requestQueueOf, type Gateway, type Route } from "./gateway.ts";
import type { RequestSlot } from "../limits/overload-guard.ts";
import { explainInvalidSignature } from "./signature-hint.ts";
import { pathHint, sandboxPathOf } from "./path-hint.ts";

/** An admitted request: it comes from an authenticated caller, and is for an operation that the caller may use. */
export interface Admission {
  readonly client: ClientWithKeys;
  readonly keyVersion: number;
  readonly route: Route;
  readonly request: object;
  readonly inStoreOnly: boolean;
  readonly body: Buffer;
  readonly json: JsonValue;
  /** The request time that the caller signed. */
  readonly requestedAt: Date;
  /** Waits for a promise without a slot of the concurrency limit. */
  readonly idle: RequestSlot["idle"];
  /**
   * The person, if a console user sends the request instead of a merchant's system. `audit` writes the audit row of the
   * act.
   */
  readonly person?: {
    readonly organisation: string;
    readonly audit: (tx: Tx, done: object) => Promise<void>;
  };
}

/** Facts that are certain after the signature is verified. */
export type AuthenticatedRequest = Pick<Admission, "client" | "keyVersion" | "route" | "body">;

/** A request in the name of a client with an invalid signature. Recorded only if the signature diagnosis ran. */
export interface InvalidlySignedRequest {
  readonly client: ClientWithKeys;
  /** The key version in the header. */
  readonly keyVersion: number;
  readonly route: Route;
  readonly parts: SignedParts;
  /** The result of the signature diagnosis. */
  readonly verdict: string | undefined;
}

/** A rejection by the request validation, with what was known of the caller by then. */
export interface RejectedRequest extends Refusal<RequestValidationCode> {
  readonly client?: ClientWithKeys;
  readonly authenticated?: AuthenticatedRequest;
  readonly invalidlySigned?: InvalidlySignedRequest;
  /** The body for the request log, if the body is JSON without card data. */
  readonly json?: JsonValue;
  readonly retryAfterSeconds?: number;
}

export const headersMax = 64;
export const bodyBytesMax = 256 * 1024;

/** Headers that may occur only once: with duplicates two parsers could read different messages (request smuggling). */
const singleHeaders = ["signature", "client-id", "request-time", "host", "content-length"] as const;

/**
 * `admit` runs authentication, rate limits and validation. The order of checks is documented
 * (docs/reference/request-validation.md). Cheap checks come before costly ones, and a client's rate limit is charged only after
 * its signature is verified.
 */
export async function admit(gateway: Gateway, arrival: Arrival): Promise<Admission | RejectedRequest> {
  const { target } = arrival;
  const route = gateway.routes.get(target.operationPath ?? "");
  // A live process rejects sandbox paths.
  if (!route || (target.sandbox && gateway.environment === "live")) {
    const hint = gateway.environment === "sandbox" ? { hint: pathHint(target.path) } : {};
    return rejection(refuse("NO_INTERFACE_DEF", hint));
  }
  if (arrival.method !== "POST") return rejection(refuse("METHOD_NOT_SUPPORTED", { hint: postOnlyHint }));

  const malformed = mediaProblem(arrival) ?? headerProblem(arrival, gateway.docsUrl);
  if (malformed) return rejection(malformed);
  const header = parseSignature(arrival, gateway.docsUrl);
  if (isRefusal(header)) return rejection(header);
  // Load shedding: the request is rejected before its body is read and its signature verified, so a traffic spike costs
  // other merchants least.
  if (route.isQueuedPerMerchant && gateway.runner.merchantQueues.isFull(headerValue(arrival, "client-id")))
    return retryLater;
  const bytesMax = route.operation.bodyBytesMax ?? bodyBytesMax;
  // The gateway reads a body above the usual limit only for an existing client and key version.
  const isLarge = arrival.announcedBytes > bodyBytesMax && bytesMax > bodyBytesMax;
  if (isLarge) {
    const claimedClient = await findClaimedClient(gateway, arrival, header);
    if (isRefusal(claimedClient)) return claimedClient;
    if (!claimedClient.keys.has(header.keyVersion))
      return rejection(keyNotFound(header), { client: claimedClient });
  }
  const body = await arrival.readBody(bytesMax);
  if (typeof body === "string") return bodyProblem(body, bytesMax);

  const client = await findClaimedClient(gateway, arrival, header);
  if (isRefusal(client)) return client;
  const refusal = signatureRefusal(gateway, arrival, header, { client, route, body });
  if (refusal) return refusal;

  // Load shedding checked the slots on arrival, but another request may have taken the last slot while the body was
  // read.
  if (!arrival.slot.take(requestQueueOf(target.operationPath))) return retryLater;
  return admitAuthenticated(gateway, arrival, { client, keyVersion: header.keyVersion, route, body });
}

const retryLater: RejectedRequest = { ...refuse("REQUEST_TRAFFIC_EXCEED_LIMIT"), retryAfterSeconds: 1 };

export function bodyProblem(problem: UnreadBody, bytesMax: number): RejectedRequest {
  if (problem === "no room") return retryLater;
  const inTinyChunks = "The body comes in too many small pieces.";
  const detail = problem === "in tiny chunks" ? inTinyChunks : `The body is longer than ${bytesMax} bytes.`;
  return refuse("PARAM_ILLEGAL", { detail });
}

/**
 * The client that the caller claims to be. If the client is not in the cache, the look-up takes a slot for
 * unauthenticated clients.
 */
async function findClaimedClient(
  { clients }: Gateway,
  arrival: Arrival,
  { keyVersion }: SignatureHeader,
): Promise<ClientWithKeys | RejectedRequest> {
  const clientId = headerValue(arrival, "client-id");
  const cachedClient = clients.findCached(clientId, keyVersion);
  if (!cachedClient && !arrival.slot.take("unauthenticated")) return retryLater;
  // While the database hangs, look-ups queue up, so each look-up has a limit of time.
  const client =
    cachedClient ?? (await withinResponseDeadline(arrival, clients.lookUp(clientId, keyVersion)));
  if (client === "too many wait") return retryLater;
  return client === "unknown-client" ? refuse("UNKNOWN_CLIENT", { ...clientHint(clientId) }) : client;
}

/**
 * Admits a request of an authenticated caller. A rejected request counts against the client's rate limit, and the
 * rejection gives the full reason.
 */
function admitAuthenticated(
  gateway: Gateway,
  arrival: Arrival,
  authenticated: AuthenticatedRequest,
): Admission | RejectedRequest {
  const { client, route, body } = authenticated;
  const context = { client, authenticated };
  const retryAfterSeconds = rateLimitWaitSeconds(gateway, authenticated);
  if (retryAfterSeconds > 0)
    return rejection(refuse("REQUEST_TRAFFIC_EXCEED_LIMIT"), { ...context, retryAfterSeconds });

  const requestTime = headerValue(arrival, "request-time");
  const timeRefusal = requestTimeRefusal(requestTime, gateway.clock.now().getTime(), client);
  if (timeRefusal) return rejection(timeRefusal, context);
  const parsed = parseStrictJson(body);
  if ("problem" in parsed) return rejection(invalidJsonRefusal(body, parsed), context);
  const card = findCardData(parsed.value, route.operation.request);
  if (card) return rejection(refuse("PARAM_ILLEGAL", { field: card, detail: cardDataDetail }), context);
  const readable = { ...context, json: parsed.value };
  const read = route.readRequest(parsed.value);
  if (!("request" in read)) return rejection(read, readable);

  if (client.status === "CLOSED")
    return rejection(refuse("INVALID_CLIENT_STATUS", { hint: closedHint }), readable);
  if (client.status !== "ACTIVE") return rejection(refuse("INVALID_CLIENT_STATUS"), readable);
  const forStores = isInStoreHost(gateway.hosts, arrival.headers.get("host")?.[0] ?? "");
  const inStoreOnly = forStores || (gateway.environment === "sandbox" && !arrival.target.sandbox);
  if (inStoreOnly && !route.operation.inStore) {
    const detail = forStores ? inStoreHostDetail : sandboxPathDetail;
    return rejection(refuse("ACCESS_DENIED", { detail, hint: onlineHint(forStores, route) }), readable);
  }
  const requestedAt = new Date(parseRequestTime(requestTime) ?? 0);
  const { idle } = arrival.slot;
  return { ...authenticated, request: read.request, inStoreOnly, json: parsed.value, requestedAt, idle };
}

/** The client's overall rate limit, as a multiple of the rate limit of one operation. */
export const clientRateFactor = 5;
/** A body costs one token of the rate limit for each 4 KiB, because parsing time grows with length. */
export const bytesPerRateToken = 4 * 1024;

/** Seconds until both token buckets, the operation's and the client's, allow the request; zero if they allow it now. */
function rateLimitWaitSeconds({ limiter }: Gateway, { client, route, body }: AuthenticatedRequest): number {
  const { clientId, ratePerSecond, rateBurst: burst } = client;
  const wait = limiter.take(`${clientId} ${route.operation.path}`, { ratePerSecond, burst });
  if (wait > 0) return wait;
  const all = { ratePerSecond: ratePerSecond * clientRateFactor, burst: burst * clientRateFactor };
  return limiter.take(`${clientId} *`, all, Math.max(1, Math.ceil(body.length / bytesPerRateToken)));
}

export const cardDataDetail = "Card data is not taken here: let the buyer enter it on the payment page.";
const inStoreHostDetail = "This host serves payments in stores only.";
const sandboxPathDetail = "In the sandbox this operation is under /ams/sandbox/api/.";
const postOnlyHint = "Send it with POST. Browsers and forwarded redirects send GET.";

/** The hint with the right address for an operation that in-store payments do not use. */
export function onlineHint(isHostForStores: boolean, { operation }: Pick<Route, "operation">): string {
  if (isHostForStores)
    return "Call the host of your region that serves online payments; GET /service lists them.";
  return `Send it to ${sandboxPathOf(operation.path)}: in the sandbox, the path without "sandbox" is for payments in stores.`;
}

/** The hint for an unknown client id. Only the sandbox sends hints, so the text names the sandbox's client ids. */
function clientHint(clientId: string): { readonly hint?: string } {
  if (isUniverseId(clientId)) return { hint: sweptHint };
  if (clientId.startsWith(sandboxIdPrefix)) return {};
  const isCase = clientId.toUpperCase().startsWith(sandboxIdPrefix);
  const reason = isCase ? "Client ids are written in capital letters" : "This is the sandbox";
  return {
    hint: `${reason}: its client ids begin with ${sandboxIdPrefix}, and this one does not. Live ids and keys are for live.`,
  };
}

const sandboxIdPrefix = "SANDBOX_";
const closedHint =
  "This isolated test merchant is closed permanently. Open another one with `POST /sandbox/universes`.";
const sweptHint =
  "This isolated test merchant no longer exists. Open another one with `POST /sandbox/universes`.";

export function invalidJsonRefusal(
  body: Buffer,
  { problem, at }: { readonly problem: string; readonly at: number },
): Refusal<"PARAM_ILLEGAL"> {
  const { line, column } = lineAndColumn(body, at);
  return refuse("PARAM_ILLEGAL", {
    detail: problem,
    hint: `Look at line ${line}, column ${column} of the body.`,
  });
}

function rejection(
  refusal: Refusal<RequestValidationCode>,
  context: Omit<RejectedRequest, keyof Refusal> = {},
): RejectedRequest {
  return { ...refusal, ...context };
}

export function mediaProblem(arrival: Arrival): Refusal<"MEDIA_TYPE_NOT_ACCEPTABLE"> | undefined {
  // One published client library sends `content-type` twice, with and without the charset. Both values mean JSON.
  const types = arrival.headers.get("content-type") ?? [];
  const json = types.every((type) =>
    /^application\/json\s*(?:;\s*charset="?utf-?8"?\s*)?;?$/i.test(type.trim()),
  );
  const [encoding = "identity"] = arrival.headers.get("content-encoding") ?? [];
  if (!json) return refuse("MEDIA_TYPE_NOT_ACCEPTABLE", { field: "content-type", hint: mediaHint(types) });
  if (encoding === "identity") return undefined;
  return refuse("MEDIA_TYPE_NOT_ACCEPTABLE", { field: "content-encoding", hint: compressionHint });
}

function mediaHint(types: readonly string[]): string {
  const givenTypes = types.join(", ");
  // Responses are logged, so the hint repeats a value only if it has the form of a media type.
  const shownTypes = /^[\w./+-]{1,60}(?:; ?charset=[\w-]{1,20})?$/.test(givenTypes)
    ? `"${givenTypes}"`
    : "another one";
  return `The header Content-Type is ${shownTypes}: send "application/json; charset=UTF-8".`;
}

const compressionHint = "Send the body without Content-Encoding: it must not be compressed.";

function headerProblem(arrival: Arrival, docsUrl: string): Refusal<"PARAM_ILLEGAL"> | undefined {
  if (arrival.headerCount > headersMax) {
    return refuse("PARAM_ILLEGAL", { detail: `There are more than ${headersMax} headers.` });
  }
  for (const name of singleHeaders) {
    if ((arrival.headers.get(name)?.length ?? 0) > 1) {
      return refuse("PARAM_ILLEGAL", { field: name, detail: `The header ${name} stands twice.` });
    }
  }
  for (const name of ["client-id", "request-time"]) {
    if (headerValue(arrival, name) === "") {
      const hint = signingHint(arrival, docsUrl);
      return refuse("PARAM_ILLEGAL", { field: name, detail: `The header ${name} is missing.`, hint });
    }
  }
  if (!isWellFormedClientId(headerValue(arrival, "client-id"))) {
    return refuse("PARAM_ILLEGAL", { field: "client-id", detail: "The client id is malformed." });
  }
  return undefined;
}

/** The hint that explains how to sign a request, for a developer who sends an unsigned one. */
function signingHint({ headers }: Arrival, docsUrl: string): string {
  const noTokens = headers.has("authorization")
    ? "There are no bearer tokens or API keys: the header authorization is not read. "
    : "";
  return (
    `${noTokens}Send client-id, request-time and signature with every request. ` +
    "The last one has the form signature: algorithm=RSA256,keyVersion=1,signature=<base64, URL-encoded>. " +
    `Code to copy is on ${docsUrl}/signing.`
  );
}

function parseSignature(arrival: Arrival, docsUrl: string): SignatureHeader | Refusal<"PARAM_ILLEGAL"> {
  const header = readSignatureHeader(arrival.headers.get("signature") ?? []);
  if (typeof header !== "string") return header;
  const detail = {
    MISSING_SIGNATURE: "The header signature is missing.",
    MALFORMED_SIGNATURE: "The header signature has to read algorithm=RSA256,keyVersion=1,signature=….",
    UNSUPPORTED_ALGORITHM: "The algorithm has to be RSA256.",
  }[header];
  return refuse("PARAM_ILLEGAL", { field: "signature", detail, hint: signingHint(arrival, docsUrl) });
}

function signatureRefusal(
  gateway: Gateway,
  arrival: Arrival,
  header: SignatureHeader,
  { client, route, body }: Pick<AuthenticatedRequest, "client" | "route" | "body">,
): RejectedRequest | undefined {
  const parts = {
    method: arrival.method,
    path: arrival.target.signedPath,
    clientId: client.clientId,
    time: headerValue(arrival, "request-time"),
    body,
  };
  const problem = signatureProblem(header, client.keys, parts);
  if (!problem) return undefined;
  const { hint, isExamined, verdict } = explainInvalidSignature(gateway, arrival, {
    header,
    client,
    parts,
    problem,
  });
  const { keyVersion } = header;
  const context = {
    client,
    ...(isExamined && { invalidlySigned: { client, keyVersion, route, parts, verdict } }),
  };
  if (problem === "UNKNOWN_KEY_VERSION") return rejection(keyNotFound(header, hint), context);
  return rejection(refuse("INVALID_SIGNATURE", { field: "signature", ...(hint && { hint }) }), context);
}

function keyNotFound({ keyVersion }: SignatureHeader, hint?: string): Refusal<"KEY_NOT_FOUND"> {
  const detail = `This client has no key of version ${keyVersion}.`;
  return refuse("KEY_NOT_FOUND", { field: "signature", detail, ...(hint && { hint }) });
}

function requestTimeRefusal(
  text: string,
  nowMs: number,
  client: ClientWithKeys,
): Refusal<"PARAM_ILLEGAL"> | undefined {
  const { timeToleranceSeconds } = client;
  const problem = timeProblem(text, nowMs, timeToleranceSeconds);
  if (!problem) return undefined;
  const field = "request-time";
  if (problem === "BAD_TIME") {
    const detail = "The request time has to be milliseconds since 1970, or ISO 8601 with an offset.";
    const hint = /^\d{10}$/.test(text) ? `${text} is in seconds: write ${text}000.` : undefined;
    return refuse("PARAM_ILLEGAL", { field, detail, ...(hint !== undefined && { hint }) });
  }
  const aheadMs = (parseRequestTime(text) ?? 0) - nowMs;
  const difference = `${Math.round(Math.abs(aheadMs) / 1000)} seconds ${aheadMs > 0 ? "ahead of" : "behind"}`;
  const detail = `The request time is ${difference} our clock; up to ${timeToleranceSeconds} seconds are allowed.`;
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  const hint = `It is off by ${seconds} s, where ${timeToleranceSeconds} s are allowed: set your clock, and sign when you send.`;
  return refuse("PARAM_ILLEGAL", { field, detail, hint });
}

function headerValue(arrival: Arrival, name: string): string {
  return arrival.headers.get(name)?.[0] ?? "";
}
