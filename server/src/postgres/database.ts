import assert from "node:assert/strict";
import { Pool, type ClientBase, type PoolClient } from "pg";
import { WrongCellError } from "../core/wrong-cell-error.ts";
import type { Meter } from "../telemetry/meter.ts";
import {
  isCommitRejected,
  isDeadlock,
  isFailoverError,
  resourceErrorOf,
  resourceErrors,
} from "./database-error.ts";
import { trackOrigins, type ConnectionOrigins, type ServerOrigin } from "./connection-origin.ts";
import { openPipelines } from "./pipelines.ts";
import { corkUntilNextTurn } from "./pipelined-query.ts";
import { fragment, sql, type Statement, type Tx } from "./sql.ts";
import { watchStandby, type Standby } from "./standby.ts";

/**
 * The outcome of a transaction. `unknown` is not a failure: the commit may have happened, and only a read shows it. The
 * type forces each caller to handle this outcome.
 */
export type TransactionOutcome<Value> =
  | { readonly outcome: "committed"; readonly value: Value }
  | { readonly outcome: "not committed"; readonly cause: unknown }
  | { readonly outcome: "unknown"; readonly cause: unknown };

/** The value of a committed transaction. Throws for any other outcome. */
export function requireCommitted<Value>(result: TransactionOutcome<Value>): Value {
  if (result.outcome !== "committed") throw result.cause;
  return result.value;
}

