import { sql, type Tx } from "../../../server/src/postgres/sql.ts";
import type { Site } from "./site.ts";
import type { Person } from "./person.ts";

/** `findOrInsertPerson` returns the person with this address, and creates it if it does not exist. */
export async function findOrInsertPerson(
  tx: Tx,
  { personId, email, name }: Person,
  now: Date,
): Promise<Person> {
  const [row] = await tx.query<PersonRow>(sql`
    insert into people (person_id, email, name, created_at) values (${personId}, ${email}, ${name}, ${now})
    on conflict (email) do update set name = people.name
    returning person_id, email, name
  `);
  if (!row) throw new Error("PostgreSQL returned no person.");
  return personOf(row);
}

export async function findPerson(tx: Tx, personId: string): Promise<Person | undefined> {
  const [row] = await tx.query<PersonRow>(sql`
    select person_id, email, name from people where person_id = ${personId}
  `);
  return row && personOf(row);
}

export async function findPersonByEmail(tx: Tx, email: string): Promise<Person | undefined> {
  const [row] = await tx.query<PersonRow>(sql`
    select person_id, email, name from people where email = ${email}
  `);
  return row && personOf(row);
}

/** `lockPerson` locks a person, so that two attempts to set up the first credential run one after the other (race). */
export async function lockPerson(tx: Tx, personId: string): Promise<void> {
  await tx.query(sql`select from people where person_id = ${personId} for update`);
}

/**
 * `canSignIn` returns whether a person has a credential for this site: a passkey, a password, or an OpenID Connect
 * identity, which is valid at both sites. Only a person without any credential can be set up by an emailed link.
 */
export async function canSignIn(tx: Tx, personId: string, site: Site): Promise<boolean> {
  const rows = await tx.query(sql`
    select from passwords where person_id = ${personId} and ${site} = 'portal'
    union all select from passkeys where person_id = ${personId} and door = ${site}
    union all select from oidc_identities where person_id = ${personId}
  `);
  return rows.length > 0;
}

interface PersonRow {
  readonly person_id: string;
  readonly email: string;
  readonly name: string;
}

function personOf({ person_id: personId, email, name }: PersonRow): Person {
  return { personId, email, name };
}
