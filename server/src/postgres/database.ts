import assert from "node:assert/strict";
import { DatabaseError, Pool, type ClientBase, type PoolClient } from "pg";
import { ClientElsewhere } from "../core/client-elsewhere.ts";
import type { Meter } from "../core/meter.ts";
import { trackOrigins, type ConnectionOrigins, type Origin } from "./origin.ts";
import { openPipelines } from "./pipelines.ts";
import { writeTogether } from "./question.ts";
import { fragment, sql, type Statement, type Tx } from "./sql.ts";
import { watchStandby, type Standby } from "./standby.ts";

/**
 * How a transaction ended. `unknown` is not a failure: the commit may have happened, and only
 * reading back tells. A caller cannot forget it, because it has to take the outcome apart.
 */
export type Outcome<Value> =
  | { readonly outcome: "committed"; readonly value: Value }
  | { readonly outcome: "not committed"; readonly cause: unknown }
  | { readonly outcome: "unknown"; readonly cause: unknown };

/** The value of a transaction that was committed. Any other outcome is thrown, for callers that have no answer to it. */
export function committed<Value>(done: Outcome<Value>): Value {
  if (done.outcome !== "committed") throw done.cause;
  return done.value;
}

export interface Database {
  /**
   * Runs `work` in one transaction that sees the rows of these merchants and of nobody else. Retries it after a
   * deadlock, so `work` does nothing that a rollback does not undo. Adds the server that it ran on to `origins`.
   */
  transaction<Value>(
    clientIds: readonly string[],
    work: (tx: Tx) => Promise<Value>,
    origins?: Set<Origin>,
  ): Promise<Outcome<Value>>;
  /** For reads: each statement is a read-only transaction of its own, in one round trip. Adds its server to `origins`. */
  reader(clientIds: readonly string[], origins?: Set<Origin>): Tx;
  /** Those of the merchants that live in this cell, for a batch that was refused because one of them does not. */
  livingHere(clientIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Resolves when the rows that were read from `origins` are on the synchronous standby as well, so that no failover can
   * make them untrue; at once when there is none. Throws when that cannot be found out, or not in time, and when the
   * primary is another server by now: it may never have had these rows.
   */
  confirmed(origins: ReadonlySet<Origin>): Promise<void>;
  /** Resolves when the synchronous standby has confirmed a commit, or when there is none. Says nothing about rows. */
  standbyConfirms(): Promise<void>;
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
  /** For whoever only looks: PostgreSQL itself refuses every write on these connections. */
  readonly readsOnly?: boolean;
  /** Called for faults of idle connections, which belong to no request. */
  readonly onFault: (error: Error) => void;
  /** Counts how transactions end, and shows how the pool is used. */
  readonly meter?: Meter;
}

/** Timeout for a connection from the pool: a burst waits its turn; past this the caller fails, and asks again. */
const acquireTimeoutMs = 2_000;
const statementTimeoutUsualMs = 5_000;
/** Client-side timeout, beyond `statement_timeout`: a frozen server accepts connections and enforces nothing. */
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

const readOnly = "-c default_transaction_read_only=on";

/** Deadlock retries. Locks are taken in one order everywhere, so this is for an order that was overlooked. */
const triesMax = 3;

/**
 * The scope of what the system does for itself. No client has an empty id, so row-level security shows no merchant's
 * rows, and only what the role itself may see.
 */
export const systemScope: readonly string[] = [""];

export function openDatabase(options: DatabaseOptions): Database {
  const connections = trackOrigins(options);
  let pool = newPool(options, connections);
  let pipelines = openPipelines(pool, connections);
  const leaving = new Set<Promise<void>>();
  const { meter } = options;
  meter?.beforeLook(() => showPool(meter, pool, options.connectionsMax));
  // From zero on, so that the first one is an increase.
  for (const trouble of Object.values(troubles)) meter?.set("troubles", [trouble], 0);

  /** After a failover no pooled connection leads to the primary any more: the whole pool is replaced. */
  function discard(stale: Pool): void {
    if (stale !== pool) return;
    pool = newPool(options, connections);
    pipelines = openPipelines(pool, connections);
    const left = stale.end().finally(() => leaving.delete(left));
    leaving.add(left);
  }

  async function transaction<Value>(
    clientIds: readonly string[],
    work: (tx: Tx) => Promise<Value>,
    origins?: Set<Origin>,
  ): Promise<Outcome<Value>> {
    const setting = tenantSetting(clientIds);
    for (let tries = 1; ; tries += 1) {
      const used = pool;
      const opened = await connectTo(used, connections, origins);
      const done = "client" in opened ? await runTransaction(opened, setting, work, standby) : opened;
      meter?.add("transactions", [done.outcome]);
      const trouble = done.outcome === "committed" ? undefined : troubleOf(done.cause);
      if (trouble !== undefined) meter?.add("troubles", [trouble]);
      if (done.outcome !== "committed" && speaksOfFailover(done.cause)) discard(used);
      // Deadlock retry: the victim was rolled back, and the transaction that it waited for can go on.
      if (tries === triesMax || done.outcome !== "not committed" || !wasVictim(done.cause)) return done;
    }
  }

  const ask = async (statement: Statement, origins?: Set<Origin>): Promise<object[]> =>
    pipelines.ask(readerSetting(systemScope), statement, origins);
  const standby = watchStandby(ask, (work, origins) => transaction(systemScope, work, origins));

  return {
    transaction,
    confirmed(origins) {
      assert(origins.size > 0, "A confirmation names the servers that were read from.");
      return standby.confirmed(origins);
    },
    standbyConfirms: () => standby.confirmed(new Set()),
    reader: (clientIds, origins) => ({
      query: async (statement) => pipelines.ask(readerSetting(clientIds), statement, origins),
      write: () => assert.fail("A reader changes nothing."),
    }),
    async livingHere(clientIds) {
      const rows = await ask(sql`
        select given.client from unnest(${clientIds}::text[]) as given (client)
        where not exists (select from client_homes as home where home.client = given.client and home.state <> 'here')
      `);
      return new Set(rows.map((row) => (row as { readonly client: string }).client));
    },
    close: async () => void (await Promise.all([pool.end(), ...leaving])),
  };
}

function showPool(meter: Meter, { totalCount, idleCount, waitingCount }: Pool, max: number): void {
  meter.set("connections", ["used"], totalCount - idleCount);
  meter.set("connections", ["idle"], idleCount);
  meter.set("connectionsMax", [], max);
  meter.set("connectionWaits", [], waitingCount);
}

function newPool(options: DatabaseOptions, connections: ConnectionOrigins): Pool {
  const { url, applicationName, connectionsMax, onFault } = options;
  const {
    statementTimeoutMs = statementTimeoutUsualMs,
    readsWholeTables = false,
    readsOnly = false,
  } = options;
  const settings = [...(readsWholeTables ? [] : [byKey]), ...(readsOnly ? [readOnly] : [])].join(" ");
  const pool = new Pool({
    connectionString: url,
    application_name: applicationName,
    ...(settings && { options: settings }),
    max: connectionsMax,
    connectionTimeoutMillis: acquireTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + answerGraceMs,
    keepAlive: true,
    pipeline: true,
    // A process that failed to start exits at once, and does not wait for the idle timeout of its connections.
    allowExitOnIdle: true,
  });
  // Without these listeners a connection that breaks while nobody uses it ends the process. The pool's
  // repeats what the connection's has said.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => {
    client.on("error", onFault);
    connections.identify(client, onFault);
  });
  return pool;
}

