import type { PersonKind, Role } from "../../../server/src/people/role.ts";
import { sql, type Tx } from "../../../server/src/postgres/sql.ts";
import { organisationKindOf, type Site } from "../people/site.ts";
import type { Caller, Method, Session } from "./session.ts";

export interface NewSession {
  readonly sessionId: string;
  readonly tokenHash: Uint8Array;
  readonly site: Site;
  readonly personId: string;
  readonly organisationId: string | undefined;
  readonly method: Method;
  readonly network: string;
  readonly browser: string;
}

export async function insertSession(tx: Tx, session: NewSession, now: Date): Promise<void> {
  const { sessionId, tokenHash, site, personId, organisationId, method, network, browser } = session;
  await tx.query(sql`
    insert into sessions (session_id, token_hash, door, person_id, organisation_id, method, created_at, seen_at, network, browser)
    values (${sessionId}, ${tokenHash}, ${site}, ${personId}, ${organisationId}, ${method}, ${now}, ${now}, ${network}, ${browser})
  `);
}

/**
 * `findCaller` returns the session with its person and the current role, so that a change of role applies to the next
 * request. It ignores sessions of another site, and organisations that do not belong to this site.
 */
export async function findCaller(tx: Tx, tokenHash: Uint8Array, site: Site): Promise<Caller | undefined> {
  const [row] = await tx.query<CallerRow>(sql`
    select s.session_id, s.method, s.created_at, s.seen_at, s.stepped_up_at, p.person_id, p.email, p.name,
      o.organisation_id, o.name as organisation, o.kind, o.live_since, m.role
    from sessions s join people p on p.person_id = s.person_id
    left join memberships m on m.organisation_id = s.organisation_id and m.person_id = s.person_id
    left join organisations o on o.organisation_id = m.organisation_id and o.kind = ${organisationKindOf(site)}
    where s.token_hash = ${tokenHash} and s.door = ${site}
  `);
  return row && callerOf(row);
}

interface CallerRow {
  readonly session_id: string;
  readonly method: Method;
  readonly created_at: Date;
  readonly seen_at: Date;
  readonly stepped_up_at: Date | null;
  readonly person_id: string;
  readonly email: string;
  readonly name: string;
  readonly organisation_id: string | null;
  readonly organisation: string | null;
  readonly kind: PersonKind | null;
  readonly live_since: Date | null;
  readonly role: Role | null;
}

function callerOf(row: CallerRow): Caller {
  const { organisation_id: organisationId, organisation, kind, role, live_since: liveSince } = row;
  const isMember = organisationId !== null && organisation !== null && kind !== null && role !== null;
  return {
    session: {
      sessionId: row.session_id,
      method: row.method,
      createdAt: row.created_at,
      seenAt: row.seen_at,
      steppedUpAt: row.stepped_up_at ?? undefined,
    },
    person: { personId: row.person_id, email: row.email, name: row.name },
    membership: isMember
      ? { organisationId, organisation, kind, role, liveSince: liveSince ?? undefined }
      : undefined,
  };
}

export async function touchSession(tx: Tx, sessionId: string, now: Date): Promise<void> {
  await tx.query(sql`update sessions set seen_at = ${now} where session_id = ${sessionId}`);
}

/**
 * `renewSession` rotates the token: the old token becomes invalid. It returns false if the session has ended in the
 * meantime.
 */
export async function renewSession(
  tx: Tx,
  sessionId: string,
  renewed: { readonly tokenHash: Uint8Array; readonly steppedUpAt: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update sessions set token_hash = ${renewed.tokenHash}, stepped_up_at = ${renewed.steppedUpAt}
    where session_id = ${sessionId} returning session_id
  `);
  return rows.length > 0;
}

export async function chooseOrganisation(tx: Tx, sessionId: string, organisationId: string): Promise<void> {
  // Changing the organisation clears the re-authentication, which counts only for the organisation in which it was
  // made.
  await tx.query(sql`
    update sessions set organisation_id = ${organisationId}, stepped_up_at = null where session_id = ${sessionId}
  `);
}

export interface ListedSession extends Session {
  readonly network: string;
  readonly browser: string;
}

export async function listSessions(tx: Tx, personId: string): Promise<readonly ListedSession[]> {
  const rows = await tx.query<{
    session_id: string;
    method: Method;
    created_at: Date;
    seen_at: Date;
    stepped_up_at: Date | null;
    network: string;
    browser: string;
  }>(sql`
    select session_id, method, created_at, seen_at, stepped_up_at, network, browser
    from sessions where person_id = ${personId} order by seen_at desc
  `);
  return rows.map((row) => ({
    sessionId: row.session_id,
    method: row.method,
    createdAt: row.created_at,
    seenAt: row.seen_at,
    steppedUpAt: row.stepped_up_at ?? undefined,
    network: row.network,
    browser: row.browser,
  }));
}

export async function deleteSession(tx: Tx, personId: string, sessionId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from sessions where person_id = ${personId} and session_id = ${sessionId} returning session_id
  `);
  return rows.length > 0;
}

/**
 * `deleteOtherSessions` ends all sessions of a person except one. After a change of credentials, an attacker's
 * sessions must end.
 */
export async function deleteOtherSessions(tx: Tx, personId: string, sessionId: string): Promise<void> {
  await tx.query(sql`delete from sessions where person_id = ${personId} and session_id <> ${sessionId}`);
}

/** `deleteExpiredRows` deletes expired rows, which are ignored already. */
export async function deleteExpiredRows(
  tx: Tx,
  {
    now,
    seenBefore,
    createdBefore,
  }: { readonly now: Date; readonly seenBefore: Date; readonly createdBefore: Date },
): Promise<void> {
  await tx.query(sql`delete from sessions where seen_at < ${seenBefore} or created_at < ${createdBefore}`);
  await tx.query(sql`delete from challenges where expires_at < ${now}`);
  await tx.query(sql`delete from registrations where expires_at < ${now}`);
  await tx.query(sql`delete from invitations where expires_at < ${now}`);
  await tx.query(sql`delete from approvals where expires_at < ${now}`);
  await tx.query(sql`delete from recoveries where expires_at < ${now}`);
  await tx.query(sql`delete from tries
    where cardinality(tried_at) = 0 or tried_at[cardinality(tried_at)] < ${seenBefore}`);
}
