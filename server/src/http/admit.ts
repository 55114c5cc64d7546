import { cardDataIn } from "../core/card-data.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { isForStores } from "../core/regional-host.ts";
import { isRefusal, refuse, type FrontDoorCode, type Refusal } from "../core/result.ts";
import { parseStrictJson, positionIn, type JsonValue } from "../core/strict-json.ts";
import { isUniverseId } from "../core/universe-id.ts";
import { isWellFormedClientId } from "../merchants/client.ts";
import { readSignatureHeader, type SignatureHeader } from "../signing/signature-header.ts";
import type { SignedParts } from "../signing/signed-text.ts";
import { signatureProblem, timeProblem } from "../signing/verify.ts";
import type { Tx } from "../postgres/sql.ts";
import { inAnswerTime, type Arrival } from "./arrival.ts";
import type { UnreadBody } from "./body-reader.ts";
import type { KnownClient } from "../merchants/client-directory.ts";
import { requestLaneOf, type Gateway, type Route } from "./gateway.ts";
import type { Visit } from "./overload.ts";
import { examineSignature } from "./signature-hint.ts";
import { pathHint, sandboxPathOf } from "./path-hint.ts";

/** A request from a caller who has proved who it is, for an operation that it may call. */
export interface Admission {
  readonly client: KnownClient;
  readonly keyVersion: number;
  readonly route: Route;
  readonly request: object;
  readonly inStoreOnly: boolean;
  readonly body: Buffer;
  readonly json: JsonValue;
  /** By the time that the caller signed. */
  readonly requestedAt: Date;
  /** Waits without holding a place of the concurrency limit. */
  readonly idle: Visit["idle"];
  /** A person at the console, in place of a merchant's system; writes the audit row of what was done. */
  readonly person?: {
    readonly organisation: string;
    readonly audit: (tx: Tx, done: object) => Promise<void>;
  };
}

/** What is certain once the signature holds: the caller is who it says it is. */
export type Proven = Pick<Admission, "client" | "keyVersion" | "route" | "body">;

/** An attempt in the name of a client, whose signature did not hold. Only what the doctor has looked into. */
export interface Unproven {
  readonly client: KnownClient;
  /** As the header says. */
  readonly keyVersion: number;
  readonly route: Route;
  readonly parts: SignedParts;
  /** What the doctor found. */
  readonly verdict: string | undefined;
}

/** A "no" of the front door, with as much of the caller as was known by then. */
export interface TurnedAway extends Refusal<FrontDoorCode> {
  readonly client?: KnownClient;
  readonly proven?: Proven;
  readonly unproven?: Unproven;
  /** The body, if it was JSON without card data, so that it may be written down. */
  readonly json?: JsonValue;
  readonly retryAfterSeconds?: number;
}

export const headersMax = 64;
export const bodyBytesMax = 256 * 1024;

/**
 * At most one of each: with duplicate headers two parsers could read different messages (request smuggling).
 */
const singleHeaders = ["signature", "client-id", "request-time", "host", "content-length"] as const;

/**
 * The front door: authentication, rate limit, validation. The order of checks is a promise
 * (docs/reference/front-door.md): cheap checks before costly ones, and no limit of a client's is charged
 * before its signature is verified.
 */