/** A connection for one transaction. */
interface Connected {
  readonly client: PoolClient;
  release(): void;
}

async function connectTo(
  pool: Pool,
  connections: ConnectionOrigins,
  origins?: Set<Origin>,
): Promise<Connected | Outcome<never>> {
  try {
    const client = await pool.connect();
    return {
      client,
      release() {
        origins?.add(connections.of(client));
        client.release(connections.isStale(client));
      },
    };
  } catch (cause) {
    return { outcome: "not committed", cause };
  }
}

async function runTransaction<Value>(
  connected: Connected,
  setting: Statement,
  work: (tx: Tx) => Promise<Value>,
  standby: Standby,
): Promise<Outcome<Value>> {
  const { client } = connected;
  const writes: Promise<unknown>[] = [];
  let value: Value;
  writeTogether(client.connection.stream);
  // Pipelined: neither is awaited, and both travel with the first statement of the work.
  const opened = Promise.all([client.query("begin"), client.query(setting)]);
  const isFenced = opened.then(
    ([, { rowCount }]) => rowCount === 0,
    () => false,
  );
  try {
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
    if (await isFenced) throw new ClientElsewhere();
  } catch (cause) {
    // Behind the fence no row is seen and none can be written: whatever the work made of that, this is why.
    const why = (await isFenced) ? new ClientElsewhere() : cause;
    await rollBack(connected);
    return { outcome: "not committed", cause: why };
  }
  // No statement timeout for the commit: it would cancel the wait for the standby, and show the rows before
  // they are replicated.
  if (standby.isExpected()) client.query("set local statement_timeout = 0").catch(() => undefined);
  return commit(connected, value, writes);
}

