import { Clean } from "typebox/value";
import { requiresApproval } from "../audit/dual-approval.ts";
import { findStaffRole } from "../audit/audit.sql.ts";
import { requestReader, type ReadRequest } from "../contract/read-request.ts";
import { refuse } from "../core/result.ts";
import type { ServedStaffRoute } from "../http/people/staff-endpoint.ts";
import { consoleRefusal, type ConsoleRefusal } from "../people/console-result.ts";
import type { PersonToken } from "../people/person-token.ts";
import { auditReason } from "../people/approval-rules.ts";
import { systemScope } from "../postgres/database.ts";
import type { Environment } from "../postgres/migrate.ts";
import type { Signer } from "../signing/gateway-keys.ts";
import { actAsOwner, queryAsOwner } from "../operator-session/owner-session.ts";
import { CommandFailed } from "../core/command-errors.ts";
import { newViewAuditBuffer, type ViewAuditBuffer } from "./view-audit-buffer.ts";
import type { StaffContext, StaffRoute } from "../staff-console/staff-route.ts";
import { staffRoutes } from "../staff-console/staff-routes.ts";

interface StaffRouteOptions {
  /** The database URL of a login that has the role tollgate_console. */
  readonly url: string;
  readonly environment: Environment;
  /** Signs the requests of `connector test`. */
  readonly signer: Signer;
  readonly nowMs: () => number;
}

/** The routes of the operator console, as the API for people serves them. */
export async function openStaffRoutes(options: StaffRouteOptions): Promise<readonly ServedStaffRoute[]> {
  await checkStaffLogin(options.url, options.environment);
  const viewAudit = newViewAuditBuffer(options.nowMs);
  return staffRoutes.map((route) => ({
    path: `staff/${route.name}`,
    permission: route.permission,
    changesData: route.changesData,
    needsApproval: (request) => options.environment === "live" && needsApprovalInLive(route, request),
    request: route.request,
    readRequest: staffRequestReader(route),
    run: (person, request) => runStaffRoute(options, viewAudit, route, { person, request }),
  }));
}

function staffRequestReader(route: StaffRoute): ReadRequest {
  const read = requestReader(route.request);
  return (json) => {
    const parsed = read(json);
    const problem = "request" in parsed ? route.findProblem(parsed.request) : undefined;
    return problem ? refuse("PARAM_ILLEGAL", problem) : parsed;
  };
}

/** Whether the command line requires approval for this act. A field in the request counts as changed. */
function needsApprovalInLive({ auditedAct }: StaffRoute, input: object): boolean {
  if (auditedAct === undefined) return false;
  const { request } = input as { readonly request: object };
  return requiresApproval({ act: auditedAct, subject: "", after: request });
}

/**
 * `checkStaffLogin` throws if the login cannot be used, or is the owner's: an attacker in the process could rewrite the
 * audit log with it.
 */
export async function checkStaffLogin(url: string, environment: Environment): Promise<void> {
  const role = await queryAsOwner(url, environment, systemScope, findStaffRole);
  if (role === "owner")
    throw new Error(
      "TOLLGATE_STAFF_DATABASE_URL has the owner's login. Use a login with the role tollgate_console.",
    );
  if (role !== "support")
    throw new Error(
      `TOLLGATE_STAFF_DATABASE_URL has a login with the role tollgate_${role}. Use a login with only the role tollgate_console.`,
    );
}

interface StaffRequest {
  readonly person: PersonToken;
  readonly request: object;
}

async function runStaffRoute(
  { url, environment, signer }: StaffRouteOptions,
  viewAudit: ViewAuditBuffer,
  route: StaffRoute,
  { person, request }: StaffRequest,
): Promise<object | ConsoleRefusal> {
  const { reason = "" } = request as { readonly reason?: string };
  const actor = { kind: "person", name: person.sub, role: person.role } as const;
  const auditedReason = auditReason(reason, person.confirmed);
  const context: StaffContext = {
    url,
    environment,
    signer,
    by: {
      actor,
      ...(auditedReason !== undefined && { reason: auditedReason }),
      ...(person.confirmed && { approvedBy: person.confirmed.by }),
    },
  };
  try {
    if (!route.changesData) await auditView(context, viewAudit, route, { person, request });
    return cleanResponse(route, await route.run(context, request, reason));
  } catch (error) {
    if (error instanceof CommandFailed) return consoleRefusal("NOT_POSSIBLE", error.message);
    throw error;
  }
}

/**
 * Writes a view to the audit log before its response is sent. A page that refreshes itself is logged again only every
 * few minutes.
 */
async function auditView(
  context: StaffContext,
  viewAudit: ViewAuditBuffer,
  route: StaffRoute,
  { person, request }: StaffRequest,
): Promise<void> {
  const about = route.auditSubjectOf(request);
  const viewKey = JSON.stringify([person.sub, person.role, route.name, about]);
  if (viewAudit.isFresh(viewKey)) return;
  // Row-level security allows writes only about merchants that the transaction names, so the scope is the merchant of
  // the view.
  const scope = about.clientId === undefined ? systemScope : [about.clientId];
  const audit = { act: `staff/${route.name}`, ...about };
  await actAsOwner(context, scope, async () => ({ value: undefined, audit }));
  viewAudit.note(viewKey);
}

/** Removes fields that the response's schema does not declare, whatever a command returns. */
function cleanResponse({ response }: StaffRoute, value: object): object {
  const plain: unknown = JSON.parse(
    JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? each.toString() : each)),
  );
  return Clean(response, plain) as object;
}
