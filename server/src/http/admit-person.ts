import type { TSchema } from "typebox";
import { actRequest } from "../api/act-request.ts";
import { cardDataIn } from "../core/card-data.ts";
import type { Refusal } from "../core/result.ts";
import { parseStrictJson, type JsonObject, type JsonValue } from "../core/strict-json.ts";
import { newcomer, type KnownClient } from "../merchants/client-directory.ts";
import { isWellFormedClientId } from "../merchants/client.ts";
import { turnDown, type ConsoleRefusal } from "../people/console-result.ts";
import {
  isTokenProblem,
  readPersonToken,
  type PersonToken,
  type TokenProblem,
} from "../people/person-token.ts";
import { decideRight, type PersonKind, type Right } from "../people/role.ts";
import { isConfirmed, needsSecondPerson, type AskedAct } from "../people/second-person.ts";
import { bodyBytesMax, bodyProblem, cardRefused, headersMax, mediaProblem, notJson } from "./admit.ts";
import type { Arrival } from "./arrival.ts";
import type { ActRoute, ConsoleDoor, ConsoleRoute, ServedStaffRoute, ViewRoute } from "./console-door.ts";

/** A request of a person who has the right to it, for a merchant that it may act for. */
export interface PersonAdmission<Route = ViewRoute | ActRoute> extends Read {
  readonly person: PersonToken;
  readonly client: KnownClient;
  readonly route: Route;
}

/** A request of staff, which is about no one merchant. */
export interface StaffAdmission extends Read {
  readonly person: PersonToken;
  readonly route: ServedStaffRoute;
}

interface Read {
  readonly request: object;
  readonly json: JsonObject;
  readonly body: Buffer;
}

/** Rate limit of one person, whatever pages it has open. */
const personRate = { ratePerSecond: 20, burst: 100 };

const later: ConsoleRefusal = { ...turnDown("REQUEST_TRAFFIC_EXCEED_LIMIT"), retryAfterSeconds: 1 };

/**
 * The second front door: origin, token, right, merchant, request, in this order. Cheap checks come before costly ones, and a person
 * without the right is not told what a merchant has.
 */
