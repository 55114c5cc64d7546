import type { Role } from "../../../server/src/people/role.ts";
import { sql, type Tx } from "../../../server/src/postgres/sql.ts";
import type { Membership } from "./organisation.ts";

/** False when the person is a member already; the role then stays as it is. */
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

/** The addresses of those who have one of these roles. */
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
 * Locks all memberships of an organisation, person → role: two owners who each remove the other must not both
 * succeed.
 */
export async function lockMemberships(tx: Tx, organisationId: string): Promise<ReadonlyMap<string, Role>> {
  const rows = await tx.query<{ person_id: string; role: Role }>(sql`
    select person_id, role from memberships where organisation_id = ${organisationId}
    order by person_id for update
  `);
  return new Map(rows.map(({ person_id: personId, role }) => [personId, role]));
}

export async function updateRole(tx: Tx, { organisationId, personId, role }: Membership): Promise<void> {
  await tx.query(sql`
    update memberships set role = ${role}
    where organisation_id = ${organisationId} and person_id = ${personId}
  `);
}

export async function deleteMembership(tx: Tx, organisationId: string, personId: string): Promise<void> {
  await tx.query(sql`
    delete from memberships where organisation_id = ${organisationId} and person_id = ${personId}
  `);
}
