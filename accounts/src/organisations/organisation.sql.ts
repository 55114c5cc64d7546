import type { PersonKind, Role } from "../../../server/src/people/role.ts";
import { sql, type Tx } from "../../../server/src/postgres/sql.ts";
import type { Organisation } from "./organisation.ts";

export interface NewOrganisation {
  readonly organisationId: string;
  readonly kind: PersonKind;
  readonly name: string;
}

export async function insertOrganisation(
  tx: Tx,
  { organisationId, kind, name }: NewOrganisation,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into organisations (organisation_id, kind, name, created_at)
    values (${organisationId}, ${kind}, ${name}, ${now})
  `);
}

export async function findStaff(tx: Tx): Promise<Organisation | undefined> {
  const [row] = await tx.query<OrganisationRow>(sql`
    select organisation_id, kind, name, live_since from organisations where kind = 'staff'
  `);
  return row && organisationOf(row);
}

export interface OwnOrganisation extends Organisation {
  readonly role: Role;
}

/** `listOwnOrganisations` returns the organisations of a person, oldest membership first. */
export async function listOwnOrganisations(tx: Tx, personId: string): Promise<readonly OwnOrganisation[]> {
  const rows = await tx.query<OrganisationRow & { readonly role: Role }>(sql`
    select o.organisation_id, o.kind, o.name, o.live_since, m.role
    from memberships m join organisations o on o.organisation_id = m.organisation_id
    where m.person_id = ${personId} order by m.since, o.organisation_id
  `);
  return rows.map((row) => ({ ...organisationOf(row), role: row.role }));
}

export async function findMerchant(tx: Tx, organisationId: string): Promise<Organisation | undefined> {
  const [row] = await tx.query<OrganisationRow>(sql`
    select organisation_id, kind, name, live_since from organisations
    where organisation_id = ${organisationId} and kind = 'merchant'
  `);
  return row && organisationOf(row);
}

/** `findOrganisationNames` returns the names of organisations by id. */
export async function findOrganisationNames(
  tx: Tx,
  organisationIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.query<Pick<OrganisationRow, "organisation_id" | "name">>(sql`
    select organisation_id, name from organisations where organisation_id = any (${organisationIds})
  `);
  return new Map(rows.map(({ organisation_id: organisationId, name }) => [organisationId, name]));
}

export async function enableLive(tx: Tx, organisationId: string, now: Date): Promise<void> {
  await tx.query(sql`
    update organisations set live_since = ${now}
    where organisation_id = ${organisationId} and kind = 'merchant' and live_since is null
  `);
}

export interface OrganisationRow {
  readonly organisation_id: string;
  readonly kind: PersonKind;
  readonly name: string;
  readonly live_since: Date | null;
}

export function organisationOf(row: OrganisationRow): Organisation {
  return {
    organisationId: row.organisation_id,
    kind: row.kind,
    name: row.name,
    liveSince: row.live_since ?? undefined,
  };
}
