import { randomBytes } from "node:crypto";
import { after } from "node:test";
import { Pool } from "pg";
import type { Environment } from "../../src/postgres/migrate.ts";

export const ownerRole = "tollgate_test_owner";
/** The password of all test roles. The PostgreSQL servers run only during a test run, on the loopback address. */
export const rolePassword = "test-only";
export const postgresVariable = "TOLLGATE_TEST_POSTGRES_URL";
/** The folder that all test files of a run share. It is deleted with the run. */
export const runFolderVariable = "TOLLGATE_TEST_FOLDER";
export const accountsTemplate = "template_accounts";

export interface TestDatabase {
  readonly environment: Environment;
  /** The serving login, for this database only. */
  readonly appRole: string;
  readonly appUrl: string;
  readonly workRole: string;
  readonly workUrl: string;
  readonly ownerUrl: string;
  /** The login that serves staff. */
  readonly staffUrl: string;
  readonly superuserUrl: string;
}

/** A new database for a test file, copied from the migrated template; dropped at the end. */
export async function newTestDatabase(environment: Environment): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  const [appRole, workRole, staffRole] = [`${name}_app`, `${name}_work`, `${name}_staff`];
  await asSuperuser(
    `create database ${name} template ${templateOf(environment)} strategy file_copy owner ${ownerRole}`,
  );
  await asSuperuser(
    `revoke connect, temporary on database ${name} from public;
     create role ${appRole} login password '${rolePassword}' in role tollgate_app;
     create role ${workRole} login password '${rolePassword}' in role tollgate_work;
     create role ${staffRole} login password '${rolePassword}' in role tollgate_console;
     grant connect on database ${name} to ${appRole}, ${workRole}, ${staffRole}`,
  );
  after(async () => {
    await asSuperuser(`drop database ${name} with (force)`);
    await asSuperuser(`drop role ${appRole}, ${workRole}, ${staffRole}`);
  });
  return {
    environment,
    appRole,
    appUrl: urlOf(name, appRole),
    workRole,
    workUrl: urlOf(name, workRole),
    ownerUrl: urlOf(name, ownerRole),
    staffUrl: urlOf(name, staffRole),
    superuserUrl: urlOf(name),
  };
}

export function templateOf(environment: Environment): string {
  return `template_${environment}`;
}

/** Superuser sessions by address. A new one for each statement would cost more than most statements. */
const sessions = new Map<string, Pool>();

/** One statement as superuser, to arrange or to inspect data behind row-level security. */
export async function asSuperuser<Row extends object>(
  text: string,
  values: readonly unknown[] = [],
  url: string = serverUrl(),
): Promise<readonly Row[]> {
  const client = await sessionsOf(url).connect();
  let isClean = false;
  try {
    const { rows } = await client.query<Row>(text, [...values]);
    // `discard all` prevents the next statement from inheriting a role, setting or lock of this statement.
    await client.query("discard all");
    isClean = true;
    return rows;
  } finally {
    client.release(!isClean);
  }
}

function sessionsOf(url: string): Pool {
  const existing = sessions.get(url);
  if (existing) return existing;
  const pool = new Pool({ connectionString: url, max: 4, idleTimeoutMillis: 1_000, allowExitOnIdle: true });
  // The error is ignored: the pool replaces a session that ends with its test or its database.
  pool.on("error", () => undefined);
  sessions.set(url, pool);
  return pool;
}

/** Makes all leases expire now, as if 15 seconds had passed. Lease holders must be dead. */
export async function expireLeases({ superuserUrl }: TestDatabase): Promise<void> {
  const endAll =
    "update jobs set due_at = clock_timestamp() where due_at between now() and now() + interval '15 seconds'";
  await asSuperuser(endAll, [], superuserUrl);
}

function urlOf(database: string, role?: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${database}`;
  if (role) {
    url.username = role;
    url.password = rolePassword;
  }
  return url.href;
}

function serverUrl(): string {
  const url = process.env[postgresVariable];
  if (!url) throw new Error("Run tests with `npm test`: it starts the PostgreSQL server that they need.");
  return url;
}
