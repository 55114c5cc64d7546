import { userInfo } from "node:os";
import { DatabaseError } from "pg";
import { approvalSubject, requiresApproval } from "../audit/dual-approval.ts";
import {
  findChangesToApprove,
  insertApprovalRequest,
  insertConsoleApproval,
  updateApprovalUsed,
  type ApprovalContent,
} from "../audit/approval-request.sql.ts";
import type { Act, Actor } from "../audit/audit.ts";
import { findStaffRole, insertAudit } from "../audit/audit.sql.ts";
import { changesForAudit, parseRowChanges } from "../audit/row-change.ts";
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
  readonly by?: ActAttribution;
  /** An open connection to use instead of a new one; `withOneConnection` sets it. */
  readonly database?: Database;
}

/** The actor and the reason, for the audit log. */
export interface ActAttribution {
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
export interface ActResult<Value> {
  readonly value: Value;
  readonly audit: Act | undefined;
}

type OwnerOptions = Pick<DatabaseOptions, "statementTimeoutMs" | "readsWholeTables">;

/** `queryAsOwner` runs one read-only transaction with the operator's login. It rejects a database of another environment. */
export async function queryAsOwner<Value>(
  url: string,
  environment: Environment,
  clientIds: readonly string[],
  work: (tx: Tx) => Promise<Value>,
  options: OwnerOptions = {},
): Promise<Value> {
  return readAsOwner({ url, environment }, clientIds, work, options);
}

/**
 * `readAsOwner` runs one read-only transaction like `queryAsOwner`, on the operator's open connection if there is one
 * (`withOneConnection`).
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
 * `actAsOwner` runs a command that changes data. It is the only way to write, because transactions of `queryAsOwner` are
 * read-only. The audit row is inserted at the end of the same transaction.
 */
export async function actAsOwner<Value>(
  operator: Operator,
  clientIds: readonly string[],
  work: (tx: Tx) => Promise<ActResult<Value>>,
  options: OwnerOptions = {},
): Promise<Value> {
  const act = async (tx: Tx): Promise<Value> => {
    const { value, audit } = await work(tx);
    if (!audit) return value;
    const actor = await findActor(tx, operator);
    const reason = await resolveReason(tx, operator, actor, audit);
    await insertAudit(tx, { actor, reason, ...audit });
    return value;
  };
  try {
    return await inTransaction(operator, clientIds, act, options);
  } catch (error) {
    // The act's transaction is rolled back. The approval request is inserted in a transaction of its own.
    if (error instanceof ApprovalRequired) throw await requestApproval(operator, error.approvalContent);
    throw error;
  }
}

async function findActor(tx: Tx, { by = {} }: Operator): Promise<Actor> {
  return by.actor ?? { kind: "command", name: operatorName({ by }), role: await findStaffRole(tx) };
}

/** Runs thousands of acts on one connection, because opening a connection for each would take longer than the acts. */
export async function withOneConnection<Value>(
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
export function operatorName({ by = {} }: Pick<Operator, "by">): string {
  return by.actor?.name ?? by.name ?? loginName();
}

/** Thrown for an act without the approval that it needs. */
class ApprovalRequired extends Error {
  readonly approvalContent: ApprovalContent;
  constructor(approvalContent: ApprovalContent) {
    super("This needs an approval.");
    this.approvalContent = approvalContent;
  }
}

/**
 * Returns the audit reason, with the login that approved the act. In live an act needs an approval
 * (docs/decisions/0080) if its recorded row changes need one, or if its name does. The owner's login may skip it:
 * PostgreSQL cannot prevent that, so the audit row records it.
 */
async function resolveReason(
  tx: Tx,
  operator: Operator,
  actor: Actor,
  act: Act,
): Promise<string | undefined> {
  const { reason, alone: skipsApproval = false } = operator.by ?? {};
  if (operator.environment !== "live") return reason;
  const approvalContent = await describeActToApprove(tx, act);
  if (actor.kind === "person") {
    if (approvalContent.changes !== noChanges) await recordConsoleApproval(tx, operator, act);
    return reason;
  }
  if (!requiresApproval(act) && (approvalContent.changes === noChanges || actor.role === "owner"))
    return reason;
  if (skipsApproval && actor.role !== "owner") throw new CommandFailed("--alone needs the owner's login.");
  const approver = skipsApproval ? undefined : await updateApprovalUsed(tx, approvalContent);
  if (!skipsApproval && approver === undefined) throw new ApprovalRequired(approvalContent);
  return [reason, approver === undefined ? "Alone." : `Approved by ${approver}.`].filter(Boolean).join(" ");
}

const noChanges = "[]";

/**
 * Returns the row changes that the approver reads. An act without recorded changes is described by `before` and
 * `after`.
 */
async function describeActToApprove(
  tx: Tx,
  { act, subject, clientId, before, after }: Act,
): Promise<ApprovalContent> {
  const changes = await findChangesToApprove(tx);
  return { act, subject, clientId, changes, ...(changes === noChanges && { before, after }) };
}

async function recordConsoleApproval(tx: Tx, { by }: Operator, { act, subject }: Act): Promise<void> {
  if (by?.approvedBy === undefined) throw new CommandFailed("In live this needs approval by another person.");
  const requestedBy = operatorName({ by });
  await insertConsoleApproval(tx, { act, subject, requestedBy, approvedBy: by.approvedBy });
}

/** Stores the approval request; returns the error for the requester. */
async function requestApproval(operator: Operator, approvalContent: ApprovalContent): Promise<CommandFailed> {
  const { reason } = operator.by ?? {};
  const requestId = await inTransaction(operator, systemScope, async (tx) => {
    const actor = await findActor(tx, operator);
    const { requestId: id, isNew } = await insertApprovalRequest(tx, {
      ...approvalContent,
      reason,
      requestedBy: actor.name,
    });
    const subject = approvalSubject({ ...approvalContent, askedId: id });
    if (isNew) await insertAudit(tx, { ...auditFields(approvalContent), actor, reason, act: "ask", subject });
    return id;
  });
  return new CommandFailed(
    `In live this needs an approval; nothing was changed. Your request has the number ${requestId}. Another ` +
      `person must run \`tollgate approval list\` and \`tollgate approval approve ${requestId}\` with their own login ` +
      "within a day. Then run the same command again within an hour.",
  );
}

function auditFields({
  clientId,
  changes,
  before,
  after,
}: ApprovalContent): Pick<Act, "clientId" | "before" | "after"> {
  return changes === noChanges
    ? { clientId, before, after }
    : { clientId, after: changesForAudit(parseRowChanges(changes)) };
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
  { url, environment, database: existingDatabase }: Operator,
  clientIds: readonly string[],
  work: (tx: Tx) => Promise<Value>,
  options: OwnerOptions = {},
): Promise<Value> {
  const database = existingDatabase ?? openForOwner(url, options);
  try {
    const result = await database.transaction(clientIds, async (tx) => {
      const actualEnvironment = await findEnvironment(tx);
      if (actualEnvironment !== environment)
        throw new Error(
          `The database is for ${actualEnvironment}, not for ${environment}. Check TOLLGATE_OWNER_DATABASE_URL and ` +
            "--environment.",
        );
      return work(tx);
    });
    if (result.outcome === "committed") return result.value;
    if (result.outcome === "not committed") throw explainMissingTables(result.cause) ?? result.cause;
    throw new Error(
      "The connection was lost during the commit, so the outcome is unknown. Check with `tollgate audit list`.",
      {
        cause: result.cause,
      },
    );
  } finally {
    if (!existingDatabase) await database.close();
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

function explainMissingTables(cause: unknown): Error | undefined {
  if (!(cause instanceof DatabaseError && cause.code === "42P01")) return undefined;
  return new Error("The database has no tables yet. Run `tollgate migrate` first.", { cause });
}
