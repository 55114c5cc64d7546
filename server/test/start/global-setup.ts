import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate, migrateFolder } from "../../src/postgres/migrate.ts";
import { startThrowAwayPostgres, type ThrowAwayPostgres } from "../../src/postgres/throw-away.ts";
import { bundleTypebox } from "./bundle-typebox.ts";
import {
  accountsTemplate,
  ownerRole,
  postgresVariable,
  rolePassword,
  runFolderVariable,
  templateOf,
} from "./test-database.ts";

const loadTypebox = new URL("./load-typebox.ts", import.meta.url).href;
const accountsMigrations = new URL("../../../accounts/migrations/", import.meta.url);

let postgres: ThrowAwayPostgres | undefined;
let runFolder: string | undefined;

/** One server for the whole run, with a migrated template for each environment and for accounts, and one folder. */
export async function globalSetup(): Promise<void> {
  await startTestServer({});
}

/** The same with settings of its own, for a file that needs another server. */
export async function startTestServer(settings: Readonly<Record<string, string>>): Promise<void> {
  runFolder = await mkdtemp(join(tmpdir(), "tollgate-run-"));
  process.env[runFolderVariable] = runFolder;
  await bundleTypebox();
  process.env["NODE_OPTIONS"] = `${process.env["NODE_OPTIONS"] ?? ""} --import=${loadTypebox}`;
  // Three test files at once, of which one may have ten processes.
  postgres = await startThrowAwayPostgres({
    durable: false,
    settings: { max_connections: "400", ...settings },
  });
  process.env[postgresVariable] = postgres.url("postgres");
  try {
    await makeTemplates(postgres);
  } catch (error) {
    // After a set-up that failed nobody calls the teardown, and the server would stay.
    await globalTeardown();
    throw error;
  }
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop();
  if (runFolder) await rm(runFolder, { recursive: true, force: true });
}

async function makeTemplates(server: ThrowAwayPostgres): Promise<void> {
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
