import { userInfo } from "node:os";
import { DatabaseError } from "pg";
import { askedSubject, takesTwo } from "../audit/act-of-two.ts";
import {
  findChangesToApprove,
  insertAskedAct,
  insertConsoleApproval,
  updateApprovalUsed,
  type ToApprove,
} from "../audit/asked-act.sql.ts";
import type { Act, Actor } from "../audit/audit.ts";
import { findStaffRole, insertAudit } from "../audit/audit.sql.ts";
import { changesForAudit, readRowChanges } from "../audit/row-change.ts";
import { openDatabase, systemScope, type Database, type DatabaseOptions } from "../postgres/database.ts";
import { findEnvironment, setReadOnly } from "../postgres/environment.sql.ts";
import type { Environment } from "../postgres/migrate.ts";
import type { Tx } from "../postgres/sql.ts";
import { Impossible } from "./command.ts";

/** Where an operator's command works: with the owner's login, in one environment. */
export interface Operator {
  readonly url: string;
  readonly environment: Environment;
  /** The person who acts, and why. */
  readonly by?: ActsFor;
  /** A connection that is open already; see `onOneConnection`. */
  readonly database?: Database;
}

/** What the audit says about who ran a command. */
export interface ActsFor {
  /** The login name of the operating system, when it is absent. */
  readonly name?: string | undefined;
  readonly reason?: string | undefined;
  /** A person who is vouched for, in place of whoever runs the command. Whether it needs a second one was decided before. */
  readonly actor?: Actor;
  /** The other person who has approved it in the console. */
  readonly approvedBy?: string;
  /** Does without a second person what takes two in live; for the owner's login only. */
  readonly alone?: boolean;
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
  return readAsOwner({ url, environment }, clientIds, work, options);
}

/** The same on the operator's own connection, if it has one (`onOneConnection`). */
export async function readAsOwner<Value>(
  operator: Operator,
  clientIds: readonly string[],
  work: (tx: Tx) => Promise<Value>,
  options: OwnerOptions = {},
): Promise<Value> {
  const read = async (tx: Tx): Promise<Value> => {
    await setReadOnly(tx);
    return work(tx);
  };
  return inTransaction(operator, clientIds, read, options);
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
  const act = async (tx: Tx): Promise<Value> => {
    const { value, audit } = await work(tx);
    if (!audit) return value;
    const actor = await actorOf(tx, operator);
    const reason = await reasonFor(tx, operator, actor, audit);
    await insertAudit(tx, { actor, reason, ...audit });
    return value;
  };
  try {
    return await inTransaction(operator, clientIds, act, options);
  } catch (error) {
    // All that it did is undone; asking is an act of its own.
    if (error instanceof TakesTwo) throw await askFor(operator, error.asked);
    throw error;
  }
}

async function actorOf(tx: Tx, { by = {} }: Operator): Promise<Actor> {
  return by.actor ?? { kind: "command", name: nameOf({ by }), role: await findStaffRole(tx) };
}

/** For a command of thousands of acts: to open a connection for each would take longer than the acts themselves. */
export async function onOneConnection<Value>(
  operator: Operator,
  work: (operator: Operator) => Promise<Value>,
  options: OwnerOptions = {},
): Promise<Value> {
  const database = openForOwner(operator.url, options);
  try {
    return await work({ ...operator, database });
  } finally {
    await database.close();
  }
}

/** The name that was given, or that of the login on this machine. */
export function nameOf({ by = {} }: Pick<Operator, "by">): string {
  return by.actor?.name ?? by.name ?? loginName();
}

/** An act that nobody else has approved yet. */
class TakesTwo extends Error {
  readonly asked: ToApprove;
  constructor(asked: ToApprove) {
    super("This takes two people.");
    this.asked = asked;
  }
}