export async function admit(gateway: Gateway, arrival: Arrival): Promise<Admission | TurnedAway> {
  const { target } = arrival;
  const route = gateway.routes.get(target.operationPath ?? "");
  // A live process knows no sandbox address.
  if (!route || (target.sandbox && gateway.environment === "live")) {
    const hint = gateway.environment === "sandbox" ? { hint: pathHint(target.path) } : {};
    return away(refuse("NO_INTERFACE_DEF", hint));
  }
  if (arrival.method !== "POST") return away(refuse("METHOD_NOT_SUPPORTED", { hint: postOnly }));

  const malformed = mediaProblem(arrival) ?? headerProblem(arrival, gateway.docsUrl);
  if (malformed) return away(malformed);
  const header = signatureOf(arrival, gateway.docsUrl);
  if (isRefusal(header)) return away(header);
  // Load shedding: refused before its body is read and its signature verified, a rush costs others least.
  if (route.takesTurns && gateway.runner.turns.isFull(oneOf(arrival, "client-id"))) return later;
  const bytesMax = route.operation.bodyBytesMax ?? bodyBytesMax;
  // A body over the usual limit is read only for an existing client and key, never for a made-up client id.
  const isLarge = arrival.announcedBytes > bodyBytesMax && bytesMax > bodyBytesMax;
  if (isLarge) {
    const claimed = await claimedClient(gateway, arrival, header);
    if (isRefusal(claimed)) return claimed;
    if (!claimed.keys.has(header.keyVersion)) return away(noSuchKey(header), { client: claimed });
  }
  const body = await arrival.readBody(bytesMax);
  if (typeof body === "string") return bodyProblem(body, bytesMax);

  const client = await claimedClient(gateway, arrival, header);
  if (isRefusal(client)) return client;
  const forged = forgery(gateway, arrival, header, { client, route, body });
  if (forged) return forged;

  // Load shedding checked this on arrival; the last place may have been taken while the body came in.
  if (!arrival.visit.take(requestLaneOf(target.operationPath))) return later;
  return admitKnown(gateway, arrival, { client, keyVersion: header.keyVersion, route, body });
}

const later: TurnedAway = { ...refuse("REQUEST_TRAFFIC_EXCEED_LIMIT"), retryAfterSeconds: 1 };

export function bodyProblem(problem: UnreadBody, bytesMax: number): TurnedAway {
  if (problem === "no room") return later;
  const inCrumbs = "The body comes in too many small pieces.";
  const detail = problem === "in crumbs" ? inCrumbs : `The body is longer than ${bytesMax} bytes.`;
  return refuse("PARAM_ILLEGAL", { detail });
}

/** The client that the caller claims to be. On a cache miss the look-up takes a place among strangers. */
async function claimedClient(
  { clients }: Gateway,
  arrival: Arrival,
  { keyVersion }: SignatureHeader,
): Promise<KnownClient | TurnedAway> {
  const clientId = oneOf(arrival, "client-id");
  const remembered = clients.remembered(clientId, keyVersion);
  if (!remembered && !arrival.visit.take("strangers")) return later;
  // While the database hangs, look-ups queue up behind each other.
  const client = remembered ?? (await inAnswerTime(arrival, clients.lookUp(clientId, keyVersion)));
  if (client === "too many wait") return later;
  return client === "nobody" ? refuse("UNKNOWN_CLIENT", { ...clientHint(clientId) }) : client;
}

/**
 * The caller is authenticated: refused calls count against its rate limit, and it is told the whole reason.
 */
function admitKnown(gateway: Gateway, arrival: Arrival, proven: Proven): Admission | TurnedAway {
  const { client, route, body } = proven;
  const known = { client, proven };
  const retryAfterSeconds = overRate(gateway, proven);
  if (retryAfterSeconds > 0)
    return away(refuse("REQUEST_TRAFFIC_EXCEED_LIMIT"), { ...known, retryAfterSeconds });

  const requestTime = oneOf(arrival, "request-time");
  const late = lateness(requestTime, gateway.clock.now().getTime(), client);
  if (late) return away(late, known);
  const parsed = parseStrictJson(body);
  if ("problem" in parsed) return away(notJson(body, parsed), known);
  const card = cardDataIn(parsed.value, route.operation.request);
  if (card) return away(refuse("PARAM_ILLEGAL", { field: card, detail: cardRefused }), known);
  const readable = { ...known, json: parsed.value };
  const read = route.readRequest(parsed.value);
  if (!("request" in read)) return away(read, readable);

  if (client.status === "CLOSED")
    return away(refuse("INVALID_CLIENT_STATUS", { hint: closedHint }), readable);
  if (client.status !== "ACTIVE") return away(refuse("INVALID_CLIENT_STATUS"), readable);
  const forStores = isForStores(gateway.hosts, arrival.headers.get("host")?.[0] ?? "");
  const inStoreOnly = forStores || (gateway.environment === "sandbox" && !arrival.target.sandbox);
  if (inStoreOnly && !route.operation.inStore) {
    const detail = forStores ? storesOnly : sandboxPath;
    return away(refuse("ACCESS_DENIED", { detail, hint: onlineHint(forStores, route) }), readable);
  }
  const requestedAt = new Date(parseRequestTime(requestTime) ?? 0);
  const { idle } = arrival.visit;
  return { ...proven, request: read.request, inStoreOnly, json: parsed.value, requestedAt, idle };
}