export interface Database {
  /**
   * Runs `work` in one transaction that sees only the rows of these merchants. Runs `work` again after a deadlock, so
   * `work` must have no effects outside the transaction. Adds the transaction's server to `origins`.
   */
  transaction<Value>(
    clientIds: readonly string[],
    work: (tx: Tx) => Promise<Value>,
    origins?: Set<ServerOrigin>,
  ): Promise<TransactionOutcome<Value>>;
  /**
   * Returns a reader: each statement is its own read-only transaction, in one round trip. Adds the server of each
   * statement to `origins`.
   */
  reader(clientIds: readonly string[], origins?: Set<ServerOrigin>): Tx;
  /**
   * Returns those of the merchants whose data is in this cell, for a batch that failed because one of them was moved.
   */
  findClientsInThisCell(clientIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Resolves when the rows that were read from `origins` are on the synchronous standby as well, so that a failover
   * cannot lose them. Without a standby it resolves at once. Throws if it cannot verify this in time, or if another
   * server is the primary by now, because it may not have these rows.
   */
  waitForReplication(origins: ReadonlySet<ServerOrigin>): Promise<void>;
  /** Counts a batch of the batch reader or the batch writer. */
  countBatch(access: "read" | "write", itemCount: number): void;
  /**
   * Resolves when the synchronous standby has confirmed a commit, or if there is no standby. It does not confirm any
   * rows.
   */
  waitForStandby(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly applicationName: string;
  readonly connectionsMax: number;
  /** Timeout of a statement, if it must be longer than a merchant waits. */
  readonly statementTimeoutMs?: number;
  /** True for reports, which scan whole tables. All other queries find rows by key. */
  readonly readsWholeTables?: boolean;
  /** True for users who only read: PostgreSQL itself rejects every write on these connections. */
  readonly readsOnly?: boolean;
  /** Called for faults of idle connections, which belong to no request. */
  readonly onFault: (error: Error) => void;
  /** Counts the outcomes of transactions, and shows the use of the pool. */
  readonly meter?: Meter;
}

/**
 * Timeout for getting a connection from the pool. A burst of callers waits; after the timeout a caller fails, and
 * retries.
 */
const acquireTimeoutMs = 2_000;
const defaultStatementTimeoutMs = 5_000;
/** Client-side timeout, in addition to `statement_timeout`: a frozen server enforces no timeout. */
const responseGraceMs = 1_000;

/**
 * Planner settings: index scans and nested loops, with a generic plan that is made once (docs/decisions/0042). By
 * default PostgreSQL plans statements with list parameters at each execution, which costs more than running them. And a
 * plan made while a table is small or not analysed is a sequential scan, which stays when the table has grown. JIT is
 * off: with scans disabled, a statement without an index has so high an estimated cost that it would be compiled.
 */
const keyLookupSettings = [
  "enable_seqscan",
  "enable_bitmapscan",
  "enable_hashjoin",
  "enable_mergejoin",
  "jit",
]
  .map((setting) => `-c ${setting}=off`)
  .concat("-c plan_cache_mode=force_generic_plan")
  .join(" ");

const readOnlySetting = "-c default_transaction_read_only=on";

/**
 * Attempts of a transaction after deadlocks. All code takes locks in the same order; the retries cover an order that
 * was overlooked.
 */
const attemptsMax = 3;

/** The scope of system transactions. No client has an empty id, so row-level security shows no merchant's rows. */
export const systemScope: readonly string[] = [""];

export function openDatabase(options: DatabaseOptions): Database {
  const connections = trackOrigins(options);
  let pool = newPool(options, connections);
  let pipelines = openPipelines(pool, connections);
  const closingPools = new Set<Promise<void>>();
  const { meter } = options;
  meter?.beforeScrape(() => reportPool(meter, pool, options.connectionsMax));
  // The counter starts at zero, so that the first occurrence is an increase.
  for (const resourceError of Object.values(resourceErrors)) meter?.set("troubles", [resourceError], 0);

  /** After a failover no connection in the pool leads to the primary, so the whole pool is replaced. */
  function discard(stale: Pool): void {
    if (stale !== pool) return;
    pool = newPool(options, connections);
    pipelines = openPipelines(pool, connections);
    const closing = stale.end().finally(() => closingPools.delete(closing));
    closingPools.add(closing);
  }

  async function transaction<Value>(
    clientIds: readonly string[],
    work: (tx: Tx) => Promise<Value>,
    origins?: Set<ServerOrigin>,
  ): Promise<TransactionOutcome<Value>> {
    const setting = tenantSetting(clientIds);
    for (let tries = 1; ; tries += 1) {
      const usedPool = pool;
      const connected = await acquireConnection(usedPool, connections, origins);
      const result =
        "client" in connected ? await runTransaction(connected, setting, work, standby) : connected;
      meter?.add("transactions", [result.outcome]);
      const resourceError = result.outcome === "committed" ? undefined : resourceErrorOf(result.cause);
      if (resourceError !== undefined) meter?.add("troubles", [resourceError]);
      if (result.outcome !== "committed" && isFailoverError(result.cause)) discard(usedPool);
      // Deadlock retry: the victim was rolled back, and the transaction that it blocked can continue.
      if (tries === attemptsMax || result.outcome !== "not committed" || !isDeadlock(result.cause))
        return result;
    }
  }

  const query = async (statement: Statement, origins?: Set<ServerOrigin>): Promise<object[]> =>
    pipelines.query(readerSetting(systemScope), statement, origins);
  const standby = watchStandby(query, (work, from) =>
    transaction(systemScope, work, from).then(requireCommitted),
  );

  return {
    transaction,
    waitForReplication(origins) {
      assert(origins.size > 0, "A confirmation needs the servers that were read from.");
      return standby.waitForReplication(origins);
    },
    waitForStandby: () => standby.waitForReplication(new Set()),
    countBatch: (access, count) => meter?.add("batchItems", [access, count > 1 ? "shared" : "single"], count),
    reader: (clientIds, origins) => ({
      query: async (statement) => pipelines.query(readerSetting(clientIds), statement, origins),
      write: () => assert.fail("A reader must not write."),
    }),
    async findClientsInThisCell(clientIds) {
      const rows = await query(sql`
        select given.client from unnest(${clientIds}::text[]) as given (client)
        where not exists (select from client_homes as home where home.client = given.client and home.state <> 'here')
      `);
      return new Set(rows.map((row) => (row as { readonly client: string }).client));
    },
    close: async () => void (await Promise.all([pool.end(), ...closingPools])),
  };
}

function reportPool(meter: Meter, { totalCount, idleCount, waitingCount }: Pool, max: number): void {
  meter.set("connections", ["used"], totalCount - idleCount);
  meter.set("connections", ["idle"], idleCount);
  meter.set("connectionsMax", [], max);
  meter.set("connectionWaits", [], waitingCount);
}

function newPool(options: DatabaseOptions, connections: ConnectionOrigins): Pool {
  const { url, applicationName, connectionsMax, onFault } = options;
  const {
    statementTimeoutMs = defaultStatementTimeoutMs,
    readsWholeTables = false,
    readsOnly = false,
  } = options;
  const settings = [
    ...(readsWholeTables ? [] : [keyLookupSettings]),
    ...(readsOnly ? [readOnlySetting] : []),
  ].join(" ");
  const pool = new Pool({
    connectionString: url,
    application_name: applicationName,
    ...(settings && { options: settings }),
    max: connectionsMax,
    connectionTimeoutMillis: acquireTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + responseGraceMs,
    keepAlive: true,
    pipeline: true,
    // A process that failed to start exits at once, without waiting for the idle timeout of its connections.
    allowExitOnIdle: true,
  });
  // Without error listeners, an idle connection that breaks ends the process. The pool's error repeats the
  // connection's.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => {
    client.on("error", onFault);
    connections.identify(client, onFault);
  });
  return pool;
}

/** A connection for one transaction. */
interface AcquiredConnection {
  readonly client: PoolClient;
  release(): void;
}

async function acquireConnection(
  pool: Pool,
  connections: ConnectionOrigins,
  origins?: Set<ServerOrigin>,
): Promise<AcquiredConnection | TransactionOutcome<never>> {
  try {
    const client = await pool.connect();
    return {
      client,
      release() {
        origins?.add(connections.originOf(client));
        client.release(connections.isStale(client));
      },
    };
  } catch (cause) {
    return { outcome: "not committed", cause };
  }
}

