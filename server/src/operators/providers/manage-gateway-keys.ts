import { createHash, createPublicKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { DatabaseError } from "pg";
import { insertWrappedSecret } from "../../keys/installation.sql.ts";
import {
  deleteGatewayKey,
  insertGatewayKey,
  insertExternalKey,
  listGatewayPublicKeys,
} from "../../keys/gateway-key.sql.ts";
import { countClientsByGatewayKey } from "../../merchants/client.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Environment } from "../../postgres/migrate.ts";
import type { Tx } from "../../postgres/sql.ts";
import { algorithmOf, type Algorithm } from "../../signing/algorithm.ts";
import { createGatewayKey, missingKeyMessage } from "../../signing/gateway-keys.ts";
import { exportDer, isKeyProblem, readProviderKey } from "../../signing/public-key.ts";
import { createWrappedSecret } from "../../signing/secrets.ts";
import { readWrappingKeys } from "../../signing/wrapping-keys.ts";
import { listConnectors } from "../../providers/connector.sql.ts";
import {
  actAsOwner,
  queryAsOwner,
  type ActAttribution,
  type Operator,
} from "../../operator-session/owner-session.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { formatUtcTime, formatTextTable } from "../../formats/text-table.ts";

/**
 * `addGatewayKey` creates the next gateway key: an RSA pair, and an Ed25519 pair for connectors. Merchants stay
 * pinned to their key.
 */
export async function addGatewayKey(
  url: string,
  environment: Environment,
  keyFile: string,
  by: ActAttribution = {},
): Promise<number> {
  const wrappingKeys = await readWrappingKeys(keyFile);
  return actAsOwner({ url, environment, by }, systemScope, async (tx) => {
    const version = ((await listGatewayPublicKeys(tx)).at(-1)?.version ?? 0) + 1;
    // The first gateway key creates the installation secret, which then never changes.
    await insertWrappedSecret(tx, createWrappedSecret(wrappingKeys, environment));
    const key = await createGatewayKey(version, wrappingKeys, environment);
    await insertGatewayKey(tx, key);
    const after = {
      version,
      keySha256: fingerprintOf(key.publicKey),
      ...(key.ed25519 && { ed25519KeySha256: fingerprintOf(key.ed25519.publicKey) }),
    };
    return { value: version, audit: { act: "gateway-key add", subject: `gateway key ${version}`, after } };
  });
}

/** A key in an HSM or a key management service, which exports only the public halves. */
export interface NewHeldKey {
  readonly heldAs: string;
  readonly publicKeyFile: string;
  readonly ed25519PublicKeyFile?: string | undefined;
}

/**
 * `addHeldKey` registers one or two externally created key pairs. Their private halves stay in the HSM or the key
 * management service.
 */
export async function addHeldKey(
  operator: Operator,
  { heldAs, publicKeyFile, ed25519PublicKeyFile }: NewHeldKey,
): Promise<number> {
  const publicKey = await readPublicHalf(publicKeyFile, "RSA256");
  const ed25519PublicKey = ed25519PublicKeyFile
    ? await readPublicHalf(ed25519PublicKeyFile, "Ed25519")
    : undefined;
  return actAsOwner(operator, systemScope, async (tx) => {
    const newest = (await listGatewayPublicKeys(tx)).at(-1)?.version;
    if (newest === undefined)
      throw new CommandFailed(
        "The first gateway key creates the installation secret, so it cannot be held in an HSM. Run `gateway-key " +
          "add` without --held-as first.",
      );
    const version = newest + 1;
    await insertExternalKey(tx, { version, publicKey, ed25519PublicKey, heldAs });
    const after = {
      version,
      heldAs,
      keySha256: fingerprintOf(publicKey),
      ...(ed25519PublicKey && { ed25519KeySha256: fingerprintOf(ed25519PublicKey) }),
    };
    return { value: version, audit: { act: "gateway-key add", subject: `gateway key ${version}`, after } };
  });
}

async function readPublicHalf(file: string, algorithm: Algorithm): Promise<Buffer> {
  const key = readProviderKey(await readFile(file, "utf8"));
  if (isKeyProblem(key)) throw new CommandFailed(`${file}: ${key.problem}`);
  if (algorithmOf(key) !== algorithm)
    throw new CommandFailed(`${file} is not a public key for ${algorithm}.`);
  return exportDer(key);
}

/**
 * `retireGatewayKey` deletes a gateway key without pins. A foreign key constraint prevents a race: the deletion finds a
 * concurrent pin, or PostgreSQL rejects the pin.
 */
export async function retireGatewayKey(operator: Operator, version: number): Promise<void> {
  const isDeleted = await actAsOwner(operator, systemScope, async (tx) => {
    const deletedKey = await deleteGatewayKey(tx, version);
    if (!deletedKey) return { value: false, audit: undefined };
    const { publicKey, ed25519PublicKey, createdAt } = deletedKey;
    const before = {
      version,
      createdAt: createdAt.toISOString(),
      publicKey: Buffer.from(publicKey).toString("base64"),
      ...(ed25519PublicKey && { ed25519PublicKey: Buffer.from(ed25519PublicKey).toString("base64") }),
    };
    return {
      value: true,
      audit: { act: "gateway-key retire", subject: `gateway key ${version}`, before },
    };
  }).catch((error: unknown) => {
    if (error instanceof DatabaseError && error.code === foreignKeyViolation) return false;
    throw error;
  });
  if (!isDeleted) throw new CommandFailed(retireRefusal(await findPinnedKeys(operator), version));
}

/** PostgreSQL's error code `foreign_key_violation`: a merchant or connector is pinned to the key. */
const foreignKeyViolation = "23503";

function retireRefusal(keys: readonly PinnedGatewayKey[], version: number): string {
  const key = keys.find((each) => each.version === version);
  const versions = keys.map((each) => each.version).join(", ") || "none";
  if (!key) return `There is no gateway key of version ${version}. Versions: ${versions}.`;
  const { merchantCount, connectors } = key;
  const pinnedTo = [
    ...(merchantCount > 0 ? [`${merchantCount} merchants`] : []),
    ...(connectors.length > 0 ? [`the connectors ${connectors.join(", ")}`] : []),
  ];
  return pinnedTo.length > 0
    ? `Gateway key ${version} is in use: pinned to it are ${pinnedTo.join(" and ")}. Pin them to another key ` +
        "first."
    : `Gateway key ${version} is the newest, which new merchants and connectors use. Run \`gateway-key add\` ` +
        "first.";
}

/** SHA-256 of a public key in DER form, in hex. */
export function fingerprintOf(publicKey: Uint8Array): string {
  return createHash("sha256").update(publicKey).digest("hex");
}

/** The public halves of a gateway key. */
export interface GatewayKeyDetails {
  readonly version: number;
  /**
   * RSA public key, PEM. Merchants verify responses and webhooks with it, and providers with an RSA key verify our
   * messages.
   */
  readonly publicKey: string;
  /** Ed25519 public key, PEM, for providers with an Ed25519 key. */
  readonly ed25519PublicKey?: string | undefined;
  readonly createdAt: Date;
}

/** Returns all gateway keys, oldest first. */
export async function findGatewayKeys({ url, environment }: Operator): Promise<readonly GatewayKeyDetails[]> {
  const keys = await queryAsOwner(url, environment, systemScope, listGatewayPublicKeys);
  return keys.map(({ publicKey, ed25519PublicKey, ...key }) => ({
    ...key,
    publicKey: pemOf(publicKey),
    ...(ed25519PublicKey && { ed25519PublicKey: pemOf(ed25519PublicKey) }),
  }));
}

/** Returns the public key for this algorithm, PEM. */
export function selectPublicKey(key: GatewayKeyDetails, algorithm: Algorithm): string {
  const pem = algorithm === "Ed25519" ? key.ed25519PublicKey : key.publicKey;
  if (pem === undefined) throw new CommandFailed(missingKeyMessage(key.version, algorithm));
  return pem;
}

/** Returns all public keys of the gateway as one PEM text, for providers that accept several keys. */
export function allPublicKeys(keys: readonly GatewayKeyDetails[]): string {
  return keys.flatMap(({ publicKey, ed25519PublicKey = "" }) => [publicKey, ed25519PublicKey]).join("");
}

/** A gateway key with the clients and connectors that are pinned to it. The key can be retired when there are none. */
export interface PinnedGatewayKey extends Pick<GatewayKeyDetails, "version" | "createdAt"> {
  readonly keySha256: string;
  readonly merchantCount: number;
  readonly connectors: readonly string[];
}

export async function findPinnedKeys({ url, environment }: Operator): Promise<readonly PinnedGatewayKey[]> {
  return queryAsOwner(url, environment, systemScope, async (tx) => {
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

export function gatewayKeyTable(keys: readonly GatewayKeyDetails[]): string {
  const rows = keys.map(({ version, createdAt }) => [String(version), formatUtcTime(createdAt)]);
  return rows.length === 0
    ? "There are no gateway keys. Create one with `tollgate gateway-key add`."
    : formatTextTable([["version", "since"], ...rows]);
}

export function pemOf(der: Uint8Array): string {
  const key = createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" });
  return key.export({ format: "pem", type: "spki" }).toString();
}

/**
 * Rejects a pin to an unknown gateway key, or to one without a pair for this algorithm, because signing would always
 * fail.
 */
export async function refuseUnknownGatewayKey(
  tx: Tx,
  version: number,
  algorithm: Algorithm = "RSA256",
): Promise<void> {
  const keys = await listGatewayPublicKeys(tx);
  const found = keys.find((key) => key.version === version);
  const versions = keys.map((key) => key.version).join(", ");
  if (!found)
    throw new CommandFailed(`There is no gateway key of version ${version}. Versions: ${versions}.`);
  if (algorithm === "Ed25519" && !found.ed25519PublicKey)
    throw new CommandFailed(missingKeyMessage(version, algorithm));
}
