import { sql, type Tx } from "../../../server/src/postgres/sql.ts";

export interface Registration {
  readonly email: string;
  readonly name: string;
  readonly organisation: string;
}

export async function insertRegistration(
  tx: Tx,
  linkHash: Uint8Array,
  { email, name, organisation }: Registration,
  expiresAt: Date,
): Promise<void> {
  await tx.query(sql`
    insert into registrations (link_hash, email, name, organisation, expires_at)
    values (${linkHash}, ${email}, ${name}, ${organisation}, ${expiresAt})
  `);
}

/** `consumeRegistration` consumes a link, which is valid once. */
export async function consumeRegistration(
  tx: Tx,
  linkHash: Uint8Array,
  now: Date,
): Promise<Registration | undefined> {
  const [row] = await tx.query<Registration>(sql`
    delete from registrations where link_hash = ${linkHash} and expires_at > ${now}
    returning email, name, organisation
  `);
  return row;
}
