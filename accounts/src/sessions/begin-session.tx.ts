import { randomBytes } from "node:crypto";
import { sha256 } from "../../../server/src/core/digest.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { newId } from "../new-id.ts";
import { listOwnOrganisations } from "../organisations/organisation.sql.ts";
import { organisationKindOf, type Site } from "../people/site.ts";
import type { Caller, Method } from "./session.ts";
import { deleteSession, insertSession, renewSession } from "./session.sql.ts";

export interface NewSessionDetails {
  readonly personId: string;
  readonly method: Method;
  readonly now: Date;
  readonly network: string;
  readonly browser: string;
  /** The previous session of the browser. */
  readonly caller: Caller | undefined;
}

/** `newToken` returns a secret of 256 bits. The database stores only its digest. */
export function newToken(): { readonly token: string; readonly tokenHash: Buffer } {
  const token = randomBytes(32).toString("base64url");
  return { token, tokenHash: sha256(token) };
}

/**
 * `beginSession` starts a session with a new token, whatever token the browser sent (session fixation), and ends the
 * old session. It selects the organisation with the oldest membership at this site.
 */
export async function beginSession(tx: Tx, site: Site, details: NewSessionDetails): Promise<BegunSession> {
  const { personId, method, now, network, browser, caller } = details;
  const { token, tokenHash } = newToken();
  if (caller) await deleteSession(tx, caller.person.personId, caller.session.sessionId);
  const organisations = await listOwnOrganisations(tx, personId);
  const organisation = organisations.find(({ kind }) => kind === organisationKindOf(site));
  const session = {
    sessionId: newId("ses"),
    tokenHash,
    site,
    personId,
    organisationId: organisation?.organisationId,
    method,
    network,
    browser,
  };
  await insertSession(tx, session, now);
  return { token, organisationId: organisation?.organisationId };
}

interface BegunSession {
  readonly token: string;
  readonly organisationId: string | undefined;
}

/** Rotates the token when permissions are raised: the previous token becomes invalid. */
export async function stepUpSession(
  tx: Tx,
  sessionId: string,
  now: Date,
): Promise<{ readonly token: string } | undefined> {
  const { token, tokenHash } = newToken();
  return (await renewSession(tx, sessionId, { tokenHash, steppedUpAt: now })) ? { token } : undefined;
}
