import type { Tx } from "../../../server/src/postgres/sql.ts";
import type { Call } from "../api/route.ts";
import { canSignIn, lockPerson } from "../people/person.sql.ts";
import { beginSession, stepUpSession } from "../sessions/begin-session.tx.ts";
import type { Caller, Method } from "../sessions/session.ts";
import { deleteOtherSessions } from "../sessions/session.sql.ts";

/**
 * Whether a newcomer comes too late: while its page was open, the person was set up through another link. A session of a
 * link must add nothing to what exists. Locks the person.
 */
export async function isLate(tx: Tx, { person, session }: Caller): Promise<boolean> {
  await lockPerson(tx, person.personId);
  return session.method === "link" && (await canSignIn(tx, person.personId));
}

/** All other sessions end with a change of credentials. The caller's own goes on under a new token; a newcomer is signed in. */
export async function finishSetUp(
  tx: Tx,
  { now, network, browser, caller }: Call & { readonly caller: Caller },
  method: Method,
): Promise<{ readonly token: string }> {
  const { person, session } = caller;
  const { personId } = person;
  await deleteOtherSessions(tx, personId, session.sessionId);
  const renewed = session.method === "link" ? undefined : await stepUpSession(tx, session.sessionId, now);
  return renewed ?? beginSession(tx, { personId, method, now, network, browser, caller });
}
