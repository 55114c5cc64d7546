import { Type, type Static } from "typebox";
import { personKindOf, permissionsOf, type Role } from "../../../server/src/people/role.ts";
import { refuse, type Refusal } from "../api/refusal.ts";
import { memberRoute, type Call, type RouteResult } from "../api/route.ts";
import { Body, EmptyObject, RoleName, Time, TokenOrId } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { deleteRecoveriesVouchedBy } from "../recoveries/recovery.sql.ts";
import {
  actorOf,
  idleMs,
  isDeveloper,
  sessionLifetimeMs,
  type MemberCaller,
  type ActiveMembership,
} from "../sessions/session.ts";
import { deleteInvitationsOf, listInvitations } from "../organisations/invitation.sql.ts";
import {
  deleteMembership,
  listMembers,
  listMemberAccess,
  lockMemberships,
  updateRole,
} from "../organisations/membership.sql.ts";
import {
  addsPermissions,
  missingApproverDetail,
  requiredRole,
  roleChangeNeedsApproval,
  roleRefusal,
} from "../organisations/organisation.ts";

export const listPeople = memberRoute({
  method: "GET",
  path: "/accounts/people",
  summary: "The people of the organisation, and pending invitations.",
  access: "people.read",
  request: EmptyObject,
  response: Type.Object({
    people: Type.Array(
      Type.Object({
        personId: Type.String(),
        name: Type.String(),
        email: Type.String(),
        role: RoleName,
        since: Time,
        passkeyCount: Type.Integer(),
        sessionCount: Type.Integer(),
        signedInAt: Type.Optional(Time),
      }),
    ),
    invitations: Type.Array(
      Type.Object({ invitationId: Type.String(), email: Type.String(), role: RoleName, expiresAt: Time }),
    ),
  }),

  async handle({ caller, engine: { site }, read, now }) {
    const { organisationId } = caller.membership;
    const sessionLimits = {
      seenAfter: new Date(now.getTime() - idleMs),
      createdAfter: new Date(now.getTime() - sessionLifetimeMs),
    };
    const [people, accessOf, invitations] = await Promise.all([
      listMembers(read, organisationId),
      listMemberAccess(read, { organisationId, site }, sessionLimits),
      listInvitations(read, organisationId, now),
    ]);
    return {
      answer: {
        people: people.map(({ since, ...member }) => {
          const { passkeyCount = 0, sessionCount = 0, signedInAt } = accessOf.get(member.personId) ?? {};
          return {
            ...member,
            since: since.toISOString(),
            passkeyCount,
            sessionCount,
            ...(signedInAt && { signedInAt: signedInAt.toISOString() }),
          };
        }),
        invitations: invitations.map(({ invitationId, email, role, expiresAt }) => ({
          invitationId,
          email,
          role,
          expiresAt: expiresAt.toISOString(),
        })),
      },
    };
  },
});

const EndedInvitations = Type.Object({
  endedInvitations: Type.Array(
    Type.Object({ invitationId: Type.String(), email: Type.String(), role: RoleName }),
    { description: "Invitations of the person that are withdrawn by this change." },
  ),
});

export const changeRole = memberRoute({
  method: "POST",
  path: "/accounts/people/change-role",
  summary: "Changes the role of a person in the organisation.",
  access: "people.change",
  request: Body({ personId: TokenOrId, role: RoleName }),
  response: EndedInvitations,

  async handle(call, { personId, role }) {
    return changeMembership(call, personId, role);
  },
});

export const endMembership = memberRoute({
  method: "POST",
  path: "/accounts/people/end",
  summary: "Ends a person's membership. Open sessions of the person lose access to the organisation.",
  access: "people.change",
  request: Body({ personId: TokenOrId }),
  response: EndedInvitations,

  async handle(call, { personId }) {
    return changeMembership(call, personId, undefined);
  },
});

/** `changeMembership` sets another role, or ends the membership if there is none. */
async function changeMembership(
  call: Call & { readonly caller: MemberCaller },
  personId: string,
  role: Role | undefined,
): Promise<RouteResult<Static<typeof EndedInvitations>>> {
  const { caller, now } = call;
  const { organisationId, kind } = caller.membership;
  if (role && personKindOf(role) !== kind)
    return refuse("INVALID_REQUEST", "This role is not of this organisation.");
  return call.transaction(async (tx) => {
    const roles = await lockMemberships(tx, organisationId);
    const before = roles.get(personId);
    if (!before) return refuse("NOT_FOUND");
    const change = {
      actor: caller.person.personId,
      permission: "people.change",
      before,
      after: role,
    } as const;
    const refusal = changeRefusal(roles, { caller, before, after: role });
    if (refusal) return refusal;
    if (!call.isApproved && !isDeveloper(caller) && roleChangeNeedsApproval(kind, roles, change))
      return refuse("APPROVAL_NEEDED", missingApproverDetail(kind, roles));
    const ended = addsPermissions(role, before)
      ? await endInvitationsAndVouches(tx, caller.membership, personId)
      : nothingEnded;
    if (role) await updateRole(tx, { organisationId, personId, role }, now);
    else await deleteMembership(tx, organisationId, personId);
    const { endedInvitations, endedRecoveries } = ended;
    await insertAudit(tx, {
      actor: actorOf(caller),
      act: role ? "membership.change" : "membership.end",
      subject: personId,
      organisationId,
      before: { role: before },
      after: {
        ...(role && { role }),
        ...(endedInvitations.length > 0 && { endedInvitations: endedInvitations.map(({ email }) => email) }),
        ...(endedRecoveries.length > 0 && { endedRecoveries }),
      },
    });
    return { answer: { endedInvitations } };
  });
}

interface EndedByRoleChange {
  readonly endedInvitations: { invitationId: string; email: string; role: Role }[];
  readonly endedRecoveries: readonly string[];
}

const nothingEnded: EndedByRoleChange = { endedInvitations: [], endedRecoveries: [] };

/**
 * `endInvitationsAndVouches` ends the invitations that a person sent and the recoveries for which it vouched, because it has
 * lost the permissions for them.
 */
async function endInvitationsAndVouches(
  tx: Tx,
  membership: ActiveMembership,
  personId: string,
): Promise<EndedByRoleChange> {
  const sent = await deleteInvitationsOf(tx, membership.organisationId, personId);
  return {
    endedInvitations: sent.map(({ invitationId, email, role }) => ({ invitationId, email, role })),
    endedRecoveries: await deleteRecoveriesVouchedBy(tx, membership, personId),
  };
}

interface Change {
  readonly caller: MemberCaller;
  readonly before: Role;
  readonly after: Role | undefined;
}

/** `changeRefusal` uses the roles that the transaction has locked, also for the caller's own role (race). */
function changeRefusal(
  roles: ReadonlyMap<string, Role>,
  { caller, before, after }: Change,
): Refusal | undefined {
  const { kind } = caller.membership;
  const callerRole = roles.get(caller.person.personId);
  if (!callerRole || !permissionsOf(callerRole, "live").includes("people.change"))
    return refuse("NOT_ALLOWED");
  const affectedRoles = after ? [before, after] : [before];
  const denied = affectedRoles
    .map((role) => roleRefusal(callerRole, kind, role))
    .find((refusal) => refusal !== undefined);
  if (denied) return refuse(denied);
  const required = requiredRole[kind];
  const holders = [...roles.values()].filter((role) => role === required).length;
  return before === required && after !== required && holders === 1 ? refuse("LAST_OWNER") : undefined;
}
