import { findCardData } from "../../core/card-data.ts";
import type { Refusal } from "../../core/result.ts";
import { parseStrictJson, type JsonObject, type JsonValue } from "../../core/strict-json.ts";
import { consoleRefusal, type ConsoleRefusal } from "../../people/console-result.ts";
import {
  isTokenProblem,
  readPersonToken,
  type PersonToken,
  type TokenProblem,
} from "../../people/person-token.ts";
import { decidePermission, type PersonKind, type Permission } from "../../people/role.ts";
import { isConfirmed, type ApprovalRequest } from "../../people/approval-rules.ts";
import {
  bodyProblem,
  cardDataDetail,
  headersMax,
  mediaProblem,
  invalidJsonRefusal,
} from "../merchant-api/admit.ts";
import type { Arrival } from "../merchant-api/arrival.ts";
import type { PeopleEndpoint, PersonRoute } from "./people-endpoint.ts";

/** A person with a valid token, whose role has the permission for the route. The request's body is not read yet. */
export interface IdentifiedPerson<Route> {
  readonly person: PersonToken;
  readonly route: Route;
}

/** A request body that is valid for its route. */
export interface ValidatedBody {
  readonly request: object;
  readonly json: JsonObject;
  readonly body: Buffer;
}

/** A rejection of a person's request, with the person if the token was valid. */
export type PersonRefusal = ConsoleRefusal & { readonly person?: PersonToken };

/** Rate limit of one person, for all pages that the person has open. */
const personRate = { ratePerSecond: 20, burst: 100 };

const retryLater: ConsoleRefusal = {
  ...consoleRefusal("REQUEST_TRAFFIC_EXCEED_LIMIT"),
  retryAfterSeconds: 1,
};

/**
 * `identifyPerson` checks origin, token and permission, in this order, by headers alone. Cheap checks come before
 * costly ones, and no byte of the body is read before the token is verified.
 */
