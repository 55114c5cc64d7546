import { insertWrappedSecret } from "../keys/installation.sql.ts";
import { insertGatewayKey, listGatewayKeys, listGatewayPublicKeys } from "../keys/gateway-key.sql.ts";
import { systemScope } from "../postgres/database.ts";
import type { Environment } from "../postgres/migrate.ts";
import type { Tx } from "../postgres/sql.ts";
import { makeGatewayKey, readKeyEncryptionKey } from "../signing/gateway-keys.ts";
import { makeWrappedSecret } from "../signing/secrets.ts";
import { asOwner } from "./as-owner.ts";

/** Makes the next key pair of the gateway. Merchants stay with the one that they are pinned to. */
export async function addGatewayKey(url: string, environment: Environment, keyFile: string): Promise<number> {
  const keyEncryptionKey = await readKeyEncryptionKey(keyFile);
  return asOwner(url, environment, systemScope, async (tx) => {
    const version = ((await listGatewayKeys(tx)).at(-1)?.version ?? 0) + 1;
    // The first key pair comes with the installation's secret, which then never changes.
    await insertWrappedSecret(tx, makeWrappedSecret(keyEncryptionKey, environment));
    await insertGatewayKey(tx, await makeGatewayKey(version, keyEncryptionKey, environment));
    return version;
  });
}

/** Refuses to pin a key that does not exist: every message would fail to be signed. */
export async function refuseUnknownGatewayKey(tx: Tx, version: number): Promise<void> {
  const versions = (await listGatewayPublicKeys(tx)).map((key) => key.version);
  if (!versions.includes(version))
    throw new Error(`There is no gateway key of version ${version}; there are ${versions.join(", ")}.`);
}
