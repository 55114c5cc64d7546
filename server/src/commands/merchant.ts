import { randomInt, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { newClientId } from "../merchants/client.ts";
import {
  findClient,
  insertClient,
  insertClientKey,
  updateGatewayKeyVersion,
  updateClient,
  updateKeyRevoked,
} from "../merchants/client.sql.ts";
import { listGatewayKeys } from "../keys/gateway-key.sql.ts";
import type { Environment } from "../postgres/migrate.ts";
import type { Tx } from "../postgres/sql.ts";
import {
  derOf,
  isKeyProblem,
  possessionText,
  provesPossession,
  readPublicKey,
} from "../signing/public-key.ts";
import { asOwner, type Operator } from "./as-owner.ts";
import { pemOf, refuseUnknownGatewayKey } from "./gateway-key.ts";
import { isSchemeOfAnApp } from "../merchants/address.ts";

export interface KeyFiles {
  readonly publicKeyFile: string;
  /** Proof of possession: a signature by `openssl dgst -sha256 -sign`. Live demands it. */
  readonly proofFile: string | undefined;
}

export interface AddedMerchant {
  readonly clientId: string;
  readonly keyVersion: number;
  readonly gatewayKeyVersion: number;
  /** PEM; what the merchant verifies our answers and notifications with. */
  readonly gatewayPublicKey: string;
}

export async function addMerchant(
  { url, environment }: Operator,
  name: string,
  files: KeyFiles,
): Promise<AddedMerchant> {
  const key = await readProvenKey(environment, name, files);
  const clientId = newClientId(environment, (below) => randomInt(below));
  return asOwner(url, environment, [clientId], async (tx) => {
    const gatewayKey = await newestGatewayKey(tx);
    await insertClient(tx, { clientId, name, gatewayKeyVersion: gatewayKey.version });
    const keyVersion = await insertClientKey(tx, clientId, derOf(key));
    return { clientId, keyVersion, gatewayKeyVersion: gatewayKey.version, gatewayPublicKey: gatewayKey.pem };
  });
}

export async function addMerchantKey(
  { url, environment }: Operator,
  clientId: string,
  files: KeyFiles,
): Promise<number> {
  const key = await readProvenKey(environment, clientId, files);
  return asOwner(url, environment, [clientId], async (tx) => {
    if (!(await findClient(tx, clientId))) throw new Error(`There is no client ${clientId}.`);
    return insertClientKey(tx, clientId, derOf(key));
  });
}

export async function revokeMerchantKey(
  { url, environment }: Operator,
  clientId: string,
  version: number,
): Promise<void> {
  const revoked = await asOwner(url, environment, [clientId], (tx) =>
    updateKeyRevoked(tx, clientId, version),
  );
  if (!revoked) throw new Error(`${clientId} has no key of version ${version} that could be revoked.`);
}

/** Pins a merchant to another gateway key; the merchant has to know its public half already. */
export async function useMerchantGatewayKey(
  { url, environment }: Operator,
  clientId: string,
  version: number,
): Promise<void> {
  await asOwner(url, environment, [clientId], async (tx) => {
    await refuseUnknownGatewayKey(tx, version);
    if (!(await updateGatewayKeyVersion(tx, clientId, version)))
      throw new Error(`There is no client ${clientId}.`);
  });
}

/** Sets the URL schemes of the merchant's apps to which buyers may return; replaces earlier ones. */
export async function setLinkSchemes(
  { url, environment }: Operator,
  clientId: string,
  schemes: readonly string[],
): Promise<void> {
  refuseOddScheme(schemes);
  const change = { linkSchemes: schemes };
  const found = await asOwner(url, environment, [clientId], (tx) => updateClient(tx, clientId, change));
  if (!found) throw new Error(`There is no client ${clientId}.`);
}

export function refuseOddScheme(schemes: readonly string[]): void {
  const odd = schemes.find((scheme) => !isSchemeOfAnApp(scheme));
  if (odd !== undefined) throw new Error(`${odd}: is not a scheme that an app of a merchant's could have.`);
}

async function readProvenKey(environment: Environment, name: string, files: KeyFiles): Promise<KeyObject> {
  const key = readPublicKey(await readFile(files.publicKeyFile, "utf8"));
  if (isKeyProblem(key)) throw new Error(`${files.publicKeyFile}: ${key.problem}`);
  if (files.proofFile === undefined) {
    if (environment === "sandbox") return key;
    throw new Error(`In live, show that the merchant holds the private key: ${howToProve(name)}`);
  }
  if (provesPossession(key, name, await readFile(files.proofFile))) return key;
  throw new Error(`${files.proofFile} does not prove it. ${howToProve(name)}`);
}

function howToProve(name: string): string {
  const quoted = `'${possessionText(name).replaceAll("'", `'\\''`)}'`;
  return `printf %s ${quoted} | openssl dgst -sha256 -sign private.pem -out proof.bin, then --proof proof.bin`;
}

async function newestGatewayKey(tx: Tx): Promise<{ readonly version: number; readonly pem: string }> {
  const newest = (await listGatewayKeys(tx)).at(-1);
  if (!newest) throw new Error("There is no gateway key yet: run `gateway-key add` first.");
  return { version: newest.version, pem: pemOf(newest.publicKey) };
}
