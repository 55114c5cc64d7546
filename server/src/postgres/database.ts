import assert from "node:assert/strict";
import { DatabaseError, Pool, type ClientBase, type PoolClient } from "pg";
import { openLanes } from "./lanes.ts";
import { writeTogether } from "./question.ts";
import { sql, type Statement, type Tx } from "./sql.ts";
import { watchStandby, type Standby } from "./standby.ts";

/**
 * How a transaction ended. `unknown` is not a failure: the commit may have happened, and only
 * reading back tells. A caller cannot forget it, because it has to take the outcome apart.
 */
export type Outcome<Value> =
  | { readonly outcome: "committed"; readonly value: Value }
  | { readonly outcome: "not committed"; readonly cause: unknown }
  | { readonly outcome: "unknown"; readonly cause: unknown };

export interface Database {
  /**
   * Runs `work` in one transaction that sees the rows of these merchants and of nobody else; again, if PostgreSQL
   * has ended it to resolve a deadlock. So it does nothing that a rollback does not undo.
   */
  transaction<Value>(clientIds: readonly string[], work: (tx: Tx) => Promise<Value>): Promise<Outcome<Value>>;
  /** For questions: each statement is a transaction of its own, in one trip, that changes nothing. */
  reader(clientIds: readonly string[]): Tx;
  /**
   * Resolves when all that could be read before is on a standby as well, so that no failover can make it untrue;
   * at once when there is no synchronous standby. Throws when nobody can say.
   */
  confirmed(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly applicationName: string;
  readonly connectionsMax: number;
  /** How long a statement may take, when that is longer than a merchant waits. */
  readonly statementTimeoutMs?: number;
  /** For reports, which read whole tables. Everybody else finds rows by their keys. */
  readonly readsWholeTables?: boolean;
  /** Called for faults of idle connections, which belong to no request. */
  readonly onFault: (error: Error) => void;
}

/** A burst waits its turn; past this a caller is told that nothing is known, and asks again. */
const acquireTimeoutMs = 2_000;
const statementTimeoutUsualMs = 5_000;
/** A frozen server accepts connections and answers nothing: only the client's own clock helps. */
const answerGraceMs = 1_000;

/**
 * Planner settings: index scans and nested loops, by a generic plan that is made once (docs/decisions/0042). Left alone,
 * PostgreSQL plans whatever takes lists anew each time, which costs more than running it; and a plan that is made while a
 * table is small, or has never been analysed, is a sequential scan, and stays one when the table has grown. JIT is off,
 * because with scans disabled the cost of what has no other way is so high that PostgreSQL would compile it.
 */
const byKey = ["enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin", "jit"]
  .map((setting) => `-c ${setting}=off`)
  .concat("-c plan_cache_mode=force_generic_plan")
  .join(" ");

/** Locks are taken in one order everywhere, so that this is for the order that somebody overlooked. */
const triesMax = 3;

/** No client has an empty id. */
const nobody = [""];

export function openDatabase(options: DatabaseOptions): Database {
  let pool = newPool(options);
  let lanes = openLanes(pool);
  const leaving = new Set<Promise<void>>();

  /** After a failover no connection leads to the primary any more, so none of them is used again. */
  function discard(stale: Pool): void {
    if (stale !== pool) return;
    pool = newPool(options);
    lanes = openLanes(pool);
    const left = stale.end().finally(() => leaving.delete(left));
    leaving.add(left);
  }

  async function transaction<Value>(
    clientIds: readonly string[],
    work: (tx: Tx) => Promise<Value>,
  ): Promise<Outcome<Value>> {
    for (let tries = 1; ; tries += 1) {
      const used = pool;
      const done = await runTransaction(used, clientIds, work, standby);
      if (done.outcome !== "committed" && speaksOfFailover(done.cause)) discard(used);
      // The victim of a deadlock has written nothing, and whoever it waited for is through by now.
      if (tries === triesMax || done.outcome !== "not committed" || !wasVictim(done.cause)) return done;
    }
  }

  const ask = async (statement: Statement): Promise<object[]> => lanes.ask(readerSetting(nobody), statement);
  const standby = watchStandby(ask, (work) => transaction(nobody, work));

  return {
    transaction,
    confirmed: () => standby.confirmed(),
    reader: (clientIds) => ({
      query: async (statement) => lanes.ask(readerSetting(clientIds), statement),
      write: () => assert.fail("A reader changes nothing."),
    }),
    close: async () => void (await Promise.all([pool.end(), ...leaving])),
  };
}

function newPool(options: DatabaseOptions): Pool {
  const { url, applicationName, connectionsMax, onFault } = options;
  const { statementTimeoutMs = statementTimeoutUsualMs, readsWholeTables = false } = options;
  const pool = new Pool({
    connectionString: url,
    application_name: applicationName,
    ...(!readsWholeTables && { options: byKey }),
    max: connectionsMax,
    connectionTimeoutMillis: acquireTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + answerGraceMs,
    keepAlive: true,
    pipeline: true,
    // A process that could not start ends at once, and does not sit out the life of an idle connection.
    allowExitOnIdle: true,
  });
  // Without these listeners a connection that breaks while nobody uses it ends the process. The pool's
  // repeats what the connection's has said.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => {
    client.on("error", onFault);
    // The only sign of a commit that no standby has is a warning: neither less nor more is let through.
    client.query("set client_min_messages = warning").catch(onFault);
  });
  return pool;
}

