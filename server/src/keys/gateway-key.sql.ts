import { sql, type Tx } from "../postgres/sql.ts";
import type { GatewayPublicKey } from "./gateway-key.ts";

/** A key pair of the gateway as it is stored: the private half wrapped. */
interface StoredKey {
  readonly version: number;
  readonly publicKey: Buffer;
  readonly wrappedPrivateKey: Buffer;
}

export async function listGatewayKeys(tx: Tx): Promise<readonly StoredKey[]> {
  const rows = await tx.query<{ version: number; public_key: Buffer; wrapped_private_key: Buffer }>(sql`
    select version, public_key, wrapped_private_key from gateway_keys order by version
  `);
  return rows.map(({ version, public_key, wrapped_private_key }) => ({
    version,
    publicKey: public_key,
    wrappedPrivateKey: wrapped_private_key,
  }));
}

/** The public halves, oldest first. */
export async function listGatewayPublicKeys(tx: Tx): Promise<readonly GatewayPublicKey[]> {
  const rows = await tx.query<{ version: number; public_key: Buffer; created_at: Date }>(sql`
    select version, public_key, created_at from gateway_keys order by version
  `);
  return rows.map(({ version, public_key, created_at }) => ({
    version,
    publicKey: public_key,
    createdAt: created_at,
  }));
}

export async function insertGatewayKey(tx: Tx, key: StoredKey): Promise<void> {
  await tx.query(sql`
    insert into gateway_keys (version, public_key, wrapped_private_key)
    values (${key.version}, ${key.publicKey}, ${key.wrappedPrivateKey})
  `);
}
