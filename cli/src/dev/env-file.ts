import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Home, Ready } from "./ready.ts";

const mark = "# Written by `tollgate dev`, again at every start.";

/**
 * Writes what a program has to know, in the names that the client libraries read, to `.env` beside `.tollgate`. A `.env`
 * that somebody else wrote is left alone, and a folder of another name is not thought to lie in a project: then it is the
 * folder's own. Tells where it is.
 */
export async function writeEnvFile(folder: string, ready: Ready): Promise<Omit<Home, "folder">> {
  const [own, beside] = [join(folder, ".env"), join(dirname(folder), ".env")];
  const isInProject = basename(folder) === ".tollgate";
  const hasOtherEnv = isInProject && !(await isOurs(beside));
  const envFile = isInProject && !hasOtherEnv ? beside : own;
  const lines = Object.entries(variablesOf(ready)).map(([name, value]) => `${name}=${quoted(value)}`);
  await writeFile(envFile, [mark, ...lines, ""].join("\n"), { mode: 0o600 });
  // The folder's own file is ignored with the folder.
  const isIgnoredByGit = envFile === own || (await ignoreByGit(dirname(envFile)));
  return { envFile, hasOtherEnv, isIgnoredByGit };
}

/** Lines of a .gitignore that keep `.env` out of commits. */
const ignoringLine = /^\/?(?:\.env\*?|\*\.env|\.\*)\r?$/m;
const includingLine = /^!\/?(?:\.env\*?|\*\.env)\r?$/m;

/** Keeps `.env`, which has a secret, out of git. Writes a .gitignore if there is none; one that exists is left alone. Whether git ignores it. */
async function ignoreByGit(project: string): Promise<boolean> {
  const file = join(project, ".gitignore");
  try {
    await writeFile(file, ".env\n", { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const lines = await readFile(file, "utf8");
  return ignoringLine.test(lines) && !includingLine.test(lines);
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
