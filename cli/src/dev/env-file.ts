import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Home, Ready } from "./ready.ts";

const mark = "# Written by `tollgate dev`, again at every start.";

/**
 * Writes what a program has to know, in the names that the client libraries read, to `.env` beside `.tollgate`. A `.env`
 * that somebody else wrote is left alone, and a folder of another name is not thought to lie in a project: then it is the
 * folder's own. Tells where it is.
 */
export async function writeEnvFile(
  folder: string,
  ready: Ready,
): Promise<Pick<Home, "envFile" | "hasOtherEnv">> {
  const [own, beside] = [join(folder, ".env"), join(dirname(folder), ".env")];
  const isInProject = basename(folder) === ".tollgate";
  const hasOtherEnv = isInProject && !(await isOurs(beside));
  const envFile = isInProject && !hasOtherEnv ? beside : own;
  const lines = Object.entries(variablesOf(ready)).map(([name, value]) => `${name}=${quoted(value)}`);
  await writeFile(envFile, [mark, ...lines, ""].join("\n"), { mode: 0o600 });
  return { envFile, hasOtherEnv };
}

/** As shells and readers of .env files both take it. */
function quoted(value: string): string {
  return /^[\w./:@+=-]*$/.test(value) ? value : `'${value}'`;
}

/** Whether it may be written: it was by us, or it is not there. */
async function isOurs(file: string): Promise<boolean> {
  return readFile(file, "utf8").then(
    (text) => text.startsWith(mark),
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );
}

/** Keys by their files: a library that finds a key and a file of it as well refuses both. */
function variablesOf(ready: Ready): Readonly<Record<string, string>> {
  return {
    TOLLGATE_BASE_URL: ready.baseUrl,
    TOLLGATE_CLIENT_ID: ready.clientId,
    TOLLGATE_KEY_VERSION: String(ready.keyVersion),
    TOLLGATE_PRIVATE_KEY_FILE: ready.merchantPrivateKeyFile,
    TOLLGATE_GATEWAY_PUBLIC_KEY_FILE: ready.gatewayPublicKeyFile,
    TOLLGATE_WALLET_URL: ready.walletUrl,
    TOLLGATE_CONTROL_SECRET: ready.controlSecret,
    TOLLGATE_SHOP_URL: ready.shopUrl,
    TOLLGATE_TILL_URL: ready.tillUrl,
  };
}
