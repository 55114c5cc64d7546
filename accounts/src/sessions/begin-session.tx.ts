import { randomBytes } from "node:crypto";
import { sha256 } from "../../../server/src/core/digest.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { newId } from "../new-id.ts";
import { listOwnOrganisations } from "../organisations/organisation.sql.ts";
import { kindAt, type Door } from "./door.ts";
import type { Caller, Method } from "./session.ts";
import { deleteSession, insertSession, renewSession } from "./session.sql.ts";

export interface Beginning {
  readonly personId: string;
  readonly method: Method;
  readonly now: Date;
  readonly network: string;
  readonly browser: string;
  /** The session that the browser had until now. */
  readonly caller: Caller | undefined;
}

/** A secret of 256 bits; the database has its digest alone. */
export function newToken(): { readonly token: string; readonly tokenHash: Buffer } {
  const token = randomBytes(32).toString("base64url");
  return { token, tokenHash: sha256(token) };
}

/**
 * A new session under a new token, whatever the browser sent before (session fixation); the old one ends. It begins in the
 * organisation in which the person has been the longest, of those that come in by this door.
 */
export async function beginSession(tx: Tx, door: Door, beginning: Beginning): Promise<Begun> {
  const { personId, method, now, network, browser, caller } = beginning;
  const { token, tokenHash } = newToken();
  if (caller) await deleteSession(tx, caller.person.personId, caller.session.sessionId);
  const own = await listOwnOrganisations(tx, personId);
  const first = own.find(({ kind }) => kind === kindAt(door));
  const session = {
    sessionId: newId("ses"),
    tokenHash,
    door,
    personId,
    organisationId: first?.organisationId,
    method,
    network,
    browser,
  };
  await insertSession(tx, session, now);
  return { token, organisationId: first?.organisationId };
}

interface Begun {
  readonly token: string;
  readonly organisationId: string | undefined;
}

/** Rotation at a rise of rights: the token from before opens nothing any more. */
export async function stepUpSession(
  tx: Tx,
  sessionId: string,
  now: Date,
): Promise<{ readonly token: string } | undefined> {
  const { token, tokenHash } = newToken();
  return (await renewSession(tx, sessionId, { tokenHash, steppedUpAt: now })) ? { token } : undefined;
}
