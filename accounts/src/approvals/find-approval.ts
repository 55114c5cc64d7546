import { permissionsOf } from "../../../server/src/people/role.ts";
import { actDigest, type Confirmation } from "../../../server/src/people/approval-rules.ts";
import type { Environment } from "../../../server/src/postgres/migrate.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { listMembers } from "../organisations/membership.sql.ts";
import type { MemberCaller } from "../sessions/session.ts";
import { lockApproval } from "./approval.sql.ts";

/**
 * `findApproval` returns the approval of the caller's request, or undefined if there is none or the approver has
 * lost the permission since.
 */
export async function findApproval(
  tx: Tx,
  { person, membership }: MemberCaller,
  { approvalId, environment, now }: { approvalId: string; environment: Environment; now: Date },
): Promise<Confirmation | undefined> {
  const approval = await lockApproval(tx, membership.organisationId, approvalId, now);
  if (!approval || approval.requestedBy !== person.personId || approval.environment !== environment)
    return undefined;
  const { confirmedBy, permission, act, request } = approval;
  const members = await listMembers(tx, membership.organisationId);
  const approver = members.find(({ personId }) => personId === confirmedBy);
  if (!approver || !permissionsOf(approver.role, environment).includes(permission)) return undefined;
  return { by: approver.personId, permission, digest: actDigest({ act, place: approval.place, request }) };
}
