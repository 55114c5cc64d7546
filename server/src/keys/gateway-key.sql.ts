import { sql, type Tx } from "../postgres/sql.ts";
import type { GatewayPublicKey } from "./gateway-key.ts";

/** A key pair as it is stored: the private half wrapped. */
interface StoredPair {
  readonly publicKey: Buffer;
  readonly wrappedPrivateKey: Buffer;
}

interface StoredKey extends StoredPair {
  readonly version: number;
  readonly ed25519?: StoredPair | undefined;
}

export async function listGatewayKeys(tx: Tx): Promise<readonly StoredKey[]> {
  const rows = await tx.query<KeyRow>(sql`
    select version, public_key, wrapped_private_key, ed25519_public_key, wrapped_ed25519_private_key
    from gateway_keys order by version
  `);
  return rows.map((row) => ({
    version: row.version,
    publicKey: row.public_key,
    wrappedPrivateKey: row.wrapped_private_key,
    ed25519:
      row.ed25519_public_key && row.wrapped_ed25519_private_key
        ? { publicKey: row.ed25519_public_key, wrappedPrivateKey: row.wrapped_ed25519_private_key }
        : undefined,
  }));
}

/** The public halves, oldest first. */
export async function listGatewayPublicKeys(tx: Tx): Promise<readonly GatewayPublicKey[]> {
  const rows = await tx.query<PublicRow>(sql`
    select version, public_key, ed25519_public_key, created_at from gateway_keys order by version
  `);
  return rows.map(({ version, public_key, ed25519_public_key, created_at }) => ({
    version,
    publicKey: public_key,
    ed25519PublicKey: ed25519_public_key ?? undefined,
    createdAt: created_at,
  }));
}

export async function insertGatewayKey(tx: Tx, key: StoredKey): Promise<void> {
  await tx.query(sql`
    insert into gateway_keys (version, public_key, wrapped_private_key, ed25519_public_key, wrapped_ed25519_private_key)
    values (${key.version}, ${key.publicKey}, ${key.wrappedPrivateKey},
      ${key.ed25519?.publicKey}, ${key.ed25519?.wrappedPrivateKey})
  `);
}

interface PublicRow extends Pick<KeyRow, "version" | "public_key" | "ed25519_public_key"> {
  readonly created_at: Date;
}

interface KeyRow {
  readonly version: number;
  readonly public_key: Buffer;
  readonly wrapped_private_key: Buffer;
  readonly ed25519_public_key: Buffer | null;
  readonly wrapped_ed25519_private_key: Buffer | null;
}
