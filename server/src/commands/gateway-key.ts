import { createHash, createPublicKey } from "node:crypto";
import { insertWrappedSecret } from "../keys/installation.sql.ts";
import { insertGatewayKey, listGatewayPublicKeys } from "../keys/gateway-key.sql.ts";
import { countClientsByGatewayKey } from "../merchants/client.sql.ts";
import { systemScope } from "../postgres/database.ts";
import type { Environment } from "../postgres/migrate.ts";
import type { Tx } from "../postgres/sql.ts";
import type { Algorithm } from "../signing/algorithm.ts";
import { makeGatewayKey, noSuchKey, readKeyEncryptionKey } from "../signing/gateway-keys.ts";
import { makeWrappedSecret } from "../signing/secrets.ts";
import { listConnectors } from "../wallets/connector.sql.ts";
import { actAsOwner, asOwner, type ActsFor, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";
import { shownTime } from "./show.ts";
import { align } from "./table.ts";

/** Makes the next key of the gateway: a pair of RSA, and one of Ed25519 for wallets. Merchants stay with the one that they are pinned to. */
export async function addGatewayKey(
  url: string,
  environment: Environment,
  keyFile: string,
  by: ActsFor = {},
): Promise<number> {
  const keyEncryptionKey = await readKeyEncryptionKey(keyFile);
  return actAsOwner({ url, environment, by }, systemScope, async (tx) => {
    const version = ((await listGatewayPublicKeys(tx)).at(-1)?.version ?? 0) + 1;
    // The first key pair comes with the installation's secret, which then never changes.
    await insertWrappedSecret(tx, makeWrappedSecret(keyEncryptionKey, environment));
    const key = await makeGatewayKey(version, keyEncryptionKey, environment);
    await insertGatewayKey(tx, key);
    const after = {
      version,
      keySha256: fingerprintOf(key.publicKey),
      ...(key.ed25519 && { ed25519KeySha256: fingerprintOf(key.ed25519.publicKey) }),
    };
    return { value: version, audit: { act: "gateway-key add", subject: `gateway key ${version}`, after } };
  });
}

/** SHA-256 of a public key in DER form, in hex. */
export function fingerprintOf(publicKey: Uint8Array): string {
  return createHash("sha256").update(publicKey).digest("hex");
}

/** The public halves of a gateway key. */
export interface ShownGatewayKey {
  readonly version: number;
  /** PEM, RSA; what merchants verify answers and notifications with, and wallets whose own key is RSA our messages. */
  readonly publicKey: string;
  /** PEM; for wallets whose own key is Ed25519. */
  readonly ed25519PublicKey?: string | undefined;
  readonly createdAt: Date;
}

/** All gateway keys, the oldest first. */
export async function findGatewayKeys({ url, environment }: Operator): Promise<readonly ShownGatewayKey[]> {
  const keys = await asOwner(url, environment, systemScope, listGatewayPublicKeys);
  return keys.map(({ publicKey, ed25519PublicKey, ...key }) => ({
    ...key,
    publicKey: pemOf(publicKey),
    ...(ed25519PublicKey && { ed25519PublicKey: pemOf(ed25519PublicKey) }),
  }));
}

/** PEM; what verifies signatures by this algorithm. */
export function publicHalf(key: ShownGatewayKey, algorithm: Algorithm): string {
  const pem = algorithm === "Ed25519" ? key.ed25519PublicKey : key.publicKey;
  if (pem === undefined) throw new Impossible(noSuchKey(key.version, algorithm));
  return pem;
}

/** Every public half there is, PEM behind PEM: for a wallet that takes several, and follows whatever it is pinned to. */
export function publicHalves(keys: readonly ShownGatewayKey[]): string {
  return keys.flatMap(({ publicKey, ed25519PublicKey = "" }) => [publicKey, ed25519PublicKey]).join("");
}

/** A gateway key, and those who still rely on it: it can be forgotten when there are none. */
export interface PinnedGatewayKey extends Pick<ShownGatewayKey, "version" | "createdAt"> {
  readonly keySha256: string;
  readonly merchantCount: number;
  readonly connectors: readonly string[];
}

export async function findPinnedKeys({ url, environment }: Operator): Promise<readonly PinnedGatewayKey[]> {
  return asOwner(url, environment, systemScope, async (tx) => {
    const [keys, connectors] = [await listGatewayPublicKeys(tx), await listConnectors(tx)];
    const merchants = await countClientsByGatewayKey(tx);
    return keys.map(({ version, createdAt, publicKey }) => ({
      version,
      createdAt,
      keySha256: fingerprintOf(publicKey),
      merchantCount: merchants.get(version) ?? 0,
      connectors: connectors.filter((each) => each.gatewayKeyVersion === version).map(({ name }) => name),
    }));
  });
}

export function gatewayKeyTable(keys: readonly ShownGatewayKey[]): string {
  const rows = keys.map(({ version, createdAt }) => [String(version), shownTime(createdAt)]);
  return rows.length === 0
    ? "There are none: `tollgate gateway-key add` makes one."
    : align([["version", "since"], ...rows]);
}

export function pemOf(der: Uint8Array): string {
  const key = createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" });
  return key.export({ format: "pem", type: "spki" }).toString();
}

/** Refuses to pin a key that does not exist, or has no pair of this kind: every message would fail to be signed. */
export async function refuseUnknownGatewayKey(
  tx: Tx,
  version: number,
  algorithm: Algorithm = "RSA256",
): Promise<void> {
  const keys = await listGatewayPublicKeys(tx);
  const found = keys.find((key) => key.version === version);
  const versions = keys.map((key) => key.version).join(", ");
  if (!found) throw new Impossible(`There is no gateway key of version ${version}; there are ${versions}.`);
  if (algorithm === "Ed25519" && !found.ed25519PublicKey) throw new Impossible(noSuchKey(version, algorithm));
}