/** The client's overall rate limit, in multiples of an operation's: no client calls all at full rate. */
export const fullOperations = 5;
/** A body costs one token of the rate limit for each of these, because parsing time grows with length. */
export const bytesPerCall = 4 * 1024;

/** Seconds until both token buckets, the operation's and the client's, allow the call; zero when they do. */
function overRate({ limiter }: Gateway, { client, route, body }: Proven): number {
  const { clientId, ratePerSecond, rateBurst: burst } = client;
  const wait = limiter.take(`${clientId} ${route.operation.path}`, { ratePerSecond, burst });
  if (wait > 0) return wait;
  const all = { ratePerSecond: ratePerSecond * fullOperations, burst: burst * fullOperations };
  return limiter.take(`${clientId} *`, all, Math.max(1, Math.ceil(body.length / bytesPerCall)));
}

export const cardRefused = "Card data is not taken here: let the buyer enter it on the payment page.";
const storesOnly = "This host serves payments in stores only.";
const sandboxPath = "In the sandbox this operation is under /ams/sandbox/api/.";
const postOnly = "Send it with POST. Browsers and forwarded redirects send GET.";

/** Where to go with an operation that only stores may call here. */
export function onlineHint(isHostForStores: boolean, { operation }: Pick<Route, "operation">): string {
  if (isHostForStores)
    return "Call the host of your region that serves online payments; GET /service lists them.";
  return `Send it to ${sandboxPathOf(operation.path)}: in the sandbox, the path without "sandbox" is for payments in stores.`;
}

/** Only the sandbox shows hints, so this speaks of its ids. */
function clientHint(clientId: string): { readonly hint?: string } {
  if (isUniverseId(clientId)) return { hint: sweptHint };
  if (clientId.startsWith(sandboxIds)) return {};
  const isCase = clientId.toUpperCase().startsWith(sandboxIds);
  const what = isCase ? "Client ids are written in capital letters" : "This is the sandbox";
  return {
    hint: `${what}: its client ids begin with ${sandboxIds}, and this one does not. Live ids and keys are for live.`,
  };
}

const sandboxIds = "SANDBOX_";
const closedHint = "This universe is closed, for good. Open another one: POST /sandbox/universes.";
const sweptHint =
  "This is the id of a universe that is not there any more. Open another one: POST /sandbox/universes.";

export function notJson(
  body: Buffer,
  { problem, at }: { readonly problem: string; readonly at: number },
): Refusal<"PARAM_ILLEGAL"> {
  const { line, column } = positionIn(body, at);
  return refuse("PARAM_ILLEGAL", {
    detail: problem,
    hint: `Look at line ${line}, column ${column} of the body.`,
  });
}

function away(refusal: Refusal<FrontDoorCode>, known: Omit<TurnedAway, keyof Refusal> = {}): TurnedAway {
  return { ...refusal, ...known };
}

export function mediaProblem(arrival: Arrival): Refusal<"MEDIA_TYPE_NOT_ACCEPTABLE"> | undefined {
  // One published library sends the header twice, with and without the charset; both say JSON.
  const types = arrival.headers.get("content-type") ?? [];
  const json = types.every((type) =>
    /^application\/json\s*(?:;\s*charset="?utf-?8"?\s*)?;?$/i.test(type.trim()),
  );
  const [encoding = "identity"] = arrival.headers.get("content-encoding") ?? [];
  if (!json) return refuse("MEDIA_TYPE_NOT_ACCEPTABLE", { field: "content-type", hint: mediaHint(types) });
  if (encoding === "identity") return undefined;
  return refuse("MEDIA_TYPE_NOT_ACCEPTABLE", { field: "content-encoding", hint: notCompressed });
}

