import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { DataFolderInfo } from "./ready.ts";
import type { Ready } from "../running-file.ts";

/** Marks our own files. Do not change it: a file with another first line is never overwritten. */
const headerComment = "# Written by `tollgate dev`, again at every start.";

/**
 * Writes the settings of a program, with the names that the client libraries read, to `.env` in the folder of
 * `.tollgate`. It never replaces a `.env` that another program or a person wrote. In this case, and for a data folder
 * with another name, the file is written into the data folder. Returns the file's path.
 */
export async function writeEnvFile(folder: string, ready: Ready): Promise<Omit<DataFolderInfo, "folder">> {
  const [dataFolderFile, projectFile] = [join(folder, ".env"), join(dirname(folder), ".env")];
  const isInProject = basename(folder) === ".tollgate";
  const hasOtherEnv = isInProject && !(await isOurs(projectFile));
  const envFile = isInProject && !hasOtherEnv ? projectFile : dataFolderFile;
  const lines = Object.entries(buildVariables(ready)).map(([name, value]) => `${name}=${quote(value)}`);
  await writeFile(envFile, [headerComment, ...lines, ""].join("\n"), { mode: 0o600 });
  // A file inside the data folder is covered by the .gitignore of that folder.
  const isIgnoredByGit = envFile === dataFolderFile || (await ignoreByGit(dirname(envFile)));
  return { envFile, hasOtherEnv, isIgnoredByGit };
}

/** Lines of a .gitignore that keep `.env` out of commits. */
const ignoringLine = /^\/?(?:\.env\*?|\*\.env|\.\*)\r?$/m;
const includingLine = /^!\/?(?:\.env\*?|\*\.env)\r?$/m;

/**
 * Returns whether git ignores `.env`, which contains a secret. Creates a .gitignore if there is none; never changes an
 * existing one.
 */
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

/** Quotes a value so that both shells and readers of .env files accept it. */
function quote(value: string): string {
  return /^[\w./:@+=-]*$/.test(value) ? value : `'${value}'`;
}

/** Whether this program may write the file: the file is missing, or this program wrote it before. */
async function isOurs(file: string): Promise<boolean> {
  return readFile(file, "utf8").then(
    (text) => text.startsWith(headerComment),
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );
}

/**
 * The settings contain file names of keys and no keys, because a library rejects settings that contain both a key and
 * its file.
 */
function buildVariables(ready: Ready): Readonly<Record<string, string>> {
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