async function commit<Value>(
  { client, release }: Connected,
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
    release();
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

async function rollBack({ client, release }: Connected): Promise<void> {
  try {
    await client.query("rollback");
    release();
  } catch {
    // The connection is gone, and with it the transaction.
    client.release(true);
  }
}

async function rowsOf<Row extends object>(client: ClientBase, statement: Statement): Promise<Row[]> {
  const { rows } = await client.query<Row>({ ...statement, values: statement.values });
  return rows;
}

/**
 * The tenants that row-level security lets through. Local to the transaction: a session setting would leak to
 * the connection's next user. Sets nothing, and gives no row, when one of them does not live here.
 */
function tenantSetting(clientIds: readonly string[]): Statement {
  assert(clientIds.length > 0, "A transaction names its merchants.");
  if (clientIds === systemScope)
    return sql`select set_config('app.clients', ${clientIds}::text[]::text, true)`;
  return sql`select set_config('app.clients', ${clientIds}::text[]::text, true)
    where ${nobodyMoved} or not exists (
      select from client_homes where client = any (${clientIds}::text[]) and state <> 'here')`;
}

/** The same for reads, in a read-only transaction. A question about many merchants is about those that live here. */
function readerSetting(clientIds: readonly string[]): Statement {
  assert(clientIds.length > 0, "A question names its merchants.");
  if (clientIds === systemScope)
    return sql`select set_config('app.clients', ${clientIds}::text[]::text, true),
      set_config('transaction_read_only', 'on', true)`;
  if (clientIds.length > 1)
    return sql`select set_config('transaction_read_only', 'on', true), set_config('app.clients', (
        case when ${nobodyMoved} then ${clientIds}::text[] else array(
          select given.client from unnest(${clientIds}::text[]) as given (client)
          where not exists (select from client_homes as home where home.client = given.client and home.state <> 'here'))
        end)::text, true)`;
  return sql`select set_config('app.clients', ${clientIds}::text[]::text, true),
      set_config('transaction_read_only', 'on', true)
    where ${nobodyMoved} or not exists (
      select from client_homes where client = any (${clientIds}::text[]) and state <> 'here')`;
}

/**
 * The fence of docs/decisions/0093 is asked of the database, in the statement that every transaction begins with anyway: what
 * a process remembers may be old. From a lone installation nobody has moved, and it costs a look into an empty index.
 */
const nobodyMoved = fragment`not exists (select from client_homes where state <> 'here')`;

/** The server became a read-only standby, or is shutting down. */
function speaksOfFailover(cause: unknown): boolean {
  return cause instanceof DatabaseError && ["25006", "57P01", "57P02"].includes(cause.code ?? "");
}

/** What PostgreSQL lacks, by its error code. An operator has to provide it; nothing else mends it. */
const troubles: Readonly<Record<string, string>> = {
  "53100": "disk full",
  "53200": "out of memory",
  "53300": "too many connections",
  "25006": "read only",
};

function troubleOf(cause: unknown): string | undefined {
  return cause instanceof DatabaseError ? troubles[cause.code ?? ""] : undefined;
}

/** A deadlock, or a serialization failure. */
function wasVictim(cause: unknown): boolean {
  return cause instanceof DatabaseError && (cause.code === "40P01" || cause.code === "40001");
}

/** A timeout: the statement's, or that of the wait for its answer or for a connection, which the driver tells in words alone. */
export function tookTooLong(cause: unknown): boolean {
  if (cause instanceof DatabaseError) return cause.code === "57014";
  return cause instanceof Error && driverTimeouts.includes(cause.message);
}

const driverTimeouts = ["Query read timeout", "timeout exceeded when trying to connect"];

/**
 * Whether PostgreSQL refused the rows. Otherwise a connection, time or disk space was lacking: to retry a batch
 * in smaller pieces would add load to an overloaded server.
 */
export function speaksOfRows(cause: unknown): boolean {
  if (cause instanceof ClientElsewhere) return true;
  return cause instanceof DatabaseError && !/^(08|53|55|57|58|XX)/.test(cause.code ?? "XX");
}

/** Whether PostgreSQL refuses a value, or a constraint does: a permanent failure, which no retry mends. */
export function cannotBeStored(cause: unknown): boolean {
  return cause instanceof DatabaseError && /^2[23]/.test(cause.code ?? "");
}

/**
 * PostgreSQL refused the commit itself, for example by a deferred constraint. After a lost connection, or a
 * server that went down, the outcome is unknown.
 */
function wasRefused(error: unknown): boolean {
  if (!(error instanceof DatabaseError) || error.code === undefined) return false;
  return !/^(08|57P|58|XX)/.test(error.code);
}