function mediaHint(types: readonly string[]): string {
  const given = types.join(", ");
  // Answers are logged, so only what has the form of a media type is repeated.
  const shown = /^[\w./+-]{1,60}(?:; ?charset=[\w-]{1,20})?$/.test(given) ? `"${given}"` : "another one";
  return `The header Content-Type is ${shown}: send "application/json; charset=UTF-8".`;
}

const notCompressed = "Send the body without Content-Encoding: it must not be compressed.";

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
    if (oneOf(arrival, name) === "") {
      const hint = missingHint(arrival, docsUrl);
      return refuse("PARAM_ILLEGAL", { field: name, detail: `The header ${name} is missing.`, hint });
    }
  }
  if (!isWellFormedClientId(oneOf(arrival, "client-id"))) {
    return refuse("PARAM_ILLEGAL", { field: "client-id", detail: "The client id is malformed." });
  }
  return undefined;
}

/** How a request is signed, for a developer who sends one that is not. */
function missingHint({ headers }: Arrival, docsUrl: string): string {
  const noTokens = headers.has("authorization")
    ? "There are no bearer tokens or API keys: the header authorization is not read. "
    : "";
  return (
    `${noTokens}Send client-id, request-time and signature with every request. ` +
    "The last one has the form signature: algorithm=RSA256,keyVersion=1,signature=<base64, URL-encoded>. " +
    `Code to copy is on ${docsUrl}/signing.`
  );
}

function signatureOf(arrival: Arrival, docsUrl: string): SignatureHeader | Refusal<"PARAM_ILLEGAL"> {
  const header = readSignatureHeader(arrival.headers.get("signature") ?? []);
  if (typeof header !== "string") return header;
  const detail = {
    MISSING_SIGNATURE: "The header signature is missing.",
    MALFORMED_SIGNATURE: "The header signature has to read algorithm=RSA256,keyVersion=1,signature=….",
    UNSUPPORTED_ALGORITHM: "The algorithm has to be RSA256.",
  }[header];
  return refuse("PARAM_ILLEGAL", { field: "signature", detail, hint: missingHint(arrival, docsUrl) });
}

function forgery(
  gateway: Gateway,
  arrival: Arrival,
  header: SignatureHeader,
  { client, route, body }: Pick<Proven, "client" | "route" | "body">,
): TurnedAway | undefined {
  const parts = {
    method: arrival.method,
    path: arrival.target.signedPath,
    clientId: client.clientId,
    time: oneOf(arrival, "request-time"),
    body,
  };
  const problem = signatureProblem(header, client.keys, parts);
  if (!problem) return undefined;
  const { hint, isExamined, verdict } = examineSignature(gateway, arrival, {
    header,
    client,
    parts,
    problem,
  });
  const { keyVersion } = header;
  const known = { client, ...(isExamined && { unproven: { client, keyVersion, route, parts, verdict } }) };
  if (problem === "UNKNOWN_KEY_VERSION") return away(noSuchKey(header, hint), known);
  return away(refuse("INVALID_SIGNATURE", { field: "signature", ...(hint && { hint }) }), known);
}

function noSuchKey({ keyVersion }: SignatureHeader, hint?: string): Refusal<"KEY_NOT_FOUND"> {
  const detail = `This client has no key of version ${keyVersion}.`;
  return refuse("KEY_NOT_FOUND", { field: "signature", detail, ...(hint && { hint }) });
}

function lateness(text: string, nowMs: number, client: KnownClient): Refusal<"PARAM_ILLEGAL"> | undefined {
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
  const by = `${Math.round(Math.abs(aheadMs) / 1000)} seconds ${aheadMs > 0 ? "ahead of" : "behind"}`;
  const detail = `The request time is ${by} our clock; up to ${timeToleranceSeconds} seconds are allowed.`;
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  const hint = `It is off by ${seconds} s, where ${timeToleranceSeconds} s are allowed: set your clock, and sign when you send.`;
  return refuse("PARAM_ILLEGAL", { field, detail, hint });
}

function oneOf(arrival: Arrival, name: string): string {
  return arrival.headers.get(name)?.[0] ?? "";
}
