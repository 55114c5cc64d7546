import { newcomer, type KnownClient } from "../../merchants/client-directory.ts";
import { turnDown, type ConsoleRefusal } from "../../people/console-result.ts";
import type { PersonToken } from "../../people/person-token.ts";
import { isApprovalRequired } from "../../people/approval-rules.ts";
import { bodyBytesMax } from "../merchant-api/admit.ts";
import type { Arrival } from "../merchant-api/arrival.ts";
import type { ActRoute, ConsoleEndpoint, ConsoleRoute, ViewRoute } from "./console-endpoint.ts";
import {
  identifyPerson,
  readBody,
  withApprovalOf,
  type Identified,
  type ReadBody,
  type RefusedPerson,
} from "./identify-person.ts";

/** A request of a person with the required permission, for a merchant that the person may act for. */
export interface PersonAdmission<Route = ViewRoute | ActRoute> extends Identified<Route>, ReadBody {
  readonly client: KnownClient;
}

/**
 * `admitPerson` validates origin, token, permission, merchant and request, in this order. A person without the
 * permission learns nothing about the merchant.
 */
export async function admitPerson(
  door: ConsoleEndpoint,
  arrival: Arrival,
): Promise<PersonAdmission | RefusedPerson> {
  const identified = identifyPerson(door, arrival);
  if ("refused" in identified) return identified;
  const { person, route } = identified;
  const client = await clientOf(door, arrival, person, opensClient(route));
  if ("refused" in client) return { ...client, person };
  const read = await readBody(arrival, route, bytesMaxOf(route));
  if ("refused" in read) return { ...read, person };

  const admitted = { person, client, route, ...read };
  if (!("act" in route)) return admitted;
  const asked = { act: route.act.name, place: client.clientId, request: read.json["request"] ?? {} };
  const actor = withApprovalOf(person, route.permission, asked);
  if (isApprovalRequired(door.secondPerson, route.permission, asked.request) && !actor.confirmed)
    return { ...turnDown("APPROVAL_NEEDED"), person };
  if (client.status !== "ACTIVE") return { ...turnDown("INVALID_CLIENT_STATUS"), person };
  return door.spent.spend(person) ? { ...admitted, person: actor } : { ...turnDown("TOKEN_USED"), person };
}

function bytesMaxOf(route: ConsoleRoute): number {
  return "act" in route ? (route.act.operation.bodyBytesMax ?? bodyBytesMax) : bodyBytesMax;
}

/**
 * The merchant in the header `client-id`, or the person's only merchant. Another merchant gets the same rejection as
 * one that does not exist.
 */
async function clientOf(
  { gateway: { clients } }: ConsoleEndpoint,
  { headers }: Arrival,
  { clientIds }: PersonToken,
  mayBeNew: boolean,
): Promise<KnownClient | ConsoleRefusal> {
  const [named, ...others] = headers.get("client-id") ?? [];
  const clientId = named ?? (clientIds.length === 1 ? clientIds[0] : undefined);
  if (clientId === undefined || others.length > 0)
    return { ...turnDown("PARAM_ILLEGAL", "Name one merchant in the header client-id."), field: "client-id" };
  const isOwn = clientIds.includes(clientId);
  const known = isOwn ? await clients.find(clientId) : undefined;
  if (!known && isOwn && mayBeNew) return newcomer(clientId);
  return known ?? turnDown("UNKNOWN_CLIENT");
}

function opensClient(route: ConsoleRoute): boolean {
  return "act" in route && route.act.opensClient;
}
