import { permissions, type Permission } from "../../../server/src/people/role.ts";
import { actDigest, isApprovalRequired } from "../../../server/src/people/approval-rules.ts";
import { deleteApproval } from "../approvals/approval.sql.ts";
import { findApproval } from "../approvals/find-approval.ts";
import type { Caller } from "../sessions/session.ts";
import { refuse, type Refusal } from "../api/refusal.ts";
import type { Call, Route } from "../api/route.ts";

/**
 * `checkApproval` verifies the approval of actions that accounts run themselves. The header `approval` names a
 * request that another person has approved. It refuses actions for which the operator's setting requires approval. A
 * route can also require approval by its own rules (`Call.isApproved`).
 */
export async function checkApproval(
  route: Route,
  call: Admitted,
  approvalId: unknown,
  request: unknown,
): Promise<{ readonly isApproved: boolean } | Refusal> {
  const { method, who } = route;
  if (method === "GET" || !isPermission(who)) return { isApproved: false };
  const isApproved = await spendApproval(route, call, approvalId, request);
  return !isApproved && isApprovalRequired(call.engine.secondPerson, who, request)
    ? refuse("APPROVAL_NEEDED")
    : { isApproved };
}

type Admitted = Omit<Call, "isApproved"> & { readonly caller: Caller | undefined };

async function spendApproval(
  { method, path, who, environment }: Route,
  call: Admitted,
  approvalId: unknown,
  request: unknown,
): Promise<boolean> {
  const { caller, now } = call;
  if (typeof approvalId !== "string" || !caller?.place) return false;
  const member = { ...caller, place: caller.place };
  const confirmed = await call.transaction(async (tx) => {
    const found = await findApproval(tx, member, { approvalId, environment, now });
    // An approval is consumed, because requests to accounts have no request id for idempotency.
    if (found) await deleteApproval(tx, approvalId);
    return found;
  });
  const asked = { act: `${method} ${path}`, place: caller.place.organisationId, request };
  return confirmed?.permission === who && confirmed.digest === actDigest(asked);
}

function isPermission(who: Route["who"]): who is Permission {
  return Object.hasOwn(permissions, who);
}
