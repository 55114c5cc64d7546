import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { Client, DatabaseError } from "pg";
import { isOnlineMigration, runOnlineMigration } from "./migrate-online.ts";

export type Environment = "sandbox" | "live";

const migrationsFolder = new URL("../../migrations/", import.meta.url);
/**
 * Number of the advisory lock, so that only one migrator runs at a time. Any number works, as long as every release
 * uses the same.
 */
const advisoryLock = 7_045_517;
/** Lock timeout in milliseconds, with retries: a DDL statement that waits for its lock blocks every query behind it. */
const lockTimeoutMs = 200;
const attemptsMax = 25;
const retryDelayMs = 400;

interface Migration {
  readonly name: string;
  readonly text: string;
  readonly sha256: string;
}

/**
 * Applies pending migrations to a database of the gateway: forward only, one transaction per file (unless the file is
 * marked `-- apart`), one migrator at a time. It replaces the generated trigger functions of lifecycles each time.
 */
export async function migrate(
  url: string,
  environment: Environment,
  folder = migrationsFolder,
): Promise<readonly string[]> {
  return migrateFolder(url, folder, async (client) => {
    await client.query(`select set_config('tollgate.environment', $1, false)`, [environment]);
    // The environment is checked before the first statement, so that pending migrations do not run in the wrong
    // environment.
    const { rows } = await client.query("select where to_regclass('environment') is not null");
    if (rows.length > 0) await refuseOtherEnvironment(client, environment);
  });
}

/** Applies pending migrations of any folder. `prepare` runs before any change, and may throw. */
export async function migrateFolder(
  url: string,
  folder: URL,
  prepare: (client: Client) => Promise<void> = async () => undefined,
): Promise<readonly string[]> {
  const client = new Client({ connectionString: url, application_name: "tollgate migrate" });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [advisoryLock]);
    await client.query(`select set_config('lock_timeout', '${lockTimeoutMs}ms', false)`);
    await prepare(client);
    return await applyPending(client, folder);
  } finally {
    await client.end();
  }
}

async function applyPending(client: Client, folder: URL): Promise<readonly string[]> {
  const applied = await findAppliedMigrations(client);
  const migrations = await readMigrations(folder);
  refuseUnknownMigrations([...applied.keys()], migrations);
  const pending = [];
  for (const migration of migrations) {
    const sha256 = applied.get(migration.name);
    if (sha256 === undefined) pending.push(migration);
    else if (sha256 !== migration.sha256) {
      throw new Error(`${migration.name} was changed after it was applied. Write a new migration instead.`);
    }
  }
  for (const text of await readGeneratedSql(folder)) await runInTransaction(client, text);
  for (const { name, text, sha256 } of pending) {
    const record = `insert into migrations (name, sha256) values ('${name}', '${sha256}')`;
    if (isOnlineMigration(text))
      await retryOnLockTimeout(client, () => runOnlineMigration(client, text, lockTimeoutMs));
    await runInTransaction(client, isOnlineMigration(text) ? record : `${text}\n;${record}`);
  }
  return pending.map(({ name }) => name);
}

/**
 * Rejects a database with unknown migrations, before anything is changed: otherwise squashed migrations would run in
 * addition to those that they replace. Files with higher numbers belong to a newer release, which may be rolled back.
 */
function refuseUnknownMigrations(applied: readonly string[], migrations: readonly Migration[]): void {
  const numberOf = (name: string): string => name.slice(0, 4);
  const knownNames = new Set(migrations.map(({ name }) => name));
  const last = numberOf(migrations.at(-1)?.name ?? "");
  const [unknownName] = applied.filter((name) => !knownNames.has(name) && numberOf(name) <= last).sort();
  if (unknownName === undefined) return;
  throw new Error(
    `This database was migrated by ${unknownName}, which is not among the migrations of this program. It is from before they were squashed, ` +
      "or from another branch. The database was not changed. " +
      "Start with an empty database, or use the program that migrated this one.",
  );
}

async function findAppliedMigrations(client: Client): Promise<ReadonlyMap<string, string>> {
  await client.query(`
    create table if not exists migrations (
      name       text primary key,
      sha256     text not null,
      applied_at timestamptz not null default clock_timestamp()
    )`);
  const { rows } = await client.query<{ name: string; sha256: string }>(
    "select name, sha256 from migrations",
  );
  return new Map(rows.map(({ name, sha256 }) => [name, sha256]));
}

async function readMigrations(folder: URL): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), "utf8");
      return { name, text, sha256: createHash("sha256").update(text).digest("hex") };
    }),
  );
}

/** SQL that is generated and replaced each time; the accounts database has none. */
async function readGeneratedSql(folder: URL): Promise<readonly string[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) =>
    /^generated\W.*\.sql$/.test(name),
  );
  return Promise.all(names.sort().map((name) => readFile(new URL(name, folder), "utf8")));
}

function runInTransaction(client: Client, text: string): Promise<void> {
  return retryOnLockTimeout(client, async () => {
    await client.query(`begin;\n${text}\n;commit`);
  });
}

async function retryOnLockTimeout(client: Client, change: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await change();
      return;
    } catch (error) {
      // The rollback fails if the connection is lost; then `error` has the cause.
      await client.query("rollback").catch(() => undefined);
      const isLockTimeout = error instanceof DatabaseError && error.code === "55P03";
      if (!isLockTimeout || tries === attemptsMax) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
    }
  }
}

/**
 * Rejects a database of another environment: a sandbox that is connected to the live database by mistake must fail
 * before it writes a row.
 */
async function refuseOtherEnvironment(client: Client, environment: Environment): Promise<void> {
  const { rows } = await client.query<{ name: string }>("select name from environment");
  const databaseEnvironment = rows[0]?.name;
  if (databaseEnvironment !== environment)
    throw new Error(`This database is ${databaseEnvironment}, not ${environment}.`);
}
