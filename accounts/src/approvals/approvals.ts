import { Type } from "typebox";
import {
  decidePermission,
  merchantRoles,
  permissions,
  permissionsOf,
  staffRoles,
  type Permission,
} from "../../../server/src/people/role.ts";
import type { Environment as EnvironmentWord } from "../../../server/src/postgres/migrate.ts";
import { refuse, type Refusal } from "../api/refusal.ts";
import { memberRoute } from "../api/route.ts";
import { Body, Environment, EmptyObject, OneOf, Opaque, Reason, Time, TokenOrId } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { approvalRequestEmail } from "../mail/email-templates.ts";
import { newId } from "../new-id.ts";
import { canMemberApprove, listAddresses } from "../organisations/membership.sql.ts";
import { listClientIds } from "../organisations/client.sql.ts";
import { actorOf, authenticatedAt, type MemberCaller } from "../sessions/session.ts";
import { requestLifetimeMs, approvalLifetimeMs } from "./approval.ts";
import {
  confirmApproval,
  deleteApproval,
  insertApproval,
  listApprovable,
  listApprovals,
  lockApproval,
} from "./approval.sql.ts";

const PermissionName = OneOf(Object.keys(permissions) as readonly Permission[]);
const ActName = Type.String({ pattern: "^[A-Za-z0-9/ -]{1,100}$" });

/**
 * Accounts do not know which permission an act needs. The requester names one, both people must have it, and the
 * gateway that runs the act verifies that it is the required one.
 */
export const requestApproval = memberRoute({
  method: "POST",
  path: "/accounts/approvals",
  summary: "Requests approval of an act, exactly as it will be sent.",
  access: "member",
  request: Body({
    environment: Environment,
    permission: PermissionName,
    act: ActName,
    clientId: Type.Optional(TokenOrId),
    request: Opaque,
    reason: Reason,
  }),
  response: Type.Object({ approvalId: Type.String() }),

  async handle(call, { environment, permission, act, clientId, request, reason }) {
    const { caller, engine, now } = call;
    const { organisationId, organisation, kind } = caller.membership;
    const refusal = permissionRefusal(caller, permission, environment, now);
    if (refusal) return refusal;
    const clientIds = await listClientIds(call.read, organisationId, environment);
    if (clientId !== undefined && !clientIds.includes(clientId)) return refuse("NOT_FOUND");
    const approvalId = newId("apr");
    const approval = {
      approvalId,
      organisationId,
      environment,
      permission,
      act,
      place: clientId ?? organisationId,
      request: request as object,
      reason,
      requestedBy: caller.person.personId,
      requestedAt: now,
      confirmedBy: undefined,
      expiresAt: new Date(now.getTime() + requestLifetimeMs),
    };
    return call.transaction(async (tx) => {
      if ((await listApprovals(tx, organisationId, now)).length >= openApprovalsMax)
        return refuse("TOO_MANY");
      await insertApproval(tx, approval);
      await insertAudit(tx, {
        actor: actorOf(caller),
        act: "approval.ask",
        subject: approvalId,
        organisationId,
        reason,
        after: { environment, permission, act, place: approval.place },
      });
      const roles = (kind === "staff" ? staffRoles : merchantRoles).filter((role) =>
        permissionsOf(role, environment).includes(permission),
      );
      const approverAddresses = (await listAddresses(tx, organisationId, roles)).filter(
        (to) => to !== caller.person.email,
      );
      const requester = caller.person.name;
      call.sendAfterCommit(
        approverAddresses.map((to) =>
          approvalRequestEmail(engine.publicUrl, { to, requester, organisation, act, reason }),
        ),
      );
      return { answer: { approvalId } };
    });
  },
});

const openApprovalsMax = 100;

