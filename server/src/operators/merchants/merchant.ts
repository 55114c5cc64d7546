import { randomInt, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { findCell, listOwnBuckets } from "../../cells/home.sql.ts";
import { bucketOf } from "../../core/bucket.ts";
import { systemScope } from "../../postgres/database.ts";
import { changedFields } from "../../audit/audit.ts";
import { newClientId, type Client } from "../../merchants/client.ts";
import {
  findClient,
  insertClient,
  insertClientKey,
  updateGatewayKeyVersion,
  updateClient,
  updateKeyRevoked,
} from "../../merchants/client.sql.ts";
import { listGatewayPublicKeys } from "../../keys/gateway-key.sql.ts";
import type { Environment } from "../../postgres/migrate.ts";
import type { Tx } from "../../postgres/sql.ts";
import {
  exportDer,
  isKeyProblem,
  possessionText,
  verifyPossession,
  readPublicKey,
} from "../../signing/public-key.ts";
import { actAsOwner, readAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { fingerprintOf, pemOf, refuseUnknownGatewayKey } from "../providers/manage-gateway-keys.ts";
import { isAppScheme } from "../../merchants/url-rules.ts";

export interface KeyFiles {
  readonly publicKeyFile: string;
  /** Proof of possession: a signature by `openssl dgst -sha256 -sign`. Required in live. */
  readonly proofFile: string | undefined;
}

export interface AddedMerchant {
  readonly clientId: string;
  readonly keyVersion: number;
  readonly gatewayKeyVersion: number;
  /** The gateway's public key in PEM; the merchant verifies responses and webhooks with it. */
  readonly gatewayPublicKey: string;
}

export async function addMerchant(operator: Operator, name: string, files: KeyFiles): Promise<AddedMerchant> {
  const { environment } = operator;
  const key = exportDer(await readVerifiedKey(environment, name, files));
  const clientId = await newOwnClientId(operator);
  return actAsOwner(operator, [clientId], async (tx) => {
    const { version: gatewayKeyVersion, pem: gatewayPublicKey } = await newestGatewayKey(tx);
    await insertClient(tx, { clientId, name, gatewayKeyVersion });
    const keyVersion = await insertClientKey(tx, clientId, key);
    const after = { name, keyVersion, keySha256: fingerprintOf(key), gatewayKeyVersion };
    return {
      value: { clientId, keyVersion, gatewayKeyVersion, gatewayPublicKey },
      audit: { act: "merchant add", subject: clientId, clientId, after },
    };
  });
}

/**
 * Returns a client id in a bucket that this installation owns. A cell generates ids until the bucket of one is its own.
 */
async function newOwnClientId(operator: Operator): Promise<string> {
  const { cell, buckets } = await readAsOwner(operator, systemScope, async (tx) => ({
    cell: await findCell(tx),
    buckets: new Set(await listOwnBuckets(tx)),
  }));
  if (cell !== undefined && buckets.size === 0)
    throw new CommandFailed(
      `The cell ${cell} owns no buckets, so it cannot register merchants. Use another cell.`,
    );
  for (;;) {
    const clientId = newClientId(operator.environment, (below) => randomInt(below));
    if (cell === undefined || buckets.has(bucketOf(clientId))) return clientId;
  }
}

export async function addMerchantKey(operator: Operator, clientId: string, files: KeyFiles): Promise<number> {
  const key = exportDer(await readVerifiedKey(operator.environment, clientId, files));
  return actAsOwner(operator, [clientId], async (tx) => {
    await requireClient(tx, clientId);
    const version = await insertClientKey(tx, clientId, key);
    const after = { version, keySha256: fingerprintOf(key) };
    return { value: version, audit: { act: "merchant key add", subject: clientId, clientId, after } };
  });
}

export async function revokeMerchantKey(
  operator: Operator,
  clientId: string,
  version: number,
): Promise<void> {
  await actAsOwner(operator, [clientId], async (tx) => {
    if (!(await updateKeyRevoked(tx, clientId, version)))
      throw new CommandFailed(`${clientId} has no active key of version ${version}.`);
    const after = { version, revoked: true };
    return { value: undefined, audit: { act: "merchant key revoke", subject: clientId, clientId, after } };
  });
}

/** Pins a merchant to another gateway key. The merchant must already have the public half of this key. */
export async function pinMerchantGatewayKey(
  operator: Operator,
  clientId: string,
  version: number,
): Promise<void> {
  await actAsOwner(operator, [clientId], async (tx) => {
    await refuseUnknownGatewayKey(tx, version);
    const { gatewayKeyVersion } = await requireClient(tx, clientId);
    await updateGatewayKeyVersion(tx, clientId, version);
    const changes = changedFields({ gatewayKeyVersion }, { gatewayKeyVersion: version });
    return {
      value: undefined,
      audit: { act: "merchant gateway-key", subject: clientId, clientId, ...changes },
    };
  });
}

/** Sets the URL schemes of the merchant's apps for return addresses; they replace the earlier ones. */
export async function setLinkSchemes(
  operator: Operator,
  clientId: string,
  schemes: readonly string[],
): Promise<void> {
  rejectInvalidSchemes(schemes);
  await actAsOwner(operator, [clientId], async (tx) => {
    const { linkSchemes } = await requireClient(tx, clientId);
    await updateClient(tx, clientId, { linkSchemes: schemes });
    const changes = changedFields({ linkSchemes }, { linkSchemes: schemes });
    return {
      value: undefined,
      audit: { act: "merchant link-schemes", subject: clientId, clientId, ...changes },
    };
  });
}

export async function requireClient(tx: Tx, clientId: string): Promise<Client> {
  const client = await findClient(tx, clientId);
  if (!client) throw new CommandFailed(`There is no client ${clientId}.`);
  return client;
}

export function rejectInvalidSchemes(schemes: readonly string[]): void {
  const invalidScheme = schemes.find((scheme) => !isAppScheme(scheme));
  if (invalidScheme !== undefined)
    throw new CommandFailed(`${invalidScheme} is not an allowed URL scheme of an app.`);
}

async function readVerifiedKey(environment: Environment, name: string, files: KeyFiles): Promise<KeyObject> {
  const key = readPublicKey(await readFile(files.publicKeyFile, "utf8"));
  if (isKeyProblem(key)) throw new Error(`${files.publicKeyFile}: ${key.problem}`);
  if (files.proofFile === undefined) {
    if (environment === "sandbox") return key;
    throw new Error(
      `Live requires a proof that the merchant holds the private key: ${proofInstructions(name)}`,
    );
  }
  if (verifyPossession(key, name, await readFile(files.proofFile))) return key;
  throw new Error(`${files.proofFile} is not a valid proof of possession. ${proofInstructions(name)}`);
}

function proofInstructions(name: string): string {
  const quotedText = `'${possessionText(name).replaceAll("'", `'\\''`)}'`;
  return (
    `Run printf %s ${quotedText} | openssl dgst -sha256 -sign private.pem -out proof.bin, then add --proof ` +
    "proof.bin"
  );
}

async function newestGatewayKey(tx: Tx): Promise<{ readonly version: number; readonly pem: string }> {
  const newest = (await listGatewayPublicKeys(tx)).at(-1);
  if (!newest) throw new Error("There is no gateway key yet. Run `gateway-key add` first.");
  return { version: newest.version, pem: pemOf(newest.publicKey) };
}
