import { Type } from "typebox";
import { kindOfRole, rightsOf, type Role } from "../../../server/src/people/role.ts";
import { refuse, type Refusal } from "../api/refusal.ts";
import { memberRoute, type Call } from "../api/route.ts";
import { Body, Nothing, RoleWord, Time, Word } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { actorOf, idleMs, lastsMs, type MemberCaller } from "../sessions/session.ts";
import { listInvitations } from "./invitation.sql.ts";
import { deleteMembership, listMembers, listWaysIn, lockMemberships, updateRole } from "./membership.sql.ts";
import { lastingRole, roleRefusal } from "./organisation.ts";

export const listPeople = memberRoute({
  method: "GET",
  path: "/accounts/people",
  summary: "The people of the organisation, and those who are invited.",
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

export const changeRole = memberRoute({
  method: "POST",
  path: "/accounts/people/change-role",
  summary: "Gives a person of the organisation another role.",
  who: "people.change",
  request: Body({ personId: Word, role: RoleWord }),
  response: Nothing,

  async handle(call, { personId, role }) {
    return changeMembership(call, personId, role);
  },
});

export const endMembership = memberRoute({
  method: "POST",
  path: "/accounts/people/end",
  summary: "Ends a person's membership; what it has open shows nothing of the organisation any more.",
  who: "people.change",
  request: Body({ personId: Word }),
  response: Nothing,

  async handle(call, { personId }) {
    return changeMembership(call, personId, undefined);
  },
});

/** Another role, or with none the end of the membership. */
async function changeMembership(
  call: Call & { readonly caller: MemberCaller },
  personId: string,
  role: Role | undefined,
): Promise<{ readonly answer: object } | Refusal> {
  const { caller } = call;
  const { organisationId, kind } = caller.place;
  if (role && kindOfRole(role) !== kind)
    return refuse("INVALID_REQUEST", "This role is not of this organisation.");
  return call.transaction(async (tx) => {
    const roles = await lockMemberships(tx, organisationId);
    const before = roles.get(personId);
    if (!before) return refuse("NOT_FOUND");
    const refusal = changeRefusal(roles, { caller, before, after: role });
    if (refusal) return refusal;
    await writeChange(tx, { organisationId, personId, role });
    await insertAudit(tx, {
      actor: actorOf(caller),
      act: role ? "membership.change" : "membership.end",
      subject: personId,
      organisationId,
      before: { role: before },
      ...(role && { after: { role } }),
    });
    return { answer: {} };
  });
}

interface Change {
  readonly caller: MemberCaller;
  readonly before: Role;
  readonly after: Role | undefined;
}

/** Decided by the roles as they are locked, the caller's own included. */
function changeRefusal(
  roles: ReadonlyMap<string, Role>,
  { caller, before, after }: Change,
): Refusal | undefined {
  const { kind } = caller.place;
  const own = roles.get(caller.person.personId);
  if (!own || !rightsOf(own, "live").includes("people.change")) return refuse("NOT_ALLOWED");
  const touched = after ? [before, after] : [before];
  const denied = touched.map((role) => roleRefusal(own, kind, role)).find((refusal) => refusal !== undefined);
  if (denied) return refuse(denied);
  const lasting = lastingRole[kind];
  const holders = [...roles.values()].filter((role) => role === lasting).length;
  return before === lasting && after !== lasting && holders === 1 ? refuse("LAST_OWNER") : undefined;
}

async function writeChange(
  tx: Tx,
  { organisationId, personId, role }: { organisationId: string; personId: string; role: Role | undefined },
): Promise<void> {
  if (role) await updateRole(tx, { organisationId, personId, role });
  else await deleteMembership(tx, organisationId, personId);
}