/**
 * The reason for the audit, with the login that has approved the act. In live an act needs approval (docs/decisions/0080) if PostgreSQL has
 * recorded row changes that do, or by its name. The owner may do without: PostgreSQL cannot refuse it, and the audit says so.
 */
async function reasonFor(tx: Tx, operator: Operator, actor: Actor, act: Act): Promise<string | undefined> {
  const { reason, alone = false } = operator.by ?? {};
  if (operator.environment !== "live") return reason;
  const asked = await toApprove(tx, act);
  if (actor.kind === "person") {
    if (asked.changes !== noChanges) await noteConsoleApproval(tx, operator, act);
    return reason;
  }
  if (!takesTwo(act) && (asked.changes === noChanges || actor.role === "owner")) return reason;
  if (alone && actor.role !== "owner") throw new Impossible("Only the owner's login may do this --alone.");
  const approver = alone ? undefined : await updateApprovalUsed(tx, asked);
  if (!alone && approver === undefined) throw new TakesTwo(asked);
  return [reason, approver === undefined ? "Alone." : `Approved by ${approver}.`].filter(Boolean).join(" ");
}

const noChanges = "[]";

/** What the approver reads: the recorded changes. An act without any is described by `before` and `after`. */
async function toApprove(tx: Tx, { act, subject, clientId, before, after }: Act): Promise<ToApprove> {
  const changes = await findChangesToApprove(tx);
  return { act, subject, clientId, changes, ...(changes === noChanges && { before, after }) };
}

async function noteConsoleApproval(tx: Tx, { by }: Operator, { act, subject }: Act): Promise<void> {
  if (by?.approvedBy === undefined) throw new Impossible("In live this needs approval by another person.");
  const requestedBy = nameOf({ by });
  await insertConsoleApproval(tx, { act, subject, requestedBy, approvedBy: by.approvedBy });
}

/** Stores the request for approval; gives what the requester is told. */
async function askFor(operator: Operator, asked: ToApprove): Promise<Impossible> {
  const { reason } = operator.by ?? {};
  const askedId = await inTransaction(operator, systemScope, async (tx) => {
    const actor = await actorOf(tx, operator);
    const { askedId: id, isNew } = await insertAskedAct(tx, { ...asked, reason, askedBy: actor.name });
    const subject = askedSubject({ ...asked, askedId: id });
    if (isNew) await insertAudit(tx, { ...describedBy(asked), actor, reason, act: "ask", subject });
    return id;
  });
  return new Impossible(
    `In live this takes two people, and nothing was done yet. It is asked for as ${askedId}: somebody else, with a login of ` +
      `their own, looks at it with \`tollgate asked list\` and runs \`tollgate asked approve ${askedId}\`, within a day. Then run the same ` +
      "command again, within an hour.",
  );
}

function describedBy({
  clientId,
  changes,
  before,
  after,
}: ToApprove): Pick<Act, "clientId" | "before" | "after"> {
  return changes === noChanges
    ? { clientId, before, after }
    : { clientId, after: changesForAudit(readRowChanges(changes)) };
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
  { url, environment, database: opened }: Operator,
  clientIds: readonly string[],
  work: (tx: Tx) => Promise<Value>,
  options: OwnerOptions = {},
): Promise<Value> {
  const database = opened ?? openForOwner(url, options);
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
    if (!opened) await database.close();
  }
}

function openForOwner(url: string, { statementTimeoutMs, readsWholeTables = true }: OwnerOptions): Database {
  return openDatabase({
    url,
    applicationName: "tollgate operator",
    connectionsMax: 1,
    readsWholeTables,
    ...(statementTimeoutMs !== undefined && { statementTimeoutMs }),
    // The transaction that uses the connection tells of it.
    onFault: () => undefined,
  });
}

function notMigrated(cause: unknown): Error | undefined {
  if (!(cause instanceof DatabaseError && cause.code === "42P01")) return undefined;
  return new Error("The database has not been migrated: run `migrate` first.", { cause });
}
