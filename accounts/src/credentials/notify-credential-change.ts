import type { Tx } from "../../../server/src/postgres/sql.ts";
import type { Call } from "../api/route.ts";
import { credentialChangeEmail, type CredentialChange } from "../mail/credential-emails.ts";
import { canSignIn } from "../people/person.sql.ts";
import { sites } from "../people/site.ts";
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
  if (method === "link" && !(await canSignInAtOtherSite(tx, call))) return;
  call.sendAfterCommit([
    credentialChangeEmail(engine.publicUrl, { to: caller.person.email, change, at: now, network }),
  ]);
}

/**
 * `canSignInAtOtherSite` returns true if the person has a credential at the other site. A link sets up the first
 * credential of one site only.
 */
async function canSignInAtOtherSite(
  tx: Tx,
  { engine, caller }: Call & { readonly caller: Caller },
): Promise<boolean> {
  for (const site of sites)
    if (site !== engine.site && (await canSignIn(tx, caller.person.personId, site))) return true;
  return false;
}
