import assert from "node:assert/strict";
import { sql, type Tx } from "../postgres/sql.ts";
import type { GatewayPublicKey } from "./gateway-key.ts";

/** A key pair as PostgreSQL stores it: the private half is wrapped (encrypted). */
interface WrappedKeyPair {
  readonly publicKey: Buffer;
  readonly wrappedPrivateKey: Buffer;
}

interface WrappedKey extends WrappedKeyPair {
  readonly version: number;
  readonly ed25519?: WrappedKeyPair | undefined;
}

/** A gateway key whose private halves are in an external key holder, under a name. */
interface ExternalKey {
  readonly version: number;
  readonly publicKey: Buffer;
  readonly ed25519PublicKey?: Buffer | undefined;
  readonly heldAs: string;
}

export async function listGatewayKeys(tx: Tx): Promise<readonly (WrappedKey | ExternalKey)[]> {
  const rows = await tx.query<KeyRow>(sql`
    select version, public_key, wrapped_private_key, ed25519_public_key, wrapped_ed25519_private_key, held_as
    from gateway_keys order by version
  `);
  return rows.map(toGatewayKey);
}

function toGatewayKey(row: KeyRow): WrappedKey | ExternalKey {
  const {
    version,
    public_key: publicKey,
    ed25519_public_key: ed25519PublicKey,
    wrapped_private_key: wrapped,
  } = row;
  if (row.held_as !== null)
    return { version, publicKey, ed25519PublicKey: ed25519PublicKey ?? undefined, heldAs: row.held_as };
  assert(wrapped, "A gateway key needs either wrapped private halves or a key holder.");
  const wrappedEd25519Key = row.wrapped_ed25519_private_key;
  const ed25519 =
    ed25519PublicKey && wrappedEd25519Key
      ? { publicKey: ed25519PublicKey, wrappedPrivateKey: wrappedEd25519Key }
      : undefined;
  return { version, publicKey, wrappedPrivateKey: wrapped, ed25519 };
}

/** The public halves, oldest first. */
export async function listGatewayPublicKeys(tx: Tx): Promise<readonly GatewayPublicKey[]> {
  const rows = await tx.query<PublicRow>(sql`
    select version, public_key, ed25519_public_key, created_at from gateway_keys order by version
  `);
  return rows.map(toGatewayPublicKey);
}

export async function insertGatewayKey(tx: Tx, key: WrappedKey): Promise<void> {
  await tx.query(sql`
    insert into gateway_keys (version, public_key, wrapped_private_key, ed25519_public_key, wrapped_ed25519_private_key)
    values (${key.version}, ${key.publicKey}, ${key.wrappedPrivateKey},
      ${key.ed25519?.publicKey}, ${key.ed25519?.wrappedPrivateKey})
  `);
}

export async function insertExternalKey(
  tx: Tx,
  { version, publicKey, ed25519PublicKey, heldAs }: ExternalKey,
): Promise<void> {
  await tx.query(sql`
    insert into gateway_keys (version, public_key, ed25519_public_key, held_as)
    values (${version}, ${publicKey}, ${ed25519PublicKey}, ${heldAs})
  `);
}

/** Stores the private halves of a key after they were wrapped with another key. */
export async function updateWrappedKey(
  tx: Tx,
  { version, wrappedPrivateKey, ed25519 }: WrappedKey,
): Promise<void> {
  await tx.query(sql`
    update gateway_keys set wrapped_private_key = ${wrappedPrivateKey},
      wrapped_ed25519_private_key = ${ed25519?.wrappedPrivateKey}
    where version = ${version}
  `);
}

/**
 * Deletes a gateway key, unless it is the newest or a connector is pinned to it. Returns undefined if it deleted
 * nothing. It locks the table of connectors, so that no connector can be pinned meanwhile. A foreign key constraint
 * protects keys to which a client is pinned.
 */
export async function deleteGatewayKey(tx: Tx, version: number): Promise<GatewayPublicKey | undefined> {
  await tx.query(sql`lock table connectors in share mode`);
  const [row] = await tx.query<PublicRow>(sql`
    delete from gateway_keys
    where version = ${version} and version < (select max(version) from gateway_keys)
      and not exists (select from connectors where gateway_key_version = ${version})
    returning version, public_key, ed25519_public_key, created_at
  `);
  return row && toGatewayPublicKey(row);
}

function toGatewayPublicKey({
  version,
  public_key,
  ed25519_public_key,
  created_at,
}: PublicRow): GatewayPublicKey {
  return {
    version,
    publicKey: public_key,
    ed25519PublicKey: ed25519_public_key ?? undefined,
    createdAt: created_at,
  };
}

interface PublicRow extends Pick<KeyRow, "version" | "public_key" | "ed25519_public_key"> {
  readonly created_at: Date;
}

interface KeyRow {
  readonly version: number;
  readonly public_key: Buffer;
  readonly wrapped_private_key: Buffer | null;
  readonly ed25519_public_key: Buffer | null;
  readonly wrapped_ed25519_private_key: Buffer | null;
  readonly held_as: string | null;
}
