import { Type } from "typebox";
import { permissionsOf } from "../../../server/src/people/role.ts";
import { sha256 } from "../../../server/src/core/digest.ts";
import type { Actor } from "../../../server/src/audit/audit.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { refuse } from "../api/refusal.ts";
import { openRoute, personalRoute, type Call, type Handled } from "../api/route.ts";
import { Body, Nothing, Word } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { unauthenticatedActor } from "../audit/audit.ts";
import { stoppedLetters } from "../mail/recovery-emails.ts";
import { listOwnOrganisations, type OwnOrganisation } from "../organisations/organisation.sql.ts";
import { findPerson } from "../people/person.sql.ts";
import { beginSession } from "../sessions/begin-session.tx.ts";
import { actorOf, mayAct, type Caller } from "../sessions/session.ts";
import { canVouch, codeHash, type Recovery } from "./recovery.ts";
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
  response: Nothing,

  async handle(call, { code }) {
    const { now, network, browser, caller } = call;
    return call.transaction(async (tx) => {
      const recovery = await findReadyRecovery(tx, codeHash(code), now);
      if (!recovery) return refuse("RECOVERY_REFUSED");
      const { personId, recoveryId } = recovery;
      // The person may have joined another organisation since, whose people did not vouch.
      const own = await listOwnOrganisations(tx, personId);
      const isHere = call.engine.door === (own.some(({ kind }) => kind === "staff") ? "operator" : "portal");
      if (!isHere || !canVouch(own, recovery.organisationId)) return refuse("RECOVERY_REFUSED");
      const actor = { kind: "person", name: personId, role: "none" } as const;
      const organisationId = await homeOf(tx, recovery);
      const after = { recoveryId, network, browser };
      await insertAudit(tx, { actor, act: "recovery.begin", subject: personId, organisationId, after });
      const cookie = await beginSession(tx, call.engine.door, {
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
  who: "person",
  request: Body({ recoveryId: Word }),
  response: Nothing,

  async handle(call, { recoveryId }) {
    const { caller, now } = call;
    return call.transaction(async (tx) => {
      const recovery = await lockRecovery(tx, recoveryId, now);
      if (!recovery || !(await mayStop(tx, caller, recovery))) return refuse("NOT_FOUND");
      return stop(tx, call, recovery, actorOf(caller));
    });
  },
});

export const stopRecoveryByLink = openRoute({
  method: "POST",
  path: "/accounts/recoveries/cancel-by-link",
  summary: "Stops a recovery with the link in the email about it.",
  request: Body({ token: Word }),
  response: Nothing,

  async handle(call, { token }) {
    return call.transaction(async (tx) => {
      const recovery = await findRecoveryByLink(tx, sha256(token), call.now);
      return recovery ? stop(tx, call, recovery, unauthenticatedActor) : refuse("LINK_INVALID");
    });
  },
});

async function stop(
  tx: Tx,
  { tell }: Call,
  recovery: Recovery,
  actor: Actor,
): Promise<Handled<Record<string, never>>> {
  const { personId, recoveryId } = recovery;
  const organisationId = await homeOf(tx, recovery);
  await deleteRecovery(tx, recovery);
  await insertAudit(tx, {
    actor,
    act: "recovery.stop",
    subject: personId,
    organisationId,
    after: { recoveryId },
  });
  const name = (await findPerson(tx, personId))?.name ?? personId;
  tell(stoppedLetters({ to: await listNoticeRecipients(tx, personId), name }));
  return { answer: {} };
}

async function mayStop(tx: Tx, { person, session, place }: Caller, recovery: Recovery): Promise<boolean> {
  if (person.personId === recovery.personId) return true;
  if (!place || !mayAct(session.method, place.kind)) return false;
  const permissions = permissionsOf(place.role, "live");
  // The caller may stop recoveries that the operator started, and those of colleagues like other members.
  if (
    place.kind === "staff" &&
    permissions.includes("people.recover") &&
    recovery.organisationId === undefined
  )
    return true;
  const shared = (await listOwnOrganisations(tx, recovery.personId)).some(isThis(place.organisationId));
  return shared && (place.role === "owner" || permissions.includes("people.change"));
}

function isThis(organisationId: string): (own: OwnOrganisation) => boolean {
  return (own) => own.organisationId === organisationId;
}

/** `homeOf` returns the organisation whose audit log contains the recovery. */
async function homeOf(tx: Tx, { organisationId, personId }: Recovery): Promise<string | undefined> {
  return organisationId ?? (await listOwnOrganisations(tx, personId))[0]?.organisationId;
}
