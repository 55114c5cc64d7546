import { writeFile, readFile } from "node:fs/promises";
import { insertGatewayKey, insertHeldKey, listGatewayKeys } from "../keys/gateway-key.sql.ts";
import { findWrappedSecret, insertWrappedSecret } from "../keys/installation.sql.ts";
import { systemScope } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { rewrapGatewayKey } from "../signing/gateway-keys.ts";
import { openInstallationSecret, rewrapSecret } from "../signing/secrets.ts";
import {
  readKeyEncryptionKey,
  unwrapUnder,
  wrappingKeysOf,
  wrapUnder,
  type WrappingKeys,
} from "../signing/wrapping-keys.ts";
import { insertConnectorRow, listConnectorRows } from "../wallets/connector.sql.ts";
import { actAsOwner, asOwner, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";

type GatewayKeys = Awaited<ReturnType<typeof listGatewayKeys>>;

/** What every cell of a fleet has a copy of. */
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
  /** The key file of this installation. */
  readonly keyFile: string;
  /** The key that the file is sealed with, made for this and known at both ends. */
  readonly sealFile: string;
  readonly file: string;
}

/** Writes the gateway's keys, the installation's secret and the connectors into a file, under a key made for it. */
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
  if (!wrapped) throw new Impossible("There is nothing to export yet: run `gateway-key add` first.");
  const gatewayKeys = (await listGatewayKeys(tx)).map((key) =>
    "heldAs" in key ? key : (rewrapGatewayKey(key, sealing, environment) ?? key),
  );
  const secret = rewrapSecret(wrapped, sealing, environment) ?? wrapped;
  return { gatewayKeys, secret, connectors: await listConnectorRows(tx) };
}

/**
 * Takes the fleet's data up. An installation that has a secret of its own is refused: its links, and what it has compared
 * repeats with, were made with that.
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
    await takeSecret(tx, data, wrappingKeys, environment);
    await takeKeys(tx, data, wrappingKeys, environment);
    for (const connector of data.connectors) await insertConnectorRow(tx, connector);
    const value = countsOf(data);
    return { value, audit: { act: "cells import-fleet", subject: "fleet", after: { ...value } } };
  });
}

async function takeSecret(
  tx: Tx,
  { secret }: FleetData,
  keys: WrappingKeys,
  environment: string,
): Promise<void> {
  const found = await findWrappedSecret(tx);
  if (!found) return insertWrappedSecret(tx, rewrapSecret(secret, keys, environment) ?? secret);
  const [ours, theirs] = [found, secret].map((each) => openInstallationSecret(each, keys, environment));
  if (ours && !theirs?.equals(ours))
    throw new Impossible("This installation has a secret of its own, and cannot take that of the fleet.");
}

async function takeKeys(
  tx: Tx,
  { gatewayKeys }: FleetData,
  keys: WrappingKeys,
  environment: string,
): Promise<void> {
  const found = new Map((await listGatewayKeys(tx)).map((key) => [key.version, key]));
  for (const key of gatewayKeys) {
    const ours = found.get(key.version);
    if (ours && !ours.publicKey.equals(key.publicKey))
      throw new Impossible(`This installation has another gateway key of version ${key.version}.`);
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

/** Node writes bytes as a list of numbers. */
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
