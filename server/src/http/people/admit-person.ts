import { createKeylessClient, type ClientWithKeys } from "../../merchants/client-directory.ts";
import { consoleRefusal, type ConsoleRefusal } from "../../people/console-result.ts";
import type { PersonToken } from "../../people/person-token.ts";
import { isApprovalRequired } from "../../people/approval-rules.ts";
import { bodyBytesMax } from "../merchant-api/admit.ts";
import type { Arrival } from "../merchant-api/arrival.ts";
import type { ActRoute, ConsoleEndpoint, ConsoleRoute, ViewRoute } from "./console-endpoint.ts";
import {
  identifyPerson,
  readBody,
  withApprovalFor,
  type IdentifiedPerson,
  type ValidatedBody,
  type PersonRefusal,
} from "./identify-person.ts";

/** A request of a person with the required permission, for a merchant that the person may act for. */
export interface PersonAdmission<Route = ViewRoute | ActRoute>
  extends IdentifiedPerson<Route>, ValidatedBody {
  readonly client: ClientWithKeys;
}

/**
 * `admitPerson` validates origin, token, permission, merchant and request, in this order. A person without the
 * permission learns nothing about the merchant.
 */
export async function admitPerson(
  endpoint: ConsoleEndpoint,
  arrival: Arrival,
): Promise<PersonAdmission | PersonRefusal> {
  const identified = identifyPerson(endpoint, arrival);
  if ("refused" in identified) return identified;
  const { person, route } = identified;
  const client = await clientOf(endpoint, arrival, person, opensClient(route));
  if ("refused" in client) return { ...client, person };
  const parsedBody = await readBody(arrival, route, bytesMaxOf(route));
  if ("refused" in parsedBody) return { ...parsedBody, person };

  const admitted = { person, client, route, ...parsedBody };
  if (!("act" in route)) return admitted;
  const approvalRequest = {
    act: route.act.name,
    place: client.clientId,
    request: parsedBody.json["request"] ?? {},
  };
  const actor = withApprovalFor(person, route.permission, approvalRequest);
  if (
    isApprovalRequired(endpoint.approvalRules, route.permission, approvalRequest.request) &&
    !actor.confirmed
  )
    return { ...consoleRefusal("APPROVAL_NEEDED"), person };
  if (client.status !== "ACTIVE") return { ...consoleRefusal("INVALID_CLIENT_STATUS"), person };
  return endpoint.usedTokens.markUsed(person)
    ? { ...admitted, person: actor }
    : { ...consoleRefusal("TOKEN_USED"), person };
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
): Promise<ClientWithKeys | ConsoleRefusal> {
  const [namedClient, ...others] = headers.get("client-id") ?? [];
  const clientId = namedClient ?? (clientIds.length === 1 ? clientIds[0] : undefined);
  if (clientId === undefined || others.length > 0)
    return {
      ...consoleRefusal("PARAM_ILLEGAL", "Name one merchant in the header client-id."),
      field: "client-id",
    };
  const isOwn = clientIds.includes(clientId);
  const known = isOwn ? await clients.find(clientId) : undefined;
  if (!known && isOwn && mayBeNew) return createKeylessClient(clientId);
  return known ?? consoleRefusal("UNKNOWN_CLIENT");
}

function opensClient(route: ConsoleRoute): boolean {
  return "act" in route && route.act.createsClient;
}