export async function admitPerson(
  door: ConsoleDoor,
  arrival: Arrival,
): Promise<PersonAdmission | StaffAdmission | (ConsoleRefusal & { readonly person?: PersonToken })> {
  const route = door.routes.get(arrival.target.path.replace(/^\/console\//, ""));
  if (!route) return turnDown("NO_INTERFACE_DEF", "There is no such view or act.");
  if (arrival.method !== "POST")
    return turnDown("METHOD_NOT_SUPPORTED", "Views and acts are called with POST.");
  if (!originsFor(door).includes(originOf(arrival))) return turnDown("ORIGIN_NOT_ALLOWED");
  if (arrival.headerCount > headersMax) return turnDown("PARAM_ILLEGAL", "There are too many headers.");
  const media = mediaProblem(arrival);
  if (media) return fromApi(media);
  // Load shedding: people wait first, and payments last.
  if (door.gateway.guard.overloaded() || !arrival.visit.take("people")) return later;

  const person = tokenOf(door, arrival);
  if ("refused" in person) return person;
  if (!originsFor(door, person.kind).includes(originOf(arrival)))
    return { ...turnDown("ORIGIN_NOT_ALLOWED", elsewhere[person.kind]), person };
  const retryAfterSeconds = door.limiter.take(person.sub, personRate);
  if (retryAfterSeconds > 0) return { ...later, retryAfterSeconds, person };
  const missing = rightMissing(door, person, route);
  if (missing) return { ...missing, person };
  const spent = (): ConsoleRefusal & { readonly person: PersonToken } => ({
    ...turnDown("TOKEN_USED"),
    person,
  });
  if ("run" in route) {
    const read = await readBody(arrival, route);
    if ("refused" in read) return { ...read, person };
    const asked = { act: route.path, place: person.organisation, request: read.json };
    if (!route.acts) return { person, route, ...read };
    const actor = withConfirmationOf(person, route.right, asked);
    const isNeeded =
      route.needsApproval(read.request) || needsSecondPerson(door.secondPerson, route.right, asked.request);
    if (isNeeded && !actor.confirmed) return { ...turnDown("SECOND_PERSON_NEEDED"), person };
    return door.spent.spend(person) ? { person: actor, route, ...read } : spent();
  }
  const client = await clientOf(door, arrival, person, opensClient(route));
  if ("refused" in client) return { ...client, person };
  const read = await readBody(arrival, route);
  if ("refused" in read) return { ...read, person };

  const admitted = { person, client, route, ...read };
  if (!("act" in route)) return admitted;
  const asked = { act: route.act.name, place: client.clientId, request: read.json["request"] ?? {} };
  const actor = withConfirmationOf(person, route.right, asked);
  if (needsSecondPerson(door.secondPerson, route.right, asked.request) && !actor.confirmed)
    return { ...turnDown("SECOND_PERSON_NEEDED"), person };
  if (client.status !== "ACTIVE") return { ...turnDown("INVALID_CLIENT_STATUS"), person };
  return door.spent.spend(person) ? { ...admitted, person: actor } : spent();
}

/** Browsers say where a page came from with every POST; what does not say it is no page of ours. */
function originOf({ headers }: Arrival): string {
  const [origin = "", ...others] = headers.get("origin") ?? [];
  return others.length === 0 ? origin : "";
}

/** Staff have pages of their own: what could be done to a page of the portal reaches nobody who sees all merchants. */
export function originsFor({ origins, staff }: ConsoleDoor, kind?: PersonKind): readonly string[] {
  if (kind === "staff") return staff.origins;
  return kind === "merchant" ? origins : [...origins, ...staff.origins];
}

const elsewhere: Readonly<Record<PersonKind, string>> = {
  staff: "Staff work in the operator's console, and not in the portal.",
  merchant: "Merchants' people work in the portal, and nowhere else.",
};

/** The person that the token vouches for. Guesses are counted by network, as forged signatures are. */
function tokenOf(door: ConsoleDoor, { headers, network }: Arrival): PersonToken | ConsoleRefusal {
  const { forgers, audience, keys, gateway } = door;
  if (!forgers.mayTry(network)) return later;
  const [authorization = "", ...others] = headers.get("authorization") ?? [];
  const text = /^Bearer (\S+)$/.exec(authorization)?.[1];
  if (text === undefined || others.length > 0)
    return turnDown("TOKEN_INVALID", "Send the token of accounts: Authorization: Bearer …");
  const nowMs = gateway.clock.now().getTime();
  const token = readPersonToken(text, { audience, keys: keys(), nowMs });
  if (!isTokenProblem(token)) return token;
  if (token !== "expired") forgers.failed(network);
  return turnDown("TOKEN_INVALID", tokenProblems[token]);
}

const tokenProblems: Readonly<Record<TokenProblem, string>> = {
  malformed: "The token is malformed.",
  "unknown key": "The token is signed with a key that is not configured here.",
  forged: "The token's signature does not hold.",
  "other audience": "The token is for another environment.",
  "too long-lived": "The token lives longer than a minute.",
  expired: "The token has expired.",
};

function rightMissing(
  { gateway: { environment, clock } }: ConsoleDoor,
  person: PersonToken,
  route: ConsoleRoute,
): ConsoleRefusal | undefined {
  // A right that a merchant's people have is one about their own merchant; these routes are about all.
  if ("run" in route && person.kind !== "staff") return turnDown("RIGHT_MISSING");
  const verdict = decideRight(person, route.right, { environment, nowMs: clock.now().getTime() });
  if (verdict === "allowed") return undefined;
  return turnDown(verdict === "step up" ? "STEP_UP_REQUIRED" : "RIGHT_MISSING");
}

/** The person with the confirmation of its token if that covers this act, with this content, in this place; without it otherwise. */
function withConfirmationOf(person: PersonToken, right: Right, asked: AskedAct): PersonToken {
  if (isConfirmed(person, right, asked)) return person;
  const { confirmed: _unused, ...others } = person;
  return others;
}

/**
 * The merchant that the header `client-id` names, or the only one that the person has. A merchant's person who names another is told
 * what it is told of one that does not exist.
 */
async function clientOf(
  { gateway: { clients } }: ConsoleDoor,
  { headers }: Arrival,
  { kind, clientIds }: PersonToken,
  mayBeNew: boolean,
): Promise<KnownClient | ConsoleRefusal> {
  const [named, ...others] = headers.get("client-id") ?? [];
  const clientId = named ?? (clientIds.length === 1 ? clientIds[0] : undefined);
  if (clientId === undefined || others.length > 0)
    return { ...turnDown("PARAM_ILLEGAL", "Name one merchant in the header client-id."), field: "client-id" };
  const isOwn = clientIds.includes(clientId);
  const mayAsk = isOwn || (kind === "staff" && isWellFormedClientId(clientId));
  const known = mayAsk ? await clients.find(clientId) : undefined;
  if (!known && isOwn && mayBeNew) return newcomer(clientId);
  return known ?? turnDown("UNKNOWN_CLIENT");
}

function opensClient(route: ConsoleRoute): boolean {
  return "act" in route && route.act.opensClient;
}

async function readBody(arrival: Arrival, route: ConsoleRoute): Promise<Read | ConsoleRefusal> {
  const bytesMax = "act" in route ? (route.act.operation.bodyBytesMax ?? bodyBytesMax) : bodyBytesMax;
  const body = await arrival.readBody(bytesMax);
  if (typeof body === "string") return fromApi(bodyProblem(body, bytesMax));
  const parsed = parseStrictJson(body);
  if ("problem" in parsed) return fromApi(notJson(body, parsed));
  const declared = declaredBy(route);
  const card = cardDataIn(parsed.value, declared);
  if (card) return { ...turnDown("PARAM_ILLEGAL", cardRefused), field: card };
  const read = route.readRequest(parsed.value);
  if (!("request" in read)) return fromApi(read);
  return { request: read.request, json: asObject(parsed.value), body };
}

function declaredBy(route: ConsoleRoute): TSchema {
  if ("run" in route) return route.request;
  return "act" in route ? actRequest(route.act) : route.view.request;
}

/** What fits an object schema is an object. */
function asObject(value: JsonValue): JsonObject {
  return value as JsonObject;
}

/** A refusal that the first front door gives as well. */
function fromApi(refusal: Refusal & { readonly retryAfterSeconds?: number }): ConsoleRefusal {
  const { refused, detail, field, retryAfterSeconds } = refusal;
  return {
    ...turnDown(refused, detail),
    ...(field !== undefined && { field }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}
