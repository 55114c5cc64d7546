import { Client } from "pg";
import { migrate } from "../postgres/migrate.ts";
import { startThrowAwayPostgres, type ThrowAwayPostgres } from "../postgres/throw-away.ts";
import { appRole, ownerRole, postgresVariable, rolePassword, templateOf, workRole } from "./test-database.ts";

let postgres: ThrowAwayPostgres | undefined;

/** One server for the whole run, and one migrated template for each environment. */
export async function globalSetup(): Promise<void> {
  postgres = await startThrowAwayPostgres({ durable: false });
  process.env[postgresVariable] = postgres.url("postgres");
  const client = new Client({ connectionString: postgres.url("postgres") });
  await client.connect();
  await client.query(`create role ${ownerRole} login createrole password '${rolePassword}'`);
  for (const environment of ["sandbox", "live"] as const) {
    const template = templateOf(environment);
    await client.query(`create database ${template} owner ${ownerRole}`);
    const url = new URL(postgres.url(template));
    url.username = ownerRole;
    url.password = rolePassword;
    await migrate(url.href, environment);
  }
  await client.query(`create role ${appRole} login password '${rolePassword}' in role tollgate_app`);
  await client.query(`create role ${workRole} login password '${rolePassword}' in role tollgate_work`);
  await client.end();
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop();
}
