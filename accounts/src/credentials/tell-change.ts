import type { Tx } from "../../../server/src/postgres/sql.ts";
import type { Call } from "../api/route.ts";
import { credentialLetter, type CredentialChange } from "../mail/credential-letters.ts";
import { canSignIn } from "../people/person.sql.ts";
import { doors } from "../sessions/door.ts";
import type { Caller } from "../sessions/session.ts";

/**
 * `tellChange` notifies a person by email that a credential was added, replaced or removed. Not told are the first credential of a
 * person, which a link in an email set up, and a recovery, which has a notice of its own.
 */
export async function tellChange(
  tx: Tx,
  call: Call & { readonly caller: Caller },
  change: CredentialChange,
): Promise<void> {
  const { engine, now, network, caller } = call;
  const { method } = caller.session;
  if (method === "recovery") return;
  if (method === "link" && !(await signsInElsewhere(tx, call))) return;
  call.tell([credentialLetter(engine.publicUrl, { to: caller.person.email, change, at: now, network })]);
}

/** A link sets up the first credential of one door. The person may have others at the other door. */
async function signsInElsewhere(
  tx: Tx,
  { engine, caller }: Call & { readonly caller: Caller },
): Promise<boolean> {
  for (const door of doors)
    if (door !== engine.door && (await canSignIn(tx, caller.person.personId, door))) return true;
  return false;
}
