import type { ClientKey } from "../core/client-key.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import type { StoredMerchantKey } from "./merchant-key.ts";

/**
 * Returns all keys of a merchant, including revoked ones, and locks the client: two keys that are added concurrently
 * get different versions.
 */
export async function lockMerchantKeys(
  tx: Tx,
  { bucket, clientId }: ClientKey,
): Promise<readonly StoredMerchantKey[]> {
  // Payments reference the client, and this lock does not block them: their weaker lock does not conflict with it.
  await tx.query(sql`
    select from clients where bucket = ${bucket} and client_id = ${clientId} for no key update
  `);
  const rows = await tx.query<{ version: number; public_key: Buffer; is_revoked: boolean }>(sql`
    select version, public_key, revoked_at is not null as is_revoked from client_keys
    where bucket = ${bucket} and client_id = ${clientId} order by version
  `);
  return rows.map(({ version, public_key, is_revoked }) => ({
    version,
    publicKey: public_key,
    isRevoked: is_revoked,
  }));
}

export async function insertMerchantKey(
  tx: Tx,
  clientId: string,
  { version, publicKey }: Omit<StoredMerchantKey, "isRevoked">,
): Promise<void> {
  await tx.query(sql`select add_client_key(${clientId}, ${version}, ${publicKey}::bytea)`);
}

/** Revokes a key. Returns the time of revocation, now or earlier; undefined if the key does not exist. */
export async function updateMerchantKeyRevoked(
  tx: Tx,
  clientId: string,
  version: number,
): Promise<Date | undefined> {
  const [row] = await tx.query<{ revoked_at: Date | null }>(
    sql`select revoke_client_key(${clientId}, ${version}) as revoked_at`,
  );
  return row?.revoked_at ?? undefined;
}
