import { Type } from "typebox";
import { sha256 } from "../../../server/src/core/digest.ts";
import { personKindOf } from "../../../server/src/people/role.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { refuse } from "../api/refusal.ts";
import { memberRoute, openRoute, type Call, type RouteResult } from "../api/route.ts";
import { Body, Email, Name, EmptyObject, RoleName, TokenOrId } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { countAttempt } from "../credentials/attempt-limit.sql.ts";
import { invitationEmail } from "../mail/email-templates.ts";
import { newId } from "../new-id.ts";
import { mailboxOf, toEmail } from "../people/person.ts";
import { canSignIn, lockPerson, findOrInsertPerson } from "../people/person.sql.ts";
import { beginSession, newToken } from "../sessions/begin-session.tx.ts";
import { organisationKindOf } from "../people/site.ts";
import { actorOf, isDeveloper, isSettingUp, type Caller } from "../sessions/session.ts";
import { chooseOrganisation } from "../sessions/session.sql.ts";
import {
  deleteInvitation,
  insertInvitation,
  lockInvitation,
  type OpenInvitation,
} from "../organisations/invitation.sql.ts";
import { insertMembership, lockMemberships } from "../organisations/membership.sql.ts";
import {
  missingApproverDetail,
  roleChangeNeedsApproval,
  roleRefusal,
} from "../organisations/organisation.ts";

export const invitationLifetimeMs = 7 * 24 * 3_600_000;
const quarterMs = 15 * 60_000;
const organisationLimit = { attemptsMax: 30, withinMs: quarterMs };
/** Limit of invitations to one mailbox, over all organisations. */
const mailboxLimit = { attemptsMax: 5, withinMs: quarterMs };

export const invite = memberRoute({
  method: "POST",
  path: "/accounts/invitations",
  summary: "Invites a person to the organisation with a role, by email.",
  access: "people.invite",
  request: Body({ email: Email, role: RoleName }),
  response: Type.Object({ invitationId: Type.String() }),

  async handle(call, request) {
    const { caller, engine, now } = call;
    const { role } = request;
    const { organisationId, organisation, kind, role: inviterRole } = caller.membership;
    if (personKindOf(role) !== kind)
      return refuse("INVALID_REQUEST", "This role is not of this organisation.");
    const denied = roleRefusal(inviterRole, kind, role);
    if (denied) return refuse(denied);
    const email = toEmail(request.email);
    const { token, tokenHash } = newToken();
    const invitationId = newId("inv");
    const expiresAt = new Date(now.getTime() + invitationLifetimeMs);
    const invitation = {
      invitationId,
      organisationId,
      email,
      role,
      invitedBy: caller.person.personId,
      expiresAt,
    };
    const refusal = await call.transaction(async (tx) => {
      // Locked (race): a person who is removed or demoted at the same time must not send an invitation that survives
      // this.
      const roles = await lockMemberships(tx, organisationId);
      const change = {
        actor: caller.person.personId,
        permission: "people.invite",
        before: undefined,
        after: role,
      } as const;
      if (roles.get(caller.person.personId) !== inviterRole) return refuse("NOT_ALLOWED");
      if (!call.isApproved && !isDeveloper(caller) && roleChangeNeedsApproval(kind, roles, change))
        return refuse("APPROVAL_NEEDED", missingApproverDetail(kind, roles));
      const maySend =
        (await countAttempt(tx, `invitations of ${organisationId}`, organisationLimit, now)) &&
        (await countAttempt(tx, `invitation to ${mailboxOf(email)}`, mailboxLimit, now));
      if (!maySend) return refuse("TRY_LATER");
      await insertInvitation(tx, invitation, tokenHash, now);
      await insertAudit(tx, {
        actor: actorOf(caller),
        act: "invitation.send",
        subject: invitationId,
        organisationId,
        after: { email, role },
      });
      return undefined;
    });
    if (refusal) return refusal;
    const inviter = caller.person.name;
    call.sendAfterCommit([
      invitationEmail(engine.publicUrl, { to: email, token, organisation, inviter, role }),
    ]);
    return { answer: { invitationId } };
  },
});

export const revokeInvitation = memberRoute({
  method: "POST",
  path: "/accounts/invitations/revoke",
  summary: "Withdraws an invitation and invalidates its link.",
  access: "people.invite",
  request: Body({ invitationId: TokenOrId }),
  response: EmptyObject,

  async handle(call, { invitationId }) {
    const { caller } = call;
    const { organisationId } = caller.membership;
    return call.transaction(async (tx) => {
      const deleted = await deleteInvitation(tx, organisationId, invitationId);
      if (!deleted) return refuse("NOT_FOUND");
      await insertAudit(tx, {
        actor: actorOf(caller),
        act: "invitation.revoke",
        subject: invitationId,
        organisationId,
        before: { email: deleted.email, role: deleted.role },
      });
      return { answer: {} };
    });
  },
});

/** `acceptInvitation` serves people who are signed in, and newcomers, who set up a sign-in method afterwards. */
export const acceptInvitation = openRoute({
  method: "POST",
  path: "/accounts/invitations/accept",
  summary: "Accepts the link of an invitation and joins the organisation.",
  request: Body({ token: TokenOrId, name: Name }),
  response: EmptyObject,

  async handle(call, { token, name }) {
    const { caller, now } = call;
    const { site } = call.engine;
    const isSignedIn = caller !== undefined && !isSettingUp(caller.session);
    return call.transaction(async (tx) => {
      const invitation = await lockInvitation(tx, sha256(token), now);
      if (invitation?.kind !== organisationKindOf(site)) return refuse("LINK_INVALID");
      if (isSignedIn) return joinSignedIn(tx, { ...call, caller }, invitation);
      const { email } = invitation;
      const { personId } = await findOrInsertPerson(tx, { personId: newId("per"), email, name }, now);
      await lockPerson(tx, personId);
      if (await canSignIn(tx, personId, site)) return refuse("SIGN_IN_FIRST");
      await join(tx, invitation, personId, now);
      const { network, browser } = call;
      return {
        answer: {},
        cookie: await beginSession(tx, site, { personId, method: "link", now, network, browser, caller }),
      };
    });
  },
});

async function joinSignedIn(
  tx: Tx,
  { caller, now }: Call & { readonly caller: Caller },
  invitation: OpenInvitation,
): Promise<RouteResult<object>> {
  if (caller.person.email !== invitation.email) return refuse("OTHER_PERSON");
  await join(tx, invitation, caller.person.personId, now);
  await chooseOrganisation(tx, caller.session.sessionId, invitation.organisationId);
  return { answer: {} };
}

async function join(tx: Tx, invitation: OpenInvitation, personId: string, now: Date): Promise<void> {
  const { organisationId, invitationId, role } = invitation;
  await deleteInvitation(tx, organisationId, invitationId);
  // A member keeps its role, so an invitation cannot be used to change it.
  await insertMembership(tx, { organisationId, personId, role }, now);
  const actor = { kind: "person", name: personId, role } as const;
  await insertAudit(tx, { actor, act: "invitation.accept", subject: invitationId, organisationId });
}
