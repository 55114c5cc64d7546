import { userInfo } from "node:os";
import { DatabaseError } from "pg";
import { approvalSubject, requiresApproval } from "../audit/dual-approval.ts";
import {
  findChangesToApprove,
  insertApprovalRequest,
  insertConsoleApproval,
  updateApprovalUsed,
  type ToApprove,
} from "../audit/approval-request.sql.ts";
import type { Act, Actor } from "../audit/audit.ts";
import { findStaffRole, insertAudit } from "../audit/audit.sql.ts";
import { changesForAudit, readRowChanges } from "../audit/row-change.ts";
import { openDatabase, systemScope, type Database, type DatabaseOptions } from "../postgres/database.ts";
import { findEnvironment, setReadOnly } from "../postgres/environment.sql.ts";
import type { Environment } from "../postgres/migrate.ts";
import type { Tx } from "../postgres/sql.ts";
import { CommandFailed } from "../core/command-errors.ts";

/** Database and environment of an operator's command, with the owner's or the operator's own login. */
export interface Operator {
  readonly url: string;
  readonly environment: Environment;
  /** The actor and the reason. */
  readonly by?: ActsFor;
  /** An open connection to use instead of a new one; `onOneConnection` sets it. */
  readonly database?: Database;
}

/** The actor and the reason, for the audit log. */
export interface ActsFor {
  /** The name of the actor; if absent, the login name of the operating system. */
  readonly name?: string | undefined;
  readonly reason?: string | undefined;
  /**
   * An authenticated person of the console, instead of the operating system's user. The console has already checked
   * whether an approval is needed.
   */
  readonly actor?: Actor;
  /** The person who approved the act in the console. */
  readonly approvedBy?: string;
  /** Skips the approval that live requires; owner's login only. */
  readonly alone?: boolean;
}

/** The result of a command and its audit row, which is absent if nothing was done. */
export interface Acted<Value> {
  readonly value: Value;
  readonly audit: Act | undefined;
}

type OwnerOptions = Pick<DatabaseOptions, "statementTimeoutMs" | "readsWholeTables">;

/** `asOwner` runs one read-only transaction with the operator's login. It rejects a database of another environment. */
export async function asOwner<Value>(
  url: string,
  environment: Environment,
  clientIds: readonly string[],
  work: (tx: Tx) => Promise<Value>,
  options: OwnerOptions = {},
): Promise<Value> {
  return readAsOwner({ url, environment }, clientIds, work, options);
}

/**
 * `readAsOwner` runs one read-only transaction like `asOwner`, on the operator's open connection if there is one
 * (`onOneConnection`).
 */
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
 * `actAsOwner` runs a command that changes data. It is the only way to write, because transactions of `asOwner` are
 * read-only. The audit row is inserted at the end of the same transaction.
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
    // The act's transaction is rolled back. The approval request is inserted in a transaction of its own.
    if (error instanceof TakesTwo) throw await askFor(operator, error.asked);
    throw error;
  }
}

async function actorOf(tx: Tx, { by = {} }: Operator): Promise<Actor> {
  return by.actor ?? { kind: "command", name: nameOf({ by }), role: await findStaffRole(tx) };
}

/** Runs thousands of acts on one connection, because opening a connection for each would take longer than the acts. */
export async function onOneConnection<Value>(
  operator: Operator,
  work: (operator: Operator) => Promise<Value>,
  options: OwnerOptions = {},
): Promise<Value> {
  if (operator.database) return work(operator);
  const database = openForOwner(operator.url, options);
  try {
    return await work({ ...operator, database });
  } finally {
    await database.close();
  }
}

/** Returns the given name, or the login name on this machine. */
export function nameOf({ by = {} }: Pick<Operator, "by">): string {
  return by.actor?.name ?? by.name ?? loginName();
}