async function runTransaction<Value>(
  connected: AcquiredConnection,
  setting: Statement,
  work: (tx: Tx) => Promise<Value>,
  standby: Standby,
): Promise<TransactionOutcome<Value>> {
  const { client } = connected;
  const writes: Promise<unknown>[] = [];
  let value: Value;
  corkUntilNextTurn(client.connection.stream);
  // Both statements are pipelined: neither is awaited, and they are sent with the first statement of the work.
  const opening = Promise.all([client.query("begin"), client.query(setting)]);
  const isFenced = opening.then(
    ([, { rowCount }]) => rowCount === 0,
    () => false,
  );
  try {
    value = await work({
      query: (statement) => queryRows(client, statement),
      write(statement) {
        corkUntilNextTurn(client.connection.stream);
        const rowsWritten = queryRows(client, statement);
        rowsWritten.catch(() => undefined);
        writes.push(rowsWritten);
      },
    });
    await opening;
    if (await isFenced) throw new WrongCellError();
  } catch (cause) {
    // If the merchant's data has moved to another cell (fencing), no row is visible. That is the real cause of any
    // error in the work.
    const realCause = (await isFenced) ? new WrongCellError() : cause;
    await rollBack(connected);
    return { outcome: "not committed", cause: realCause };
  }
  // The commit has no statement timeout, which would cancel the wait for the standby, and make the rows visible before
  // they are replicated.
  if (standby.isExpected()) client.query("set local statement_timeout = 0").catch(() => undefined);
  return commit(connected, value, writes);
}

async function commit<Value>(
  { client, release }: AcquiredConnection,
  value: Value,
  writes: readonly Promise<unknown>[],
): Promise<TransactionOutcome<Value>> {
  let warning: unknown;
  // PostgreSQL reports a cancelled wait for the standby as success, with only a warning. The severity of the warning is
  // translated into the server's language, so the code does not compare it: the connection receives nothing below
  // warnings.
  const onNotice = (notice: unknown): void => {
    warning = notice;
  };
  client.on("notice", onNotice);
  try {
    const { command } = await client.query("commit");
    client.off("notice", onNotice);
    release();
    if (warning !== undefined) return { outcome: "unknown", cause: warning };
    // If a statement failed, PostgreSQL answers COMMIT with ROLLBACK.
    if (command !== "COMMIT") return { outcome: "not committed", cause: await firstFailure(writes, command) };
    return { outcome: "committed", value };
  } catch (cause) {
    client.release(true);
    return isCommitRejected(cause) ? { outcome: "not committed", cause } : { outcome: "unknown", cause };
  }
}

async function firstFailure(writes: readonly Promise<unknown>[], command: string): Promise<unknown> {
  const failure = (await Promise.allSettled(writes)).find(({ status }) => status === "rejected");
  return failure && "reason" in failure ? failure.reason : new Error(`COMMIT gave ${command}.`);
}

async function rollBack({ client, release }: AcquiredConnection): Promise<void> {
  try {
    await client.query("rollback");
    release();
  } catch {
    // If the rollback fails, the connection is lost, and with it the transaction.
    client.release(true);
  }
}

async function queryRows<Row extends object>(client: ClientBase, statement: Statement): Promise<Row[]> {
  const { rows } = await client.query<Row>({ ...statement, values: statement.values });
  return rows;
}

/**
 * Sets the merchants that row-level security lets through. The setting is local to the transaction: a session setting
 * would leak to the connection's next user. It sets nothing and returns no row if one of the merchants is not in this
 * cell.
 */
function tenantSetting(clientIds: readonly string[]): Statement {
  assert(clientIds.length > 0, "A transaction needs its merchants' client ids.");
  if (clientIds === systemScope)
    return sql`select set_config('app.clients', ${clientIds}::text[]::text, true)`;
  return sql`select set_config('app.clients', ${clientIds}::text[]::text, true)
    where ${noMerchantMoved} or not exists (
      select from client_homes where client = any (${clientIds}::text[]) and state <> 'here')`;
}

/** Sets the merchants for reads, in a read-only transaction. A query about many merchants covers those in this cell. */
function readerSetting(clientIds: readonly string[]): Statement {
  assert(clientIds.length > 0, "A query needs its merchants' client ids.");
  if (clientIds === systemScope)
    return sql`select set_config('app.clients', ${clientIds}::text[]::text, true),
      set_config('transaction_read_only', 'on', true)`;
  if (clientIds.length > 1)
    return sql`select set_config('transaction_read_only', 'on', true), set_config('app.clients', (
        case when ${noMerchantMoved} then ${clientIds}::text[] else array(
          select given.client from unnest(${clientIds}::text[]) as given (client)
          where not exists (select from client_homes as home where home.client = given.client and home.state <> 'here'))
        end)::text, true)`;
  return sql`select set_config('app.clients', ${clientIds}::text[]::text, true),
      set_config('transaction_read_only', 'on', true)
    where ${noMerchantMoved} or not exists (
      select from client_homes where client = any (${clientIds}::text[]) and state <> 'here')`;
}

/**
 * The fence of docs/decisions/0093 is checked in the database, in the first statement of every transaction, because a
 * cache may be stale. In an installation with a single cell no merchant has moved, and the check costs a look-up in an
 * empty index.
 */
const noMerchantMoved = fragment`not exists (select from client_homes where state <> 'here')`;
