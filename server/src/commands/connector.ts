import { readFile } from "node:fs/promises";
import type { Environment } from "../postgres/migrate.ts";
import { derOf, isKeyProblem, readPublicKey } from "../signing/public-key.ts";
import { insertConnector } from "../wallets/connector.sql.ts";
import { usualTerms, type Connector, type ConnectorTerms } from "../wallets/connector.ts";
import { asOwner } from "./as-owner.ts";

export interface NewConnector extends Omit<Connector, "publicKey" | "terms"> {
  readonly publicKeyFile: string;
  /** What differs from the usual. */
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
  const key = readPublicKey(await readFile(publicKeyFile, "utf8"));
  if (isKeyProblem(key)) throw new Error(`${publicKeyFile}: ${key.problem}`);
  await asOwner(url, environment, [""], (tx) => insertConnector(tx, { ...connector, publicKey: derOf(key) }));
}
