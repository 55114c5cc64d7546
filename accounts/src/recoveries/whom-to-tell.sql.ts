import { sql, type Tx } from "../../../server/src/postgres/sql.ts";

/** The person itself, and the owners of every organisation that it works for; of the provider, its admins. */
export async function listWhomToTell(tx: Tx, personId: string): Promise<readonly string[]> {
  const rows = await tx.query<{ email: string }>(sql`
    select email from people where person_id = ${personId}
    union
    select p.email from memberships own
      join memberships m on m.organisation_id = own.organisation_id and m.role in ('owner', 'staff-admin')
      join people p on p.person_id = m.person_id
    where own.person_id = ${personId}
  `);
  return rows.map(({ email }) => email);
}