/** Thrown for an act without the approval that it needs. */
class TakesTwo extends Error {
  readonly asked: ToApprove;
  constructor(asked: ToApprove) {
    super("This needs an approval.");
    this.asked = asked;
  }
}

/**
 * Returns the audit reason, with the login that approved the act. In live an act needs an approval
 * (docs/decisions/0080) if its recorded row changes need one, or if its name does. The owner's login may skip it:
 * PostgreSQL cannot prevent that, so the audit row records it.
 */
async function reasonFor(tx: Tx, operator: Operator, actor: Actor, act: Act): Promise<string | undefined> {
  const { reason, alone = false } = operator.by ?? {};
  if (operator.environment !== "live") return reason;
  const asked = await toApprove(tx, act);
  if (actor.kind === "person") {
    if (asked.changes !== noChanges) await noteConsoleApproval(tx, operator, act);
    return reason;
  }
  if (!requiresApproval(act) && (asked.changes === noChanges || actor.role === "owner")) return reason;
  if (alone && actor.role !== "owner") throw new CommandFailed("--alone needs the owner's login.");
  const approver = alone ? undefined : await updateApprovalUsed(tx, asked);
  if (!alone && approver === undefined) throw new TakesTwo(asked);
  return [reason, approver === undefined ? "Alone." : `Approved by ${approver}.`].filter(Boolean).join(" ");
}

const noChanges = "[]";

/**
 * Returns the row changes that the approver reads. An act without recorded changes is described by `before` and
 * `after`.
 */
async function toApprove(tx: Tx, { act, subject, clientId, before, after }: Act): Promise<ToApprove> {
  const changes = await findChangesToApprove(tx);
  return { act, subject, clientId, changes, ...(changes === noChanges && { before, after }) };
}

async function noteConsoleApproval(tx: Tx, { by }: Operator, { act, subject }: Act): Promise<void> {
  if (by?.approvedBy === undefined) throw new CommandFailed("In live this needs approval by another person.");
  const requestedBy = nameOf({ by });
  await insertConsoleApproval(tx, { act, subject, requestedBy, approvedBy: by.approvedBy });
}

/** Stores the approval request; returns the error for the requester. */
async function askFor(operator: Operator, asked: ToApprove): Promise<CommandFailed> {
  const { reason } = operator.by ?? {};
  const askedId = await inTransaction(operator, systemScope, async (tx) => {
    const actor = await actorOf(tx, operator);
    const { askedId: id, isNew } = await insertApprovalRequest(tx, { ...asked, reason, askedBy: actor.name });
    const subject = approvalSubject({ ...asked, askedId: id });
    if (isNew) await insertAudit(tx, { ...describedBy(asked), actor, reason, act: "ask", subject });
    return id;
  });
  return new CommandFailed(
    `In live this needs an approval; nothing was changed. Your request has the number ${askedId}. Another ` +
      `person must run \`tollgate approval list\` and \`tollgate approval approve ${askedId}\` with their own login ` +
      "within a day. Then run the same command again within an hour.",
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

/**
 * The name of the operating system's user. A container may run as a user without a name, of which only the number is
 * known.
 */
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
      if (found !== environment)
        throw new Error(
          `The database is for ${found}, not for ${environment}. Check TOLLGATE_OWNER_DATABASE_URL and ` +
            "--environment.",
        );
      return work(tx);
    });
    if (done.outcome === "committed") return done.value;
    if (done.outcome === "not committed") throw notMigrated(done.cause) ?? done.cause;
    throw new Error(
      "The connection was lost during the commit, so the outcome is unknown. Check with `tollgate audit list`.",
      {
        cause: done.cause,
      },
    );
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
    // A fault of the connection is ignored here, because the transaction that uses the connection reports it.
    onFault: () => undefined,
  });
}

function notMigrated(cause: unknown): Error | undefined {
  if (!(cause instanceof DatabaseError && cause.code === "42P01")) return undefined;
  return new Error("The database has no tables yet. Run `tollgate migrate` first.", { cause });
}
