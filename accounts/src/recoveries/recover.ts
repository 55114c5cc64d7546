import { Type } from "typebox";
import { permissionsOf } from "../../../server/src/people/role.ts";
import { sha256 } from "../../../server/src/core/digest.ts";
import type { Actor } from "../../../server/src/audit/audit.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { refuse } from "../api/refusal.ts";
import { openRoute, personalRoute, type Call, type RouteResult } from "../api/route.ts";
import { Body, EmptyObject, TokenOrId } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { unauthenticatedActor } from "../audit/audit-entry.ts";
import { recoveryStoppedEmails } from "../mail/recovery-emails.ts";
import { listOwnOrganisations, type OwnOrganisation } from "../organisations/organisation.sql.ts";
import { findPerson } from "../people/person.sql.ts";
import { beginSession } from "../sessions/begin-session.tx.ts";
import { actorOf, mayAct, type Caller } from "../sessions/session.ts";
import { canVouch, hashRecoveryCode, type Recovery } from "./recovery.ts";
import { deleteRecovery, findReadyRecovery, findRecoveryByLink, lockRecovery } from "./recovery.sql.ts";
import { listNoticeRecipients } from "./recipients.sql.ts";

const TypedCode = Type.String({ minLength: 1, maxLength: 40 });

/**
 * The old credentials and the code stay valid until a new credential is set up. A person without any credential could
 * otherwise be set up by an emailed link.
 */
export const recover = openRoute({
  method: "POST",
  path: "/accounts/recover",
  summary:
    "Lets a person set up a new passkey or password, with the code that they got by email after two people vouched.",
  request: Body({ code: TypedCode }),
  response: EmptyObject,

  async handle(call, { code }) {
    const { now, network, browser, caller } = call;
    return call.transaction(async (tx) => {
      const recovery = await findReadyRecovery(tx, hashRecoveryCode(code), now);
      if (!recovery) return refuse("RECOVERY_REFUSED");
      const { personId, recoveryId } = recovery;
      // The person may have joined another organisation since, whose people did not vouch.
      const organisations = await listOwnOrganisations(tx, personId);
      const isRightSite =
        call.engine.site === (organisations.some(({ kind }) => kind === "staff") ? "operator" : "portal");
      if (!isRightSite || !canVouch(organisations, recovery.organisationId))
        return refuse("RECOVERY_REFUSED");
      const actor = { kind: "person", name: personId, role: "none" } as const;
      const organisationId = await auditOrganisationOf(tx, recovery);
      const after = { recoveryId, network, browser };
      await insertAudit(tx, { actor, act: "recovery.begin", subject: personId, organisationId, after });
      const cookie = await beginSession(tx, call.engine.site, {
        personId,
        method: "recovery",
        now,
        network,
        browser,
        caller,
      });
      return { answer: {}, cookie };
    });
  },
});

export const stopRecovery = personalRoute({
  method: "POST",
  path: "/accounts/recoveries/cancel",
  summary:
    "Stops a recovery. The person, an owner of the person's organisation, and people who may vouch can do this.",
  access: "person",
  request: Body({ recoveryId: TokenOrId }),
  response: EmptyObject,

  async handle(call, { recoveryId }) {
    const { caller, now } = call;
    return call.transaction(async (tx) => {
      const recovery = await lockRecovery(tx, recoveryId, now);
      if (!recovery || !(await mayStop(tx, caller, recovery))) return refuse("NOT_FOUND");
      return endRecovery(tx, call, recovery, actorOf(caller));
    });
  },
});

export const stopRecoveryByLink = openRoute({
  method: "POST",
  path: "/accounts/recoveries/cancel-by-link",
  summary: "Stops a recovery with the link in the email about it.",
  request: Body({ token: TokenOrId }),
  response: EmptyObject,

  async handle(call, { token }) {
    return call.transaction(async (tx) => {
      const recovery = await findRecoveryByLink(tx, sha256(token), call.now);
      return recovery ? endRecovery(tx, call, recovery, unauthenticatedActor) : refuse("LINK_INVALID");
    });
  },
});

async function endRecovery(
  tx: Tx,
  { sendAfterCommit }: Call,
  recovery: Recovery,
  actor: Actor,
): Promise<RouteResult<Record<string, never>>> {
  const { personId, recoveryId } = recovery;
  const organisationId = await auditOrganisationOf(tx, recovery);
  await deleteRecovery(tx, recovery);
  await insertAudit(tx, {
    actor,
    act: "recovery.stop",
    subject: personId,
    organisationId,
    after: { recoveryId },
  });
  const name = (await findPerson(tx, personId))?.name ?? personId;
  sendAfterCommit(recoveryStoppedEmails({ to: await listNoticeRecipients(tx, personId), name }));
  return { answer: {} };
}

async function mayStop(
  tx: Tx,
  { person, session, membership }: Caller,
  recovery: Recovery,
): Promise<boolean> {
  if (person.personId === recovery.personId) return true;
  if (!membership || !mayAct(session.method, membership.kind)) return false;
  const permissions = permissionsOf(membership.role, "live");
  // The caller may stop recoveries that the operator started, and those of colleagues like other members.
  if (
    membership.kind === "staff" &&
    permissions.includes("people.recover") &&
    recovery.organisationId === undefined
  )
    return true;
  const shared = (await listOwnOrganisations(tx, recovery.personId)).some(
    hasOrganisationId(membership.organisationId),
  );
  return shared && (membership.role === "owner" || permissions.includes("people.change"));
}

function hasOrganisationId(organisationId: string): (own: OwnOrganisation) => boolean {
  return (own) => own.organisationId === organisationId;
}

/** `auditOrganisationOf` returns the organisation whose audit log contains the recovery. */
async function auditOrganisationOf(
  tx: Tx,
  { organisationId, personId }: Recovery,
): Promise<string | undefined> {
  return organisationId ?? (await listOwnOrganisations(tx, personId))[0]?.organisationId;
}