export function identifyPerson<Route extends PersonRoute>(
  endpoint: PeopleEndpoint<Route>,
  arrival: Arrival,
): IdentifiedPerson<Route> | PersonRefusal {
  const route = endpoint.routes.get(arrival.target.path.replace(/^\/console\//, ""));
  if (!route) return consoleRefusal("NO_INTERFACE_DEF", "This view or act does not exist.");
  if (arrival.method !== "POST")
    return consoleRefusal("METHOD_NOT_SUPPORTED", "Views and acts are called with POST.");
  if (!endpoint.origins.includes(originOf(arrival)))
    return { ...consoleRefusal("ORIGIN_NOT_ALLOWED"), hint: originHints[endpoint.kind] };
  if (arrival.headerCount > headersMax) return consoleRefusal("PARAM_ILLEGAL", "There are too many headers.");
  const media = mediaProblem(arrival);
  if (media) return toConsoleRefusal(media);
  // Load shedding: people's requests are rejected first, payments last.
  if (endpoint.gateway.guard.isOverloaded() || !arrival.slot.take("people")) return retryLater;

  const person = authenticatePerson(endpoint, arrival);
  if ("refused" in person) return person;
  if (person.kind !== endpoint.kind) return { ...wrongKindRefusals[person.kind], person };
  const retryAfterSeconds = endpoint.limiter.take(person.sub, personRate);
  if (retryAfterSeconds > 0) return { ...retryLater, retryAfterSeconds, person };
  const missing = permissionRefusal(endpoint, person, route.permission);
  return missing ? { ...missing, person } : { person, route };
}

/**
 * The origin of a request. Browsers send the origin with every POST, so a request without an origin does not come from
 * our pages.
 */
function originOf({ headers }: Arrival): string {
  const [origin = "", ...others] = headers.get("origin") ?? [];
  return others.length === 0 ? origin : "";
}

/** The setting that lists the origins of the pages, by the kind of person that uses them. */
const originHints: Readonly<Record<PersonKind, string>> = {
  staff: "If the page is the operator console, add its origin to TOLLGATE_STAFF_ORIGINS.",
  merchant: "If the page is the portal, add its origin to TOLLGATE_CONSOLE_ORIGINS.",
};

/** The rejection of a valid token at the API for the other kind of person. The origin is not the cause. */
const wrongKindRefusals: Readonly<Record<PersonKind, ConsoleRefusal>> = {
  staff: {
    ...consoleRefusal("ORIGIN_NOT_ALLOWED", "The token of staff is not accepted by the API of the portal."),
    hint: "Use the pages of the operator console instead.",
  },
  merchant: {
    ...consoleRefusal(
      "ORIGIN_NOT_ALLOWED",
      "The token of a merchant's person is not accepted by the API of staff.",
    ),
    hint: "Use the pages of the portal instead.",
  },
};

/** Returns the person in a valid token. Invalid tokens are counted by network, like invalid signatures. */
function authenticatePerson(
  endpoint: PeopleEndpoint<PersonRoute>,
  { headers, network }: Arrival,
): PersonToken | ConsoleRefusal {
  const { invalidTokenLimiter, audience, keys, gateway } = endpoint;
  if (!invalidTokenLimiter.mayVerify(network)) return retryLater;
  const [authorization = "", ...others] = headers.get("authorization") ?? [];
  const text = /^Bearer (\S+)$/.exec(authorization)?.[1];
  if (text === undefined || others.length > 0)
    return consoleRefusal("TOKEN_INVALID", "Send the token of accounts: Authorization: Bearer …");
  const nowMs = gateway.clock.now().getTime();
  const token = readPersonToken(text, { audience, keys: keys(), nowMs });
  if (!isTokenProblem(token)) return token;
  if (token !== "expired") invalidTokenLimiter.recordFailure(network);
  return consoleRefusal("TOKEN_INVALID", tokenProblems[token]);
}

const tokenProblems: Readonly<Record<TokenProblem, string>> = {
  malformed: "The token is malformed.",
  "unknown key": "The token is signed with a key that is not configured here.",
  forged: "The token's signature is invalid.",
  "other audience": "The token is for another environment.",
  "too long-lived": "The token is valid for longer than a minute.",
  expired: "The token has expired.",
};

function permissionRefusal(
  { gateway: { environment, clock } }: PeopleEndpoint<PersonRoute>,
  person: PersonToken,
  permission: Permission,
): ConsoleRefusal | undefined {
  const decision = decidePermission(person, permission, { environment, nowMs: clock.now().getTime() });
  if (decision === "allowed") return undefined;
  return consoleRefusal(decision === "step up" ? "STEP_UP_REQUIRED" : "RIGHT_MISSING");
}

/**
 * `withApprovalFor` returns the person with the approval in its token, if the approval covers this act with this
 * content. Otherwise it returns the person without the approval.
 */
export function withApprovalFor(
  person: PersonToken,
  permission: Permission,
  approvalRequest: ApprovalRequest,
): PersonToken {
  if (isConfirmed(person, permission, approvalRequest)) return person;
  const { confirmed: _unused, ...others } = person;
  return others;
}

/** `readBody` reads a body of at most `bytesMax` bytes, and checks it against the schema of the route. */
export async function readBody(
  arrival: Arrival,
  route: PersonRoute,
  bytesMax: number,
): Promise<ValidatedBody | ConsoleRefusal> {
  const body = await arrival.readBody(bytesMax);
  if (typeof body === "string") return toConsoleRefusal(bodyProblem(body, bytesMax));
  const parsed = parseStrictJson(body);
  if ("problem" in parsed) return toConsoleRefusal(invalidJsonRefusal(body, parsed));
  const card = findCardData(parsed.value, route.request);
  if (card) return { ...consoleRefusal("PARAM_ILLEGAL", cardDataDetail), field: card };
  const read = route.readRequest(parsed.value);
  if (!("request" in read)) return toConsoleRefusal(read);
  return { request: read.request, json: asObject(parsed.value), body };
}

/** A value that is valid for an object schema is an object. */
function asObject(value: JsonValue): JsonObject {
  return value as JsonObject;
}

/** Converts a rejection that the merchants' API also returns. */
function toConsoleRefusal(refusal: Refusal & { readonly retryAfterSeconds?: number }): ConsoleRefusal {
  const { refused, detail, field, retryAfterSeconds } = refusal;
  return {
    ...consoleRefusal(refused, detail),
    ...(field !== undefined && { field }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}
