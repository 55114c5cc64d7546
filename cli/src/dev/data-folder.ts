import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { isAlive, lockDataFolder, type Lock } from "../running-file.ts";
import { version } from "../../../clients/typescript/src/version.ts";

/** The state that is kept between two starts, in `dev.json` of the folder. */
export interface DevState {
  /** The version of the folder's format. It changes when a program can not read the files of another version. */
  readonly format: number;
  /** The last version of Tollgate that wrote the file. */
  readonly version: string;
  /** The secret from which the passwords of the database roles are derived. */
  readonly secret: string;
  readonly port?: number;
  readonly walletPort?: number;
  readonly cardPort?: number;
  readonly shopPort?: number;
  readonly tillPort?: number;
  readonly portalPort?: number;
  readonly operatorPort?: number;
  readonly staffPort?: number;
  readonly serveMetricsPort?: number;
  readonly workMetricsPort?: number;
  /**
   * The merchant's client. It is stored when the set-up is complete. If it is missing, the set-up was interrupted and
   * begins again.
   */
  readonly client?: { readonly clientId: string; readonly keyVersion: number };
  /** Hash of the migrations in the database, the provider's address, and its payment methods. */
  readonly prepared?: { readonly migrations: string; readonly walletUrl: string; readonly methods?: string };
}

/** The data folder of a Tollgate, locked by this process. */
export interface DataFolder {
  readonly folder: string;
  readonly postgresFolder: string;
  readonly isPersistent: boolean;
  /** Whether the last start was killed. Parts of a killed start may still be stopping. */
  readonly wasKilled: boolean;
  /** The state that the last start stored. */
  readonly state: DevState;
  saveState(kept: DevState): Promise<void>;
  /** Writes the addresses of this start, for a second start and for the other commands. */
  announce(running: object): Promise<void>;
  /** Unlocks the folder; an ephemeral folder is deleted. */
  close(): Promise<void>;
}

const format = 1;
const systemFolder = "/var/lib/tollgate";
const createState = (): DevState => ({ format, version, secret: randomBytes(32).toString("base64url") });

/** Creates a temporary folder, which is deleted at the end. */
export async function openTemporaryDataFolder(): Promise<DataFolder> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-dev-")).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    throw new Error(
      `The folder for temporary files, ${tmpdir()}, does not exist. Create it, or set TMPDIR to another.`,
    );
  });
  const postgresFolder = await mkdtemp(join(tmpdir(), "tollgate-postgres-"));
  return {
    folder,
    postgresFolder,
    isPersistent: false,
    wasKilled: false,
    state: createState(),
    saveState: async () => undefined,
    announce: async () => undefined,
    async close() {
      for (const each of [folder, postgresFolder])
        await rm(each, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Opens a folder that is kept. `reset` deletes its contents. */
export async function openDataFolder(
  path: string,
  { reset }: { readonly reset: boolean },
): Promise<DataFolder> {
  const folder = resolve(path);
  await rejectForeignFolder(folder);
  await mkdir(folder, { recursive: true, mode: 0o711 });
  // Git must not commit this folder, because it contains private keys.
  await writeFile(join(folder, ".gitignore"), "*\n");
  const lock = await lockDataFolder(folder);
  try {
    const postgresFolder = await resolvePostgresFolder(folder);
    if (reset) await deleteData(folder, postgresFolder);
    await stopLeftoverPostgres(postgresFolder);
    const kept = await readState(folder);
    if (!kept.client) await deleteData(folder, postgresFolder);
    await writeState(folder, kept);
    return buildDataFolder(folder, postgresFolder, kept, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function buildDataFolder(folder: string, postgresFolder: string, kept: DevState, lock: Lock): DataFolder {
  return {
    folder,
    postgresFolder,
    isPersistent: true,
    wasKilled: lock.wasKilled,
    state: kept,
    saveState: (next) => writeState(folder, next),
    announce: (running) => lock.announce(running),
    close: () => lock.release(),
  };
}

const stateFileIn = (folder: string): string => join(folder, "dev.json");

async function readState(folder: string): Promise<DevState> {
  if (!existsSync(stateFileIn(folder))) return createState();
  const kept = parseState(folder, await readFile(stateFileIn(folder), "utf8"));
  if (kept.format === format) return kept;
  throw new Error(
    `${folder} was made by Tollgate ${kept.version}, whose format differs from this version, ${version}. ` +
      `Use Tollgate ${kept.version}, or delete the data with \`tollgate dev --reset\`.`,
  );
}

function parseState(folder: string, text: string): DevState {
  try {
    return JSON.parse(text) as DevState;
  } catch {
    throw new Error(
      `${stateFileIn(folder)} can not be read: another program has changed it. Restore it, or delete the data with ` +
        "`tollgate dev --reset`.",
    );
  }
}

async function writeState(folder: string, state: DevState): Promise<void> {
  // Atomic rename: the next start must never find a half-written file.
  await writeFile(`${stateFileIn(folder)}.new`, `${JSON.stringify({ ...state, version }, undefined, 2)}\n`, {
    mode: 0o600,
    flush: true,
  });
  await rename(`${stateFileIn(folder)}.new`, stateFileIn(folder));
}

/**
 * Throws if the folder has contents that are not Tollgate's, so that Tollgate never uses or empties another program's
 * folder.
 */
async function rejectForeignFolder(folder: string): Promise<void> {
  const names: readonly string[] = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    if (error.code === "ENOTDIR")
      throw new Error(`${folder} is a file. Choose another with --folder FOLDER.`);
    throw error;
  });
  const isOurs =
    names.includes("dev.json") || names.every((name) => [".gitignore", "running.json"].includes(name));
  if (!isOurs)
    throw new Error(`${folder} contains files that are not Tollgate's. Choose another with --folder FOLDER.`);
}

async function deleteData(folder: string, postgresFolder: string): Promise<void> {
  await stopLeftoverPostgres(postgresFolder);
  await rm(postgresFolder, { recursive: true, force: true });
  const preservedNames = [".gitignore", "running.json"];
  for (const name of await readdir(folder))
    if (!preservedNames.includes(name)) await rm(join(folder, name), { recursive: true, force: true });
}

/**
 * The folder of the database. If the program runs as root, PostgreSQL runs as `nobody`, who can not enter a folder
 * inside a private home. In this case a system folder is used, whose name is derived from this one.
 */
export async function resolvePostgresFolder(folder: string): Promise<string> {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || (await isOpenToOthers(folder))) return join(folder, "postgres");
  const name = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  await mkdir(systemFolder, { recursive: true, mode: 0o755 });
  return join(systemFolder, name);
}

async function isOpenToOthers(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  if ((mode & 0o001) === 0) return false;
  return dirname(folder) === folder || isOpenToOthers(dirname(folder));
}

/** Stops the database server of a killed start, because that server still has the database's files open. */
async function stopLeftoverPostgres(postgresFolder: string): Promise<void> {
  const file = join(postgresFolder, "data/postmaster.pid");
  const pid = Number((await readFile(file, "utf8").catch(() => "")).split("\n")[0]);
  if (!Number.isInteger(pid) || pid <= 0) return;
  const command = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "postgres");
  if (!isAlive(pid) || command.trim() !== "postgres") return rm(file, { force: true });
  process.kill(pid, "SIGQUIT");
  const giveUpAtMs = performance.now() + 5_000;
  while (isAlive(pid) && performance.now() < giveUpAtMs)
    await new Promise((resolveDelay) => setTimeout(resolveDelay, 20));
}
