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
  call: AdmittedCall,
  approvalId: unknown,
  request: unknown,
): Promise<{ readonly isApproved: boolean } | Refusal> {
  const { method, access } = route;
  if (method === "GET" || !isPermission(access)) return { isApproved: false };
  const isApproved = await consumeApproval(route, call, approvalId, request);
  return !isApproved && isApprovalRequired(call.engine.approvalRules, access, request)
    ? refuse("APPROVAL_NEEDED")
    : { isApproved };
}

type AdmittedCall = Omit<Call, "isApproved"> & { readonly caller: Caller | undefined };

async function consumeApproval(
  { method, path, access, environment }: Route,
  call: AdmittedCall,
  approvalId: unknown,
  request: unknown,
): Promise<boolean> {
  const { caller, now } = call;
  if (typeof approvalId !== "string" || !caller?.membership) return false;
  const member = { ...caller, membership: caller.membership };
  const confirmed = await call.transaction(async (tx) => {
    const approval = await findApproval(tx, member, { approvalId, environment, now });
    // An approval is consumed, because requests to accounts have no request id for idempotency.
    if (approval) await deleteApproval(tx, approvalId);
    return approval;
  });
  const requestedAct = { act: `${method} ${path}`, place: caller.membership.organisationId, request };
  return confirmed?.permission === access && confirmed.digest === actDigest(requestedAct);
}

function isPermission(access: Route["access"]): access is Permission {
  return Object.hasOwn(permissions, access);
}
