import type { Role } from "../../../server/src/people/role.ts";
import { sql, type Tx } from "../../../server/src/postgres/sql.ts";
import type { Site } from "../people/site.ts";
import type { Membership } from "./organisation.ts";

/** `insertMembership` returns false if the person is already a member; the role then stays unchanged. */
export async function insertMembership(
  tx: Tx,
  { organisationId, personId, role }: Membership,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into memberships (organisation_id, person_id, role, since)
    values (${organisationId}, ${personId}, ${role}, ${now})
    on conflict do nothing returning person_id
  `);
  return rows.length > 0;
}

export interface Member {
  readonly personId: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly since: Date;
}

export async function listMembers(tx: Tx, organisationId: string): Promise<readonly Member[]> {
  const rows = await tx.query<{
    person_id: string;
    name: string;
    email: string;
    role: Role;
    since: Date;
  }>(sql`
    select p.person_id, p.name, p.email, m.role, m.since
    from memberships m join people p on p.person_id = m.person_id
    where m.organisation_id = ${organisationId} order by m.since, p.person_id
  `);
  return rows.map(({ person_id: personId, ...rest }) => ({ personId, ...rest }));
}

/** The sign-in methods of a member at one site: number of passkeys, number of open sessions, and the last sign-in. */
export interface MemberAccess {
  readonly passkeyCount: number;
  readonly sessionCount: number;
  readonly signedInAt: Date | undefined;
}

export async function listMemberAccess(
  tx: Tx,
  { organisationId, site }: { readonly organisationId: string; readonly site: Site },
  alive: { readonly seenAfter: Date; readonly createdAfter: Date },
): Promise<ReadonlyMap<string, MemberAccess>> {
  const rows = await tx.query<{
    person_id: string;
    passkeys: number;
    sessions: number;
    signed_in_at: Date | null;
  }>(sql`
    select m.person_id, signed_in_at,
      (select count(*)::integer from passkeys k where k.person_id = m.person_id and k.door = ${site}) as passkeys,
      -- Sessions for another organisation are not counted, because they are confidential.
      (select count(*)::integer from sessions s where s.person_id = m.person_id and s.door = ${site}
        and s.organisation_id = m.organisation_id and s.seen_at > ${alive.seenAfter} and s.created_at > ${alive.createdAfter})
        as sessions
    from memberships m left join (
      select subject, max(at) as signed_in_at from audit
      where about_client = ${organisationId} and act in ('sign-in', 'developer.sign-in') group by subject
    ) last on last.subject = m.person_id
    where m.organisation_id = ${organisationId}
  `);
  return new Map(
    rows.map((row) => [
      row.person_id,
      {
        passkeyCount: row.passkeys,
        sessionCount: row.sessions,
        signedInAt: row.signed_in_at ?? undefined,
      },
    ]),
  );
}

/** `listAddresses` returns the email addresses of members with one of these roles. */
export async function listAddresses(
  tx: Tx,
  organisationId: string,
  roles: readonly Role[],
): Promise<readonly string[]> {
  const rows = await tx.query<{ email: string }>(sql`
    select p.email from memberships m join people p on p.person_id = m.person_id
    where m.organisation_id = ${organisationId} and m.role = any (${roles}) order by p.email
  `);
  return rows.map(({ email }) => email);
}

/**
 * `lockMemberships` locks all memberships of an organisation and returns person → role. Race: two owners who remove
 * each other must not both succeed.
 */
export async function lockMemberships(tx: Tx, organisationId: string): Promise<ReadonlyMap<string, Role>> {
  const rows = await tx.query<{ person_id: string; role: Role }>(sql`
    select person_id, role from memberships where organisation_id = ${organisationId}
    order by person_id for update
  `);
  return new Map(rows.map(({ person_id: personId, role }) => [personId, role]));
}

export async function updateRole(
  tx: Tx,
  { organisationId, personId, role }: Membership,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update memberships set role = ${role}, role_since = ${now}
    where organisation_id = ${organisationId} and person_id = ${personId}
  `);
}

export async function deleteMembership(tx: Tx, organisationId: string, personId: string): Promise<void> {
  await tx.query(sql`
    delete from memberships where organisation_id = ${organisationId} and person_id = ${personId}
  `);
}

/**
 * `canMemberApprove` returns whether a member may approve a request of that time. The database enforces the same rule.
 */
export async function canMemberApprove(
  tx: Tx,
  { organisationId, personId }: Pick<Membership, "organisationId" | "personId">,
  { requestedAt, now }: { readonly requestedAt: Date; readonly now: Date },
): Promise<boolean> {
  const [row] = await tx.query<{ may: boolean }>(sql`
    select member_may_approve(${organisationId}, ${personId}, ${requestedAt}, ${now}) as may
  `);
  return row?.may ?? false;
}
