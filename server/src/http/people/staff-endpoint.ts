import { turnDown, type ConsoleRefusal } from "../../people/console-result.ts";
import type { PersonToken } from "../../people/person-token.ts";
import { isApprovalRequired } from "../../people/approval-rules.ts";
import type { Arrival } from "../merchant-api/arrival.ts";
import {
  identifyPerson,
  readBody,
  withApprovalOf,
  type Identified,
  type ReadBody,
  type RefusedPerson,
} from "./identify-person.ts";
import type { PeopleEndpoint, PersonRan, PersonRoute } from "./people-endpoint.ts";

/** A query or command of staff for all merchants. It runs as an operator's command; this part is for admission. */
export interface ServedStaffRoute extends PersonRoute {
  /** Whether the route changes data. If it does, a token is accepted only once. */
  readonly acts: boolean;
  /** Whether this request needs approval by the rule of the command line, in addition to `secondPerson`. */
  needsApproval(request: object): boolean;
  run(person: PersonToken, request: object): Promise<object | ConsoleRefusal>;
}

type StaffDoor = PeopleEndpoint<ServedStaffRoute>;

/** A request of staff, which is not about a single merchant. */
interface StaffAdmission extends Identified<ServedStaffRoute>, ReadBody {}

/** Maximum body size of staff requests. The largest is a reason of 500 characters and a few ids. */
export const staffBodyBytesMax = 16 * 1024;

/** `admitStaff` checks origin, token and permission first, then reads the body. */
export async function admitStaff(door: StaffDoor, arrival: Arrival): Promise<StaffAdmission | RefusedPerson> {
  const identified = identifyPerson(door, arrival);
  if ("refused" in identified) return identified;
  const { person, route } = identified;
  const read = await readBody(arrival, route, staffBodyBytesMax);
  if ("refused" in read) return { ...read, person };
  const admitted = { person, route, ...read };
  if (!route.acts) return admitted;
  const asked = { act: route.path, place: person.organisation, request: read.json };
  const actor = withApprovalOf(person, route.permission, asked);
  const isNeeded =
    route.needsApproval(read.request) ||
    isApprovalRequired(door.secondPerson, route.permission, asked.request);
  if (isNeeded && !actor.confirmed) return { ...turnDown("APPROVAL_NEEDED"), person };
  return door.spent.spend(person) ? { ...admitted, person: actor } : { ...turnDown("TOKEN_USED"), person };
}

/** `runForStaff` runs the function of an operator's command. */
export async function runForStaff({ route, person, request }: StaffAdmission): Promise<PersonRan> {
  const answered = await route.run(person, request);
  return isRefused(answered) ? answered : { answered: { ...answered, code: "SUCCESS" } };
}

function isRefused(answered: object): answered is ConsoleRefusal {
  return "refused" in answered;
}
