import { sql, type Tx } from "../../../server/src/postgres/sql.ts";

/**
 * `listNoticeRecipients` returns the addresses for notices: the person, the owners of all organisations of the person, and
 * for staff all staff.
 */
export async function listNoticeRecipients(tx: Tx, personId: string): Promise<readonly string[]> {
  const rows = await tx.query<{ email: string }>(sql`
    select email from people where person_id = ${personId}
    union
    select p.email from memberships own
      join organisations o on o.organisation_id = own.organisation_id
      join memberships m on m.organisation_id = own.organisation_id and (m.role = 'owner' or o.kind = 'staff')
      join people p on p.person_id = m.person_id
    where own.person_id = ${personId}
  `);
  return rows.map(({ email }) => email);
}
