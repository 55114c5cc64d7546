import { sql, type Tx } from "../../../server/src/postgres/sql.ts";

/** `isKnownDevice` returns true if a person with this address signed in with this device since the given time. */
export async function isKnownDevice(
  tx: Tx,
  { tokenHash, email }: { readonly tokenHash: Uint8Array; readonly email: string },
  since: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    select from known_devices d join people p on p.person_id = d.person_id
    where d.token_hash = ${tokenHash} and p.email = ${email} and d.signed_in_at > ${since}
  `);
  return rows.length > 0;
}

export async function insertKnownDevice(
  tx: Tx,
  tokenHash: Uint8Array,
  personId: string,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into known_devices (token_hash, person_id, signed_in_at) values (${tokenHash}, ${personId}, ${now})
  `);
}

export async function deleteKnownDevice(tx: Tx, tokenHash: Uint8Array): Promise<void> {
  await tx.query(sql`delete from known_devices where token_hash = ${tokenHash}`);
}

/** `deleteKnownDevices` deletes all devices of a person, because an attacker with the old credentials may have one. */
export async function deleteKnownDevices(tx: Tx, personId: string): Promise<void> {
  await tx.query(sql`delete from known_devices where person_id = ${personId}`);
}

export async function deleteOldKnownDevices(tx: Tx, before: Date): Promise<void> {
  await tx.query(sql`delete from known_devices where signed_in_at <= ${before}`);
}
