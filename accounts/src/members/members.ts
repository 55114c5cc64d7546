import { Type, type Static } from "typebox";
import { kindOfRole, permissionsOf, type Role } from "../../../server/src/people/role.ts";
import { refuse, type Refusal } from "../api/refusal.ts";
import { memberRoute, type Call, type Handled } from "../api/route.ts";
import { Body, Nothing, RoleWord, Time, Word } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { deleteRecoveriesVouchedBy } from "../recoveries/recovery.sql.ts";
import { actorOf, idleMs, isDeveloper, lastsMs, type MemberCaller, type Place } from "../sessions/session.ts";
import { deleteInvitationsOf, listInvitations } from "../organisations/invitation.sql.ts";
import {
  deleteMembership,
  listMembers,
  listWaysIn,
  lockMemberships,
  updateRole,
} from "../organisations/membership.sql.ts";
import {
  addsPermissions,
  approvalDetail,
  requiredRole,
  raiseNeedsApproval,
  roleRefusal,
} from "../organisations/organisation.ts";

export const listPeople = memberRoute({
  method: "GET",
  path: "/accounts/people",
  summary: "The people of the organisation, and pending invitations.",
  who: "people.read",
  request: Nothing,
  response: Type.Object({
    people: Type.Array(
      Type.Object({
        personId: Type.String(),
        name: Type.String(),
        email: Type.String(),
        role: RoleWord,
        since: Time,
        passkeyCount: Type.Integer(),
        sessionCount: Type.Integer(),
        signedInAt: Type.Optional(Time),
      }),
    ),
    invitations: Type.Array(
      Type.Object({ invitationId: Type.String(), email: Type.String(), role: RoleWord, expiresAt: Time }),
    ),
  }),

  async handle({ caller, engine: { door }, read, now }) {
    const { organisationId } = caller.place;
    const alive = {
      seenAfter: new Date(now.getTime() - idleMs),
      madeAfter: new Date(now.getTime() - lastsMs),
    };
    const [people, waysIn, invitations] = await Promise.all([
      listMembers(read, organisationId),
      listWaysIn(read, { organisationId, door }, alive),
      listInvitations(read, organisationId, now),
    ]);
    return {
      answer: {
        people: people.map(({ since, ...member }) => {
          const { passkeyCount = 0, sessionCount = 0, signedInAt } = waysIn.get(member.personId) ?? {};
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

const Changed = Type.Object({
  endedInvitations: Type.Array(
    Type.Object({ invitationId: Type.String(), email: Type.String(), role: RoleWord }),
    { description: "Invitations of the person that are withdrawn by this change." },
  ),
});

export const changeRole = memberRoute({
  method: "POST",
  path: "/accounts/people/change-role",
  summary: "Changes the role of a person in the organisation.",
  who: "people.change",
  request: Body({ personId: Word, role: RoleWord }),
  response: Changed,

  async handle(call, { personId, role }) {
    return changeMembership(call, personId, role);
  },
});

export const endMembership = memberRoute({
  method: "POST",
  path: "/accounts/people/end",
  summary: "Ends a person's membership. Open sessions of the person lose access to the organisation.",
  who: "people.change",
  request: Body({ personId: Word }),
  response: Changed,

  async handle(call, { personId }) {
    return changeMembership(call, personId, undefined);
  },
});

/** `changeMembership` sets another role, or ends the membership if there is none. */
async function changeMembership(
  call: Call & { readonly caller: MemberCaller },
  personId: string,
  role: Role | undefined,
): Promise<Handled<Static<typeof Changed>>> {
  const { caller, now } = call;
  const { organisationId, kind } = caller.place;
  if (role && kindOfRole(role) !== kind)
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
    if (!call.isApproved && !isDeveloper(caller) && raiseNeedsApproval(kind, roles, change))
      return refuse("APPROVAL_NEEDED", approvalDetail(kind, roles));
    const ended = addsPermissions(role, before)
      ? await endInvitationsAndVouches(tx, caller.place, personId)
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

interface Ended {
  readonly endedInvitations: { invitationId: string; email: string; role: Role }[];
  readonly endedRecoveries: readonly string[];
}

const nothingEnded: Ended = { endedInvitations: [], endedRecoveries: [] };

/**
 * `endInvitationsAndVouches` ends the invitations that a person sent and the recoveries for which it vouched, because it has
 * lost the permissions for them.
 */
async function endInvitationsAndVouches(tx: Tx, place: Place, personId: string): Promise<Ended> {
  const sent = await deleteInvitationsOf(tx, place.organisationId, personId);
  return {
    endedInvitations: sent.map(({ invitationId, email, role }) => ({ invitationId, email, role })),
    endedRecoveries: await deleteRecoveriesVouchedBy(tx, place, personId),
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
  const { kind } = caller.place;
  const own = roles.get(caller.person.personId);
  if (!own || !permissionsOf(own, "live").includes("people.change")) return refuse("NOT_ALLOWED");
  const touched = after ? [before, after] : [before];
  const denied = touched.map((role) => roleRefusal(own, kind, role)).find((refusal) => refusal !== undefined);
  if (denied) return refuse(denied);
  const lasting = requiredRole[kind];
  const holders = [...roles.values()].filter((role) => role === lasting).length;
  return before === lasting && after !== lasting && holders === 1 ? refuse("LAST_OWNER") : undefined;
}
