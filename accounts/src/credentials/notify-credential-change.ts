import type { Tx } from "../../../server/src/postgres/sql.ts";
import type { Call } from "../api/route.ts";
import { credentialLetter, type CredentialChange } from "../mail/credential-emails.ts";
import { canSignIn } from "../people/person.sql.ts";
import { doors } from "../people/site.ts";
import type { Caller } from "../sessions/session.ts";

/**
 * `notifyCredentialChange` notifies a person by email that a credential was added, replaced or removed. It sends nothing for the
 * first credential, which an emailed link set up, and nothing for a recovery, which has its own notices.
 */
export async function notifyCredentialChange(
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

/**
 * `signsInElsewhere` returns true if the person has a credential at the other site. A link sets up the first
 * credential of one site only.
 */
async function signsInElsewhere(
  tx: Tx,
  { engine, caller }: Call & { readonly caller: Caller },
): Promise<boolean> {
  for (const door of doors)
    if (door !== engine.door && (await canSignIn(tx, caller.person.personId, door))) return true;
  return false;
}
