import { userInfo } from "node:os";
import { DatabaseError } from "pg";
import type { Act, Actor } from "../audit/audit.ts";
import { findStaffRole, insertAudit } from "../audit/audit.sql.ts";
import { openDatabase, type DatabaseOptions } from "../postgres/database.ts";
import { findEnvironment, setReadOnly } from "../postgres/environment.sql.ts";
import type { Environment } from "../postgres/migrate.ts";
import type { Tx } from "../postgres/sql.ts";

/** Where an operator's command works: with the owner's login, in one environment. */
export interface Operator {
  readonly url: string;
  readonly environment: Environment;
  /** The person who acts, and why. */
  readonly by?: ActsFor;
}

/** What the audit says about who ran a command. */
export interface ActsFor {
  /** The login name of the operating system, when it is absent. */
  readonly name?: string | undefined;
  readonly reason?: string | undefined;
  /** A person who is vouched for, in place of whoever runs the command. */
  readonly actor?: Actor;
}

/** What a command has done: its result, and the audit's row about it, which is absent when nothing was done. */
export interface Acted<Value> {
  readonly value: Value;
  readonly audit: Act | undefined;
}

type OwnerOptions = Pick<DatabaseOptions, "statementTimeoutMs" | "readsWholeTables">;

/** One transaction as the database owner that only reads; refuses a database of another environment. */
export async function asOwner<Value>(
  url: string,
  environment: Environment,
  clientIds: readonly string[],
  work: (tx: Tx) => Promise<Value>,
  options: OwnerOptions = {},
): Promise<Value> {
  const read = async (tx: Tx): Promise<Value> => {
    await setReadOnly(tx);
    return work(tx);
  };
  return inTransaction({ url, environment }, clientIds, read, options);
}

/**
 * The same for a command that changes something. The only way to write: PostgreSQL refuses writes of `asOwner`. So there is
 * one place where acts are audited, and it is in their transaction, behind all that they did.
 */
export async function actAsOwner<Value>(
  operator: Operator,
  clientIds: readonly string[],
  work: (tx: Tx) => Promise<Acted<Value>>,
  options: OwnerOptions = {},
): Promise<Value> {
  const { reason } = operator.by ?? {};
  const act = async (tx: Tx): Promise<Value> => {
    const { value, audit } = await work(tx);
    if (audit) await insertAudit(tx, { actor: await actorOf(tx, operator), reason, ...audit });
    return value;
  };
  return inTransaction(operator, clientIds, act, options);
}

async function actorOf(tx: Tx, { by = {} }: Operator): Promise<Actor> {
  const { actor, name = loginName() } = by;
  return actor ?? { kind: "command", name, role: await findStaffRole(tx) };
}

/** A container may run as a user that has no name. */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.()}`;
  }
}

async function inTransaction<Value>(
  { url, environment }: Operator,
  clientIds: readonly string[],
  work: (tx: Tx) => Promise<Value>,
  { statementTimeoutMs, readsWholeTables = true }: OwnerOptions,
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
