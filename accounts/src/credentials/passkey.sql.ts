import { sql, type Tx } from "../../../server/src/postgres/sql.ts";
import type { Site } from "../people/site.ts";

export interface Passkey {
  readonly credentialId: string;
  readonly personId: string;
  /** The site (portal or operator console) for which the passkey is valid. A passkey is bound to one host. */
  readonly site: Site;
  readonly publicKey: Uint8Array;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly name: string;
  readonly createdAt: Date;
  readonly usedAt: Date | undefined;
}

export type NewPasskey = Omit<Passkey, "createdAt" | "usedAt">;

export async function insertPasskey(tx: Tx, passkey: NewPasskey, now: Date): Promise<boolean> {
  const { credentialId, personId, site, publicKey, counter, transports, name } = passkey;
  const rows = await tx.query(sql`
    insert into passkeys (credential_id, person_id, door, public_key, counter, transports, name, created_at)
    values (${credentialId}, ${personId}, ${site}, ${publicKey}, ${counter}, ${transports}, ${name}, ${now})
    on conflict do nothing returning credential_id
  `);
  return rows.length > 0;
}

export async function findPasskey(tx: Tx, credentialId: string, site: Site): Promise<Passkey | undefined> {
  const [row] = await tx.query<PasskeyRow>(sql`
    select credential_id, person_id, door, public_key, counter, transports, name, created_at, used_at
    from passkeys where credential_id = ${credentialId} and door = ${site}
  `);
  return row && passkeyOf(row);
}

export async function listPasskeys(tx: Tx, personId: string, site: Site): Promise<readonly Passkey[]> {
  const rows = await tx.query<PasskeyRow>(sql`
    select credential_id, person_id, door, public_key, counter, transports, name, created_at, used_at
    from passkeys where person_id = ${personId} and door = ${site} order by created_at, credential_id
  `);
  return rows.map(passkeyOf);
}

/**
 * `updatePasskeyCounter` stores the new signature counter. It returns false if the counter did not grow, which indicates a
 * cloned authenticator.
 */
export async function updatePasskeyCounter(
  tx: Tx,
  credentialId: string,
  { counter, now }: { readonly counter: number; readonly now: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update passkeys set counter = ${counter}, used_at = ${now}
    where credential_id = ${credentialId} and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0))
    returning credential_id
  `);
  return rows.length > 0;
}

export async function deletePasskey(tx: Tx, personId: string, credentialId: string): Promise<void> {
  await tx.query(sql`
    delete from passkeys where person_id = ${personId} and credential_id = ${credentialId}
  `);
}

interface PasskeyRow {
  readonly credential_id: string;
  readonly person_id: string;
  readonly door: Site;
  readonly public_key: Buffer;
  readonly counter: string;
  readonly transports: readonly string[];
  readonly name: string;
  readonly created_at: Date;
  readonly used_at: Date | null;
}

function passkeyOf(row: PasskeyRow): Passkey {
  return {
    credentialId: row.credential_id,
    personId: row.person_id,
    site: row.door,
    publicKey: row.public_key,
    counter: Number(row.counter),
    transports: row.transports,
    name: row.name,
    createdAt: row.created_at,
    usedAt: row.used_at ?? undefined,
  };
}
