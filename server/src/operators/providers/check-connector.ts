import { readFile } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { CommandFailed } from "../../core/command-errors.ts";
import type { Environment } from "../../postgres/migrate.ts";
import {
  connectorUrlProblem,
  type Connector,
  type ConnectorTerms,
  type ProviderTlsFiles,
} from "../../providers/connector.ts";
import { exportDer, isKeyProblem, readProviderKey } from "../../signing/public-key.ts";

/** `refuseInvalid` rejects settings that no connector may have, before the provider is asked for its facts. */
export function refuseInvalid(
  environment: Environment,
  { url, simulator, tls }: Pick<Connector, "url" | "simulator" | "tls">,
): void {
  if (environment === "live" && simulator)
    throw new Error("Live rejects simulators, because they move no money.");
  refuseUrl(url, environment);
  refuseTls(tls);
}

/** Rejects relative paths, which depend on the folder of a process, and a certificate without its key. */
export function refuseTls(tls: ProviderTlsFiles | undefined): void {
  if (!tls) return;
  const { certificateFile, keyFile, caFile } = tls;
  if ((certificateFile === undefined) !== (keyFile === undefined))
    throw new CommandFailed("--client-certificate and --client-key must be given together.");
  for (const file of [certificateFile, keyFile, caFile])
    if (file !== undefined && !isAbsolute(file))
      throw new CommandFailed(`${file} must be an absolute path, because each server reads it.`);
}

export function omitEmptyFiles({ certificateFile, keyFile, caFile }: ProviderTlsFiles): ProviderTlsFiles {
  return {
    certificateFile: certificateFile || undefined,
    keyFile: keyFile || undefined,
    caFile: caFile || undefined,
  };
}

/**
 * Rejects `accounts none` for a connector that has used accounts: its orders keep their accounts, and callbacks about
 * them are confirmed only with the account.
 */
export function refuseWithoutAccounts(
  before: Pick<Connector, "name" | "terms"> | undefined,
  { accounts }: Partial<ConnectorTerms>,
): void {
  if (accounts === "none" && before && before.terms.accounts !== "none")
    throw new CommandFailed(
      `Connector ${before.name} has used accounts, and its orders keep them. Use --accounts optional, and remove accounts with \`tollgate connector account remove\`.`,
    );
}

/** `readConnectorKeys` reads the files with the provider's public keys. */
export async function readConnectorKeys({
  publicKeyFile,
  otherPublicKeyFile,
}: {
  readonly publicKeyFile: string;
  readonly otherPublicKeyFile?: string | undefined;
}): Promise<Pick<Connector, "publicKey" | "otherPublicKey">> {
  const otherPublicKey = otherPublicKeyFile ? await readKey(otherPublicKeyFile) : undefined;
  return { publicKey: await readKey(publicKeyFile), otherPublicKey };
}

export function refuseUrl(url: string, environment: Environment): void {
  const problem = connectorUrlProblem(url, environment);
  if (problem !== undefined) throw new CommandFailed(`--url: ${problem}`);
}

export async function readKey(file: string): Promise<Uint8Array> {
  const key = readProviderKey(await readFile(file, "utf8"));
  if (isKeyProblem(key)) throw new Error(`${file}: ${key.problem}`);
  return exportDer(key);
}
