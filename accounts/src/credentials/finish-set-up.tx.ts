import type { Tx } from "../../../server/src/postgres/sql.ts";
import type { Call } from "../api/route.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { recoveryCompletedEmails } from "../mail/recovery-emails.ts";
import { deleteKnownDevices } from "./known-device.sql.ts";
import { canSignIn, lockPerson } from "../people/person.sql.ts";
import { deleteOtherCredentials, deleteRecovery, lockReadyRecovery } from "../recoveries/recovery.sql.ts";
import { listNoticeRecipients } from "../recoveries/recipients.sql.ts";
import { beginSession, stepUpSession } from "../sessions/begin-session.tx.ts";
import { actorOf, isSettingUp, type Caller, type Method } from "../sessions/session.ts";
import { deleteOtherSessions } from "../sessions/session.sql.ts";

type PersonalCall = Call & { readonly caller: Caller };

/**
 * `isSetUpStale` returns true if the set-up must be rejected, because the person was set up by another link or the recovery
 * was stopped in the meantime. A session of a link must add nothing to existing credentials. Locks the person.
 */
export async function isSetUpStale(tx: Tx, { caller, engine, now }: PersonalCall): Promise<boolean> {
  const { personId } = caller.person;
  await lockPerson(tx, personId);
  const { method } = caller.session;
  if (method === "recovery") return (await lockReadyRecovery(tx, personId, now)) === undefined;
  return method === "link" && (await canSignIn(tx, personId, engine.site));
}

interface CompletedSetUp {
  readonly method: Method;
  /** The new credential. */
  readonly newCredential: { readonly credentialId: string } | "password";
}

/**
 * `completeSetUp` ends all other sessions and forgets all known devices after a change of credentials. The caller's
 * session continues with a new token; a newcomer is signed in.
 */
export async function completeSetUp(
  tx: Tx,
  call: PersonalCall,
  { method, newCredential }: CompletedSetUp,
): Promise<{ readonly token: string }> {
  const { engine, now, network, browser, caller } = call;
  const { person, session } = caller;
  const { personId } = person;
  if (session.method === "recovery") await finishRecovery(tx, call, newCredential);
  await deleteOtherSessions(tx, personId, session.sessionId);
  await deleteKnownDevices(tx, personId);
  const renewedToken = isSettingUp(session) ? undefined : await stepUpSession(tx, session.sessionId, now);
  return renewedToken ?? beginSession(tx, engine.site, { personId, method, now, network, browser, caller });
}

/** After a recovery, all previous credentials and sessions are removed, because they may be stolen. */
async function finishRecovery(
  tx: Tx,
  { caller, sendAfterCommit, now }: PersonalCall,
  newCredential: CompletedSetUp["newCredential"],
): Promise<void> {
  const { personId, name } = caller.person;
  await deleteOtherCredentials(tx, personId, newCredential);
  const recovery = await lockReadyRecovery(tx, personId, now);
  if (recovery) await deleteRecovery(tx, recovery);
  const organisationId = caller.membership?.organisationId;
  await insertAudit(tx, {
    actor: actorOf(caller),
    act: "recovery.finish",
    subject: personId,
    organisationId,
    ...(recovery && { after: { recoveryId: recovery.recoveryId } }),
  });
  sendAfterCommit(recoveryCompletedEmails({ to: await listNoticeRecipients(tx, personId), name }));
}
