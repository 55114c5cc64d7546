import { migrate } from "../../src/postgres/migrate.ts";
import { startThrowAwayPostgres, type ThrowAwayPostgres } from "../../src/postgres/throw-away.ts";
import { ownerRole, postgresVariable, rolePassword, templateOf } from "./test-database.ts";

let postgres: ThrowAwayPostgres | undefined;

/** One server for the whole run, and one migrated template for each environment. */
export async function globalSetup(): Promise<void> {
  postgres = await startThrowAwayPostgres({ durable: false });
  process.env[postgresVariable] = postgres.url("postgres");
  try {
    await makeTemplates(postgres);
  } catch (error) {
    // After a set-up that failed nobody calls the teardown, and the server would stay.
    await postgres.stop();
    throw error;
  }
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop();
}

async function makeTemplates(server: ThrowAwayPostgres): Promise<void> {
  const execute = (statement: string): Promise<void> => server.execute("postgres", statement);
  await execute(`create role ${ownerRole} login createrole password '${rolePassword}'`);
  for (const environment of ["sandbox", "live"] as const) {
    const template = templateOf(environment);
    await execute(`create database ${template} owner ${ownerRole}`);
    const url = new URL(server.url(template));
    url.username = ownerRole;
    url.password = rolePassword;
    await migrate(url.href, environment);
  }
}
