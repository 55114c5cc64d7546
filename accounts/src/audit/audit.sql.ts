import { insertAudit as insertRow } from "../../../server/src/audit/audit.sql.ts";
import { sql, type Tx } from "../../../server/src/postgres/sql.ts";
import type { Person } from "../people/person.ts";
import type { AuditEntry } from "./audit.ts";

/** In the transaction of the act: either both happen, or neither does. Here it is about an organisation. */
export async function insertAudit(tx: Tx, { organisationId, ...entry }: AuditEntry): Promise<void> {
  await insertRow(tx, { ...entry, clientId: organisationId });
}

/** Whether somebody of an organisation has done this since then. */
export async function hasDone(
  tx: Tx,
  { organisationId, actor, act }: Pick<AuditEntry, "organisationId" | "actor" | "act">,
  since: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    select from audit where about_client = ${organisationId} and act = ${act} and actor = ${actor.name} and at >= ${since} limit 1
  `);
  return rows.length > 0;
}

/** The people whom the audit of an organisation can name: those who are there, who have left, and these. */
export async function listNamed(
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