async function runTransaction<Value>(
  pool: Pool,
  clientIds: readonly string[],
  work: (tx: Tx) => Promise<Value>,
  standby: Standby,
): Promise<Outcome<Value>> {
  const setting = tenantSetting(clientIds);
  let client: PoolClient;
  try {
    client = await pool.connect();
  } catch (cause) {
    return { outcome: "not committed", cause };
  }

  const writes: Promise<unknown>[] = [];
  let value: Value;
  try {
    writeTogether(client.connection.stream);
    // Neither is waited for: they travel with the first statement of the work.
    const opened = Promise.all([client.query("begin"), client.query(setting)]);
    opened.catch(() => undefined);
    value = await work({
      query: (statement) => rowsOf(client, statement),
      write(statement) {
        writeTogether(client.connection.stream);
        const written = rowsOf(client, statement);
        written.catch(() => undefined);
        writes.push(written);
      },
    });
    await opened;
  } catch (cause) {
    await rollBack(client);
    return { outcome: "not committed", cause };
  }
  // Time that runs out while a commit waits for the standby would make it visible before it is safe.
  if (standby.isExpected()) client.query("set local statement_timeout = 0").catch(() => undefined);
  return commit(client, value, writes);
}

async function commit<Value>(
  client: PoolClient,
  value: Value,
  writes: readonly Promise<unknown>[],
): Promise<Outcome<Value>> {
  let warning: unknown;
  // A cancelled wait for the standby is reported as success with no more than a warning. Its severity
  // is a word in the server's language, so it is not asked for: only warnings are sent at all.
  const onNotice = (notice: unknown): void => {
    warning = notice;
  };
  client.on("notice", onNotice);
  try {
    const { command } = await client.query("commit");
    client.off("notice", onNotice);
    client.release();
    if (warning !== undefined) return { outcome: "unknown", cause: warning };
    // A transaction in which a statement failed answers COMMIT with ROLLBACK.
    if (command !== "COMMIT") return { outcome: "not committed", cause: await firstFailure(writes, command) };
    return { outcome: "committed", value };
  } catch (cause) {
    client.release(true);
    return wasRefused(cause) ? { outcome: "not committed", cause } : { outcome: "unknown", cause };
  }
}

async function firstFailure(writes: readonly Promise<unknown>[], command: string): Promise<unknown> {
  const failed = (await Promise.allSettled(writes)).find(({ status }) => status === "rejected");
  return failed && "reason" in failed ? failed.reason : new Error(`COMMIT gave ${command}.`);
}

async function rollBack(client: PoolClient): Promise<void> {
  try {
    await client.query("rollback");
    client.release();
  } catch {
    // The connection is gone, and with it the transaction.
    client.release(true);
  }
}

async function rowsOf<Row extends object>(client: ClientBase, statement: Statement): Promise<Row[]> {
  const { rows } = await client.query<Row>({ ...statement, values: statement.values });
  return rows;
}

/** Local to the transaction: a setting of the session would leak to whoever gets the connection next. */
function tenantSetting(clientIds: readonly string[]): Statement {
  assert(clientIds.length > 0, "A transaction names its merchants.");
  return sql`select set_config('app.clients', ${clientIds}::text[]::text, true)`;
}

/** The same for questions, which moreover cannot change anything. */
function readerSetting(clientIds: readonly string[]): Statement {
  assert(clientIds.length > 0, "A question names its merchants.");
  return sql`select set_config('app.clients', ${clientIds}::text[]::text, true),
    set_config('transaction_read_only', 'on', true)`;
}

/** The server became a standby, which only reads, or is going down. */
function speaksOfFailover(cause: unknown): boolean {
  return cause instanceof DatabaseError && ["25006", "57P01", "57P02"].includes(cause.code ?? "");
}

/** A deadlock, or a transaction that could not be put in a row with others. */
function wasVictim(cause: unknown): boolean {
  return cause instanceof DatabaseError && (cause.code === "40P01" || cause.code === "40001");
}

/**
 * Whether it was the rows that PostgreSQL did not take. Otherwise there was no connection, no time or no room: the same
 * in smaller pieces would ask for more of what there is too little of.
 */
export function speaksOfRows(cause: unknown): boolean {
  return cause instanceof DatabaseError && !/^(08|53|55|57|58|XX)/.test(cause.code ?? "XX");
}

/** Whether it is the content that PostgreSQL refuses, a value or a constraint: it will do so tomorrow, too. */
export function cannotBeStored(cause: unknown): boolean {
  return cause instanceof DatabaseError && /^2[23]/.test(cause.code ?? "");
}

/**
 * PostgreSQL said no to the commit itself, for example by a deferred constraint. Everything that
 * speaks of a lost connection or a server going down leaves the question open.
 */
function wasRefused(error: unknown): boolean {
  if (!(error instanceof DatabaseError) || error.code === undefined) return false;
  return !/^(08|57P|58|XX)/.test(error.code);
}
