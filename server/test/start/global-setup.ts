import { lstatSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate, migrateFolder } from "../../src/postgres/migrate.ts";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../src/postgres/temporary-postgres.ts";
import { bundleSources } from "./bundle-sources.ts";
import {
  accountsTemplate,
  ownerRole,
  postgresVariable,
  rolePassword,
  runFolderVariable,
  templateOf,
} from "./test-database.ts";

const nodeModules = new URL("../../../node_modules", import.meta.url);
const loadBundle = new URL("./load-bundle.ts", import.meta.url).href;
const accountsMigrations = new URL("../../../accounts/migrations/", import.meta.url);

let postgres: TemporaryPostgres | undefined;
let runFolder: string | undefined;

/** One server for the whole run, with a migrated template for each environment and for accounts, and one folder. */
export async function globalSetup(): Promise<void> {
  await startTestServer({});
}

/**
 * `startTestServer` starts the test server with other PostgreSQL settings, for a test file that needs a separate
 * server.
 */
export async function startTestServer(settings: Readonly<Record<string, string>>): Promise<void> {
  runFolder = await mkdtemp(join(tmpdir(), "tollgate-run-"));
  process.env[runFolderVariable] = runFolder;
  // A copy of the repository, such as one with a seeded bug, has a link to these packages and loads its own sources.
  if (!lstatSync(nodeModules).isSymbolicLink()) {
    await bundleSources();
    process.env["NODE_OPTIONS"] = `${process.env["NODE_OPTIONS"] ?? ""} --import=${loadBundle}`;
  }
  // 400 connections are enough for three concurrent test files, of which one may have ten processes.
  postgres = await startTemporaryPostgres({
    durable: false,
    settings: { max_connections: "400", ...settings },
  });
  process.env[postgresVariable] = postgres.url("postgres");
  try {
    await makeTemplates(postgres);
  } catch (error) {
    // After a failed set-up the teardown is not called, and the server would remain.
    await globalTeardown();
    throw error;
  }
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop();
  if (runFolder) await rm(runFolder, { recursive: true, force: true });
}

async function makeTemplates(server: TemporaryPostgres): Promise<void> {
  const execute = (statement: string): Promise<void> => server.execute("postgres", statement);
  await execute(`create role ${ownerRole} login createrole password '${rolePassword}'`);
  const makeTemplate = async (template: string, fill: (url: string) => Promise<unknown>): Promise<void> => {
    await execute(`create database ${template} owner ${ownerRole}`);
    const url = new URL(server.url(template));
    url.username = ownerRole;
    url.password = rolePassword;
    await fill(url.href);
  };
  for (const environment of ["sandbox", "live"] as const)
    await makeTemplate(templateOf(environment), (url) => migrate(url, environment));
  await makeTemplate(accountsTemplate, (url) => migrateFolder(url, accountsMigrations));
}
