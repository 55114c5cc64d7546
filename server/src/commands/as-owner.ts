import { DatabaseError } from "pg";
import { openDatabase, type DatabaseOptions } from "../postgres/database.ts";
import { findEnvironment } from "../postgres/environment.sql.ts";
import type { Environment } from "../postgres/migrate.ts";
import type { Tx } from "../postgres/sql.ts";

/** Where an operator's command works: with the owner's login, in one environment. */
export interface Operator {
  readonly url: string;
  readonly environment: Environment;
}

/** One transaction as the database owner; refuses a database of another environment. */
export async function asOwner<Value>(
  url: string,
  environment: Environment,
  clientIds: readonly string[],
  work: (tx: Tx) => Promise<Value>,
  {
    statementTimeoutMs,
    readsWholeTables = true,
  }: Pick<DatabaseOptions, "statementTimeoutMs" | "readsWholeTables"> = {},
): Promise<Value> {
  const faults: Error[] = [];
  const database = openDatabase({
    url,
    applicationName: "tollgate operator",
    connectionsMax: 1,
    readsWholeTables,
    ...(statementTimeoutMs !== undefined && { statementTimeoutMs }),
    onFault: (error) => faults.push(error),
  });
  try {
    const done = await database.transaction(clientIds, async (tx) => {
      const found = await findEnvironment(tx);
      if (found !== environment) throw new Error(`The database is ${found}, and you said ${environment}.`);
      return work(tx);
    });
    if (done.outcome === "committed") return done.value;
    if (done.outcome === "not committed") throw notMigrated(done.cause) ?? done.cause;
    throw new Error("The connection broke at the last moment: look whether it was done.", {
      cause: done.cause,
    });
  } finally {
    await database.close();
  }
}

function notMigrated(cause: unknown): Error | undefined {
  if (!(cause instanceof DatabaseError && cause.code === "42P01")) return undefined;
  return new Error("The database has not been migrated: run `migrate` first.", { cause });
}
