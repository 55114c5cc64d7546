import { writeFile, readFile } from "node:fs/promises";
import { insertGatewayKey, insertHeldKey, listGatewayKeys } from "../../keys/gateway-key.sql.ts";
import { findWrappedSecret, insertWrappedSecret } from "../../keys/installation.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Tx } from "../../postgres/sql.ts";
import { rewrapGatewayKey } from "../../signing/gateway-keys.ts";
import { openInstallationSecret, rewrapSecret } from "../../signing/secrets.ts";
import {
  readKeyEncryptionKey,
  unwrapUnder,
  wrappingKeysOf,
  wrapUnder,
  type WrappingKeys,
} from "../../signing/wrapping-keys.ts";
import { insertConnectorRow, listConnectorRows } from "../../providers/connector.sql.ts";
import { actAsOwner, asOwner, type Operator } from "../../operator-session/as-owner.ts";
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

interface Files {
  /** Key file of this installation. */
  readonly keyFile: string;
  /** Key that encrypts the export; source and target cell both have it. */
  readonly sealFile: string;
  readonly file: string;
}

/** `exportFleet` writes gateway keys, installation secret and connectors to a file, encrypted with the seal key. */
export async function exportFleet(
  { url, environment }: Operator,
  { keyFile, sealFile, file }: Files,
): Promise<FleetCounts> {
  const sealing = wrappingKeysOf(await readKeyEncryptionKey(sealFile), await readKeyEncryptionKey(keyFile));
  const data = await asOwner(url, environment, systemScope, (tx) => readFleet(tx, sealing, environment));
  await writeFile(
    file,
    wrapUnder(sealing, Buffer.from(JSON.stringify(data, base64Values)), placeOf(environment)),
    {
      mode: 0o600,
    },
  );
  return countsOf(data);
}

async function readFleet(tx: Tx, sealing: WrappingKeys, environment: string): Promise<FleetData> {
  const wrapped = await findWrappedSecret(tx);
  if (!wrapped) throw new CommandFailed("There is no gateway key to export. Run `gateway-key add` first.");
  const gatewayKeys = (await listGatewayKeys(tx)).map((key) =>
    "heldAs" in key ? key : (rewrapGatewayKey(key, sealing, environment) ?? key),
  );
  const secret = rewrapSecret(wrapped, sealing, environment) ?? wrapped;
  return { gatewayKeys, secret, connectors: await listConnectorRows(tx) };
}

/**
 * `importFleet` imports the fleet's data. An installation with a different secret is rejected, because its checkout
 * links and request fingerprints are derived from that secret.
 */
export async function importFleet(
  operator: Operator,
  { keyFile, sealFile, file }: Files,
): Promise<FleetCounts> {
  const { environment } = operator;
  const [own, seal] = [await readKeyEncryptionKey(keyFile), await readKeyEncryptionKey(sealFile)];
  const opened = unwrapUnder(wrappingKeysOf(seal), await readFile(file), placeOf(environment));
  const data = JSON.parse(opened.toString("utf8"), withBuffers) as FleetData;
  const wrappingKeys = wrappingKeysOf(own, seal);
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
  const found = await findWrappedSecret(tx);
  if (!found) return insertWrappedSecret(tx, rewrapSecret(secret, keys, environment) ?? secret);
  const [ours, theirs] = [found, secret].map((each) => openInstallationSecret(each, keys, environment));
  if (ours && !theirs?.equals(ours))
    throw new CommandFailed("This installation already has another secret, so it cannot import the fleet's.");
}

async function importKeys(
  tx: Tx,
  { gatewayKeys }: FleetData,
  keys: WrappingKeys,
  environment: string,
): Promise<void> {
  const found = new Map((await listGatewayKeys(tx)).map((key) => [key.version, key]));
  for (const key of gatewayKeys) {
    const ours = found.get(key.version);
    if (ours && !ours.publicKey.equals(key.publicKey))
      throw new CommandFailed(
        `This installation already has a different gateway key of version ${key.version}.`,
      );
    if (ours) continue;
    if ("heldAs" in key) await insertHeldKey(tx, key);
    else await insertGatewayKey(tx, rewrapGatewayKey(key, keys, environment) ?? key);
  }
}

function countsOf({ gatewayKeys, connectors }: FleetData): FleetCounts {
  return { gatewayKeyVersions: gatewayKeys.map(({ version }) => version), connectorCount: connectors.length };
}

function placeOf(environment: string): string {
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
