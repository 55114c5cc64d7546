import { consoleRefusal, type ConsoleRefusal } from "../../people/console-result.ts";
import type { PersonToken } from "../../people/person-token.ts";
import { isApprovalRequired } from "../../people/approval-rules.ts";
import type { Arrival } from "../merchant-api/arrival.ts";
import {
  identifyPerson,
  readBody,
  withApprovalFor,
  type IdentifiedPerson,
  type ValidatedBody,
  type PersonRefusal,
} from "./identify-person.ts";
import type { PeopleEndpoint, PersonOutcome, PersonRoute } from "./people-endpoint.ts";

/** A query or command of staff for all merchants. It runs as an operator's command; this part is for admission. */
export interface ServedStaffRoute extends PersonRoute {
  /** Whether the route changes data. If it does, a token is accepted only once. */
  readonly changesData: boolean;
  /** Whether this request needs approval by the rule of the command line, in addition to `approvalRules`. */
  needsApproval(request: object): boolean;
  run(person: PersonToken, request: object): Promise<object | ConsoleRefusal>;
}

type StaffEndpoint = PeopleEndpoint<ServedStaffRoute>;

/** A request of staff, which is not about a single merchant. */
interface StaffAdmission extends IdentifiedPerson<ServedStaffRoute>, ValidatedBody {}

/** Maximum body size of staff requests. The largest is a reason of 500 characters and a few ids. */
export const staffBodyBytesMax = 16 * 1024;

/** `admitStaff` checks origin, token and permission first, then reads the body. */
export async function admitStaff(
  endpoint: StaffEndpoint,
  arrival: Arrival,
): Promise<StaffAdmission | PersonRefusal> {
  const identified = identifyPerson(endpoint, arrival);
  if ("refused" in identified) return identified;
  const { person, route } = identified;
  const parsedBody = await readBody(arrival, route, staffBodyBytesMax);
  if ("refused" in parsedBody) return { ...parsedBody, person };
  const admitted = { person, route, ...parsedBody };
  if (!route.changesData) return admitted;
  const approvalRequest = { act: route.path, place: person.organisation, request: parsedBody.json };
  const actor = withApprovalFor(person, route.permission, approvalRequest);
  const isApprovalNeeded =
    route.needsApproval(parsedBody.request) ||
    isApprovalRequired(endpoint.approvalRules, route.permission, approvalRequest.request);
  if (isApprovalNeeded && !actor.confirmed) return { ...consoleRefusal("APPROVAL_NEEDED"), person };
  return endpoint.usedTokens.markUsed(person)
    ? { ...admitted, person: actor }
    : { ...consoleRefusal("TOKEN_USED"), person };
}

/** `runForStaff` runs the function of an operator's command. */
export async function runForStaff({ route, person, request }: StaffAdmission): Promise<PersonOutcome> {
  const result = await route.run(person, request);
  return isRefused(result) ? result : { response: { ...result, code: "SUCCESS" } };
}

function isRefused(result: object): result is ConsoleRefusal {
  return "refused" in result;
}