export const showApprovals = memberRoute({
  method: "GET",
  path: "/accounts/approvals",
  summary: "Pending approval requests, and approved requests that are not completed yet.",
  access: "member",
  request: EmptyObject,
  response: Type.Object({
    approvals: Type.Array(
      Type.Object({
        approvalId: Type.String(),
        environment: Environment,
        permission: PermissionName,
        act: Type.String(),
        place: Type.String(),
        request: Opaque,
        reason: Type.String(),
        askedByName: Type.String(),
        isOwn: Type.Boolean(),
        isConfirmed: Type.Boolean(),
        mayConfirm: Type.Boolean(),
        askedAt: Time,
        expiresAt: Time,
      }),
    ),
  }),

  async handle({ caller, read, now }) {
    const { personId } = caller.person;
    const { organisationId } = caller.membership;
    const approvals = await listApprovals(read, organisationId, now);
    const approvable = await listApprovable(read, { organisationId, personId }, now);
    const hasPermission = (permission: Permission, environment: EnvironmentWord): boolean =>
      permissionsOf(caller.membership.role, environment).includes(permission);
    return {
      answer: {
        approvals: approvals
          .filter(
            ({ requestedBy, permission, environment }) =>
              requestedBy === personId || hasPermission(permission, environment),
          )
          .map(({ requestedBy, confirmedBy, requestedAt, expiresAt, ...approval }) => ({
            ...approval,
            isOwn: requestedBy === personId,
            isConfirmed: confirmedBy !== undefined,
            mayConfirm:
              requestedBy !== personId && confirmedBy === undefined && approvable.has(approval.approvalId),
            askedAt: requestedAt.toISOString(),
            expiresAt: expiresAt.toISOString(),
          })),
      },
    };
  },
});

export const approveRequest = memberRoute({
  method: "POST",
  path: "/accounts/approvals/confirm",
  summary: "Approves another person's request. The requester can then complete it within one hour.",
  access: "member",
  request: Body({ approvalId: TokenOrId }),
  response: EmptyObject,

  async handle(call, { approvalId }) {
    const { caller, now } = call;
    const { personId } = caller.person;
    const { organisationId } = caller.membership;
    return call.transaction(async (tx) => {
      const approval = await lockApproval(tx, organisationId, approvalId, now);
      if (!approval || approval.confirmedBy !== undefined) return refuse("NOT_FOUND");
      const { permission, environment, act, place, requestedBy } = approval;
      if (requestedBy === personId) return refuse("ANOTHER_PERSON_NEEDED");
      const refusal = permissionRefusal(caller, permission, environment, now);
      if (refusal) return refusal;
      const requestedAt = approval.requestedAt;
      if (!(await canMemberApprove(tx, { organisationId, personId }, { requestedAt, now })))
        return refuse("APPROVER_TOO_NEW");
      const expiresAt = new Date(now.getTime() + approvalLifetimeMs);
      await confirmApproval(tx, approvalId, { by: personId, at: now, expiresAt });
      await insertAudit(tx, {
        actor: actorOf(caller),
        act: "approval.confirm",
        subject: approvalId,
        organisationId,
        after: { environment, permission, act, place },
      });
      return { answer: {} };
    });
  },
});

export const withdrawOrRejectApproval = memberRoute({
  method: "POST",
  path: "/accounts/approvals/drop",
  summary: "Withdraws an own approval request, or rejects another person's.",
  access: "member",
  request: Body({ approvalId: TokenOrId }),
  response: EmptyObject,

  async handle(call, { approvalId }) {
    const { caller, now } = call;
    const { organisationId, role } = caller.membership;
    return call.transaction(async (tx) => {
      const approval = await lockApproval(tx, organisationId, approvalId, now);
      const isOwn = approval?.requestedBy === caller.person.personId;
      const mayDrop =
        approval && (isOwn || permissionsOf(role, approval.environment).includes(approval.permission));
      if (!mayDrop) return refuse("NOT_FOUND");
      await deleteApproval(tx, approvalId);
      await insertAudit(tx, {
        actor: actorOf(caller),
        act: "approval.drop",
        subject: approvalId,
        organisationId,
      });
      return { answer: {} };
    });
  },
});

/** Both people must satisfy the re-authentication rule of the permission. */
function permissionRefusal(
  { session, membership }: MemberCaller,
  permission: Permission,
  environment: EnvironmentWord,
  now: Date,
): Refusal | undefined {
  const lastAuthenticatedAt = authenticatedAt(session, now);
  const requester = {
    role: membership.role,
    stepUpAt: lastAuthenticatedAt && lastAuthenticatedAt.getTime() / 1000,
  };
  const verdict = decidePermission(requester, permission, { environment, nowMs: now.getTime() });
  if (verdict === "denied") return refuse("NOT_ALLOWED");
  return verdict === "step up" ? refuse("STEP_UP_NEEDED") : undefined;
}
