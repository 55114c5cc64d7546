import { Clean } from "typebox/value";
import { takesTwo } from "../audit/act-of-two.ts";
import { findStaffRole } from "../audit/audit.sql.ts";
import { requestReader } from "../api/read-request.ts";
import type { ServedStaffRoute } from "../http/staff-door.ts";
import { turnDown, type ConsoleRefusal } from "../people/console-result.ts";
import type { PersonToken } from "../people/person-token.ts";
import { reasonWith } from "../people/second-person.ts";
import { systemScope } from "../postgres/database.ts";
import type { Environment } from "../postgres/migrate.ts";
import type { Signer } from "../signing/gateway-keys.ts";
import { actAsOwner, asOwner } from "./as-owner.ts";
import { Impossible } from "./command.ts";
import { noteLooks, type Looks } from "./look-book.ts";
import type { Desk, StaffRoute } from "./staff-route.ts";
import { staffRoutes } from "./staff-routes.ts";

interface DeskOptions {
  /** A login that holds the role tollgate_console. */
  readonly url: string;
  readonly environment: Environment;
  /** Signs what `connector test` sends. */
  readonly signer: Signer;
  readonly nowMs: () => number;
}

/** The routes of the operator's console, as the front door for people serves them. */
export async function openStaffDesk(options: DeskOptions): Promise<readonly ServedStaffRoute[]> {
  await checkStaffLogin(options.url, options.environment);
  const looks = noteLooks(options.nowMs);
  return staffRoutes.map((route) => ({
    path: `staff/${route.name}`,
    right: route.right,
    acts: route.acts,
    needsApproval: (request) => options.environment === "live" && needsApprovalInLive(route, request),
    request: route.request,
    readRequest: requestReader(route.request),
    run: (person, request) => answer(options, looks, route, { person, request }),
  }));
}

/** Whether the command line requires approval for this act. A field that the request names counts as changed. */
function needsApprovalInLive({ performs }: StaffRoute, given: object): boolean {
  if (performs === undefined) return false;
  const { request } = given as { readonly request: object };
  return takesTwo({ act: performs, subject: "", after: request });
}

/** `checkStaffLogin` throws if the login cannot be used, or is the owner's: an attacker in the process could rewrite the audit with it. */
export async function checkStaffLogin(url: string, environment: Environment): Promise<void> {
  const role = await asOwner(url, environment, systemScope, findStaffRole);
  if (role === "owner")
    throw new Error(
      "TOLLGATE_STAFF_DATABASE_URL has the owner's login. Give it one with the role tollgate_console.",
    );
  if (role !== "support")
    throw new Error(
      `TOLLGATE_STAFF_DATABASE_URL has a login with the role tollgate_${role}. Give it one with the role tollgate_console alone.`,
    );
}

interface Asked {
  readonly person: PersonToken;
  readonly request: object;
}

async function answer(
  { url, environment, signer }: DeskOptions,
  looks: Looks,
  route: StaffRoute,
  { person, request }: Asked,
): Promise<object | ConsoleRefusal> {
  const { reason = "" } = request as { readonly reason?: string };
  const actor = { kind: "person", name: person.sub, role: person.role } as const;
  const audited = reasonWith(reason, person.confirmed);
  const desk: Desk = {
    url,
    environment,
    signer,
    by: {
      actor,
      ...(audited !== undefined && { reason: audited }),
      ...(person.confirmed && { approvedBy: person.confirmed.by }),
    },
  };
  try {
    if (!route.acts) await noteLook(desk, looks, route, { person, request });
    return shownAs(route, await route.run(desk, request, reason));
  } catch (error) {
    if (error instanceof Impossible) return turnDown("NOT_POSSIBLE", error.message);
    throw error;
  }
}

/** A look is in the audit before it is answered; one that goes on, on a page that renews itself, is noted now and then. */
async function noteLook(
  desk: Desk,
  looks: Looks,
  route: StaffRoute,
  { person, request }: Asked,
): Promise<void> {
  const about = route.about(request);
  const look = JSON.stringify([person.sub, person.role, route.name, about]);
  if (looks.isFresh(look)) return;
  // The second wall lets nobody write about a merchant that the transaction does not name.
  const scope = about.clientId === undefined ? systemScope : [about.clientId];
  const audit = { act: `staff/${route.name}`, ...about };
  await actAsOwner(desk, scope, async () => ({ value: undefined, audit }));
  looks.note(look);
}

/** What the response's schema does not declare does not leave, whatever a command returns. */
function shownAs({ response }: StaffRoute, value: object): object {
  const plain: unknown = JSON.parse(
    JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? each.toString() : each)),
  );
  return Clean(response, plain) as object;
}
