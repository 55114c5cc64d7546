import { insertAudit as insertRow } from "../../../server/src/audit/audit.sql.ts";
import { sql, type Tx } from "../../../server/src/postgres/sql.ts";
import type { Person } from "../people/person.ts";
import type { AuditEntry } from "./audit-entry.ts";

/**
 * `insertAudit` writes an entry about an organisation in the transaction of the action, so that both commit or
 * neither does.
 */
export async function insertAudit(tx: Tx, { organisationId, ...entry }: AuditEntry): Promise<void> {
  await insertRow(tx, { ...entry, clientId: organisationId });
}

/** `hasAuditEntry` returns true if this person has done this action in this organisation since the given time. */
export async function hasAuditEntry(
  tx: Tx,
  { organisationId, actor, act }: Pick<AuditEntry, "organisationId" | "actor" | "act">,
  since: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    select from audit where about_client = ${organisationId} and act = ${act} and actor = ${actor.name} and at >= ${since} limit 1
  `);
  return rows.length > 0;
}

/**
 * `listNamesForAudit` returns the people whose names the audit log of an organisation may show: current members, former
 * members, and the given people.
 */
export async function listNamesForAudit(
  tx: Tx,
  organisationId: string,
  others: readonly string[],
): Promise<readonly Person[]> {
  const rows = await tx.query<{ person_id: string; name: string; email: string }>(sql`
    select person_id, name, email from people where person_id = any (${others}) or person_id in (
      select person_id from memberships where organisation_id = ${organisationId}
      union all select subject from audit where about_client = ${organisationId} and act = 'membership.end')
    order by name, person_id
  `);
  return rows.map(({ person_id: personId, name, email }) => ({ personId, name, email }));
}
