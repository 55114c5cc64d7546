import { writeFile, readFile } from "node:fs/promises";
import { insertGatewayKey, insertExternalKey, listGatewayKeys } from "../../keys/gateway-key.sql.ts";
import { findWrappedSecret, insertWrappedSecret } from "../../keys/installation.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Tx } from "../../postgres/sql.ts";
import { rewrapGatewayKey } from "../../signing/gateway-keys.ts";
import { openInstallationSecret, rewrapSecret } from "../../signing/secrets.ts";
import {
  readKeyEncryptionKey,
  unwrapWithAnyKey,
  createWrappingKeys,
  wrapWithCurrentKey,
  type WrappingKeys,
} from "../../signing/wrapping-keys.ts";
import { insertConnectorRow, listConnectorRows } from "../../providers/connector.sql.ts";
import { actAsOwner, queryAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { CommandFailed } from "../../core/command-errors.ts";

type GatewayKeys = Awaited<ReturnType<typeof listGatewayKeys>>;

/** Data that each cell of a fleet shares. */
interface FleetData {
  readonly gatewayKeys: GatewayKeys;
  readonly secret: Buffer;
  readonly connectors: readonly string[];
}

export interface FleetCounts {
  readonly gatewayKeyVersions: readonly number[];
  readonly connectorCount: number;
}

interface FleetFiles {
  /** Key file of this installation. */
  readonly keyFile: string;
  /** Key that encrypts the export; source and target cell both have it. */
  readonly sealFile: string;
  readonly file: string;
}

/** `exportFleet` writes gateway keys, installation secret and connectors to a file, encrypted with the seal key. */
export async function exportFleet(
  { url, environment }: Operator,
  { keyFile, sealFile, file }: FleetFiles,
): Promise<FleetCounts> {
  const sealing = createWrappingKeys(
    await readKeyEncryptionKey(sealFile),
    await readKeyEncryptionKey(keyFile),
  );
  const data = await queryAsOwner(url, environment, systemScope, (tx) => readFleet(tx, sealing, environment));
  await writeFile(
    file,
    wrapWithCurrentKey(
      sealing,
      Buffer.from(JSON.stringify(data, base64Values)),
      encryptionContext(environment),
    ),
    {
      mode: 0o600,
    },
  );
  return countsOf(data);
}

async function readFleet(tx: Tx, sealing: WrappingKeys, environment: string): Promise<FleetData> {
  const wrappedSecret = await findWrappedSecret(tx);
  if (!wrappedSecret)
    throw new CommandFailed("There is no gateway key to export. Run `gateway-key add` first.");
  const gatewayKeys = (await listGatewayKeys(tx)).map((key) =>
    "heldAs" in key ? key : (rewrapGatewayKey(key, sealing, environment) ?? key),
  );
  const secret = rewrapSecret(wrappedSecret, sealing, environment) ?? wrappedSecret;
  return { gatewayKeys, secret, connectors: await listConnectorRows(tx) };
}

/**
 * `importFleet` imports the fleet's data. An installation with a different secret is rejected, because its checkout
 * links and request fingerprints are derived from that secret.
 */
export async function importFleet(
  operator: Operator,
  { keyFile, sealFile, file }: FleetFiles,
): Promise<FleetCounts> {
  const { environment } = operator;
  const [ownKey, sealKey] = [await readKeyEncryptionKey(keyFile), await readKeyEncryptionKey(sealFile)];
  const decrypted = unwrapWithAnyKey(
    createWrappingKeys(sealKey),
    await readFile(file),
    encryptionContext(environment),
  );
  const data = JSON.parse(decrypted.toString("utf8"), withBuffers) as FleetData;
  const wrappingKeys = createWrappingKeys(ownKey, sealKey);
  return actAsOwner(operator, systemScope, async (tx) => {
    await importSecret(tx, data, wrappingKeys, environment);
    await importKeys(tx, data, wrappingKeys, environment);
    for (const connector of data.connectors) await insertConnectorRow(tx, connector);
    const value = countsOf(data);
    return { value, audit: { act: "cells import-fleet", subject: "fleet", after: { ...value } } };
  });
}

async function importSecret(
  tx: Tx,
  { secret }: FleetData,
  keys: WrappingKeys,
  environment: string,
): Promise<void> {
  const ownWrappedSecret = await findWrappedSecret(tx);
  if (!ownWrappedSecret) return insertWrappedSecret(tx, rewrapSecret(secret, keys, environment) ?? secret);
  const [ownSecret, importedSecret] = [ownWrappedSecret, secret].map((each) =>
    openInstallationSecret(each, keys, environment),
  );
  if (ownSecret && !importedSecret?.equals(ownSecret))
    throw new CommandFailed("This installation already has another secret, so it cannot import the fleet's.");
}

async function importKeys(
  tx: Tx,
  { gatewayKeys }: FleetData,
  keys: WrappingKeys,
  environment: string,
): Promise<void> {
  const ownKeys = new Map((await listGatewayKeys(tx)).map((key) => [key.version, key]));
  for (const key of gatewayKeys) {
    const ownKey = ownKeys.get(key.version);
    if (ownKey && !ownKey.publicKey.equals(key.publicKey))
      throw new CommandFailed(
        `This installation already has a different gateway key of version ${key.version}.`,
      );
    if (ownKey) continue;
    if ("heldAs" in key) await insertExternalKey(tx, key);
    else await insertGatewayKey(tx, rewrapGatewayKey(key, keys, environment) ?? key);
  }
}

function countsOf({ gatewayKeys, connectors }: FleetData): FleetCounts {
  return { gatewayKeyVersions: gatewayKeys.map(({ version }) => version), connectorCount: connectors.length };
}

function encryptionContext(environment: string): string {
  return `tollgate fleet ${environment}`;
}

/** Encodes a Node `Buffer` in base64, because its default JSON, a list of numbers, is longer. */
function base64Values(_name: string, value: unknown): unknown {
  const { type, data } = Object(value) as { readonly type?: unknown; readonly data?: unknown };
  return type === "Buffer" && Array.isArray(data)
    ? { base64: Buffer.from(data as number[]).toString("base64") }
    : value;
}

function withBuffers(_name: string, value: unknown): unknown {
  const { base64 } = Object(value) as { readonly base64?: unknown };
  return typeof base64 === "string" ? Buffer.from(base64, "base64") : value;
}
