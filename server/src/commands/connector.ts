import { readFile } from "node:fs/promises";
import { systemScope } from "../postgres/database.ts";
import type { Environment } from "../postgres/migrate.ts";
import { derOf, isKeyProblem, readPublicKey } from "../signing/public-key.ts";
import { insertConnector, updateConnectorKeyVersion } from "../wallets/connector.sql.ts";
import {
  connectorUrlProblem,
  usualTerms,
  type Connector,
  type ConnectorTerms,
} from "../wallets/connector.ts";
import { asOwner } from "./as-owner.ts";
import { refuseUnknownGatewayKey } from "./gateway-key.ts";

export interface NewConnector extends Omit<Connector, "publicKey" | "terms" | "gatewayKeyVersion"> {
  readonly publicKeyFile: string;
  /** Overrides of the usual terms. */
  readonly terms?: Partial<ConnectorTerms>;
}

/** Sets up the way to a wallet, or changes it. */
export async function addConnector(
  url: string,
  environment: Environment,
  added: NewConnector,
): Promise<void> {
  const { publicKeyFile, terms, ...given } = added;
  const connector = { ...given, terms: { ...usualTerms, ...terms } };
  if (environment === "live" && connector.simulator) throw new Error("Live takes no simulator.");
  const urlProblem = connectorUrlProblem(connector.url, environment);
  if (urlProblem !== undefined) throw new Error(`--url: ${urlProblem}`);
  const key = readPublicKey(await readFile(publicKeyFile, "utf8"));
  if (isKeyProblem(key)) throw new Error(`${publicKeyFile}: ${key.problem}`);
  await asOwner(url, environment, systemScope, (tx) =>
    insertConnector(tx, { ...connector, publicKey: derOf(key) }),
  );
}

/** Pins a wallet to another gateway key; the wallet has to know its public half already. */
export async function useConnectorKey(
  url: string,
  environment: Environment,
  { name, version }: { readonly name: string; readonly version: number },
): Promise<void> {
  await asOwner(url, environment, systemScope, async (tx) => {
    await refuseUnknownGatewayKey(tx, version);
    if (!(await updateConnectorKeyVersion(tx, name, version)))
      throw new Error(`There is no connector ${name}.`);
  });
}
