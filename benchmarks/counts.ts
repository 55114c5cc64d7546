import type { Installation } from "./installation.ts";

/**
 * PostgreSQL work of a whole payment. The counts do not depend on the machine's speed at the time. They depend on how
 * many payments share a statement, which is fewer on a slower machine.
 */
export interface Counts {
  /** Writing transactions, counted by transaction numbers. */
  readonly transactions: number;
  readonly statements: number;
  /** Number of different statements that run about once per payment, and not once for a batch of payments. */
  readonly unshared: number;
  /** Rows inserted, updated and deleted, without those of sums. */
  readonly rows: number;
  readonly walBytes: number;
  /** Pages of tables and indexes that were read, from the cache or not. */
  readonly buffers: number;
}

/** A statement with the total cost of all its executions. */
export interface StatementCost {
  readonly statement: string;
  /** False for a statement inside a database function, whose cost the row of the calling statement includes, too. */
  readonly isTopLevel: boolean;
  readonly calls: number;
  readonly rows: number;
  readonly walBytes: number;
  readonly buffersHit: number;
  readonly buffersRead: number;
  readonly execMs: number;
}

interface CountedLoad {
  /** Number of counted payments. */
  readonly count: number;
  /**
   * All payments since the start of the gateway. PostgreSQL's row counts are available only at the end, so they are
   * divided by this number.
   */
  readonly paid: number;
  readonly asked: number;
  pay(): Promise<unknown>;
}

/**
 * Tables of sums, which the gateway writes a few times a second for each merchant, independent of the merchant's
 * traffic.
 */
const sumTables = [
  "balances",
  "balances_position",
  "feed_heads",
  "key_uses",
  "payment_counts",
  "search_position",
];

/** A statement with more executions per payment than this counts as unshared. */
const unsharedCallsMin = 0.8;

/** Seconds for which the idle gateway is measured. Its statements in this time are housekeeping. */
const idleSeconds = 2;

/**
 * `countPerPayment` returns the counts per payment, and each statement's share. It subtracts the housekeeping, which depends
 * on time and not on payments.
 */
export async function countPerPayment(
  at: Installation,
  { count, paid, asked, pay }: CountedLoad,
): Promise<{ readonly counts: Counts; readonly statements: readonly StatementCost[] }> {
  await startCounting(at);
  const busy = await measureWork(at, pay);
  const idle = await measureWork(at, () => sleep(idleSeconds * 1_000));
  await stopCounting(at);
  const factor = busy.seconds / idle.seconds;
  const idleCosts = new Map(idle.statements.map((each) => [each.statement, each]));
  const statements = busy.statements.map((each) =>
    perPayment(each, idleCosts.get(each.statement), factor, count),
  );
  const sum = (figure: Figure): number => statements.reduce((all, each) => all + each[figure], 0);
  const counts = {
    transactions: (busy.transactions - idle.transactions * factor) / count,
    statements: sum("calls"),
    unshared: statements.filter(({ calls }) => calls > unsharedCallsMin).length,
    // An inquiry writes one row of the request log.
    rows: ((await rowsWritten(at)) - asked) / paid,
    walBytes: sum("walBytes"),
    buffers: sum("buffersHit") + sum("buffersRead"),
  };
  return { counts, statements };
}

type Figure = keyof Omit<StatementCost, "statement" | "isTopLevel">;

function perPayment(
  busy: StatementCost,
  idle: StatementCost | undefined,
  factor: number,
  count: number,
): StatementCost {
  const each = (figure: Figure): number => Math.max(0, busy[figure] - (idle?.[figure] ?? 0) * factor) / count;
  return {
    ...busy,
    calls: each("calls"),
    rows: each("rows"),
    walBytes: each("walBytes"),
    buffersHit: each("buffersHit"),
    buffersRead: each("buffersRead"),
    execMs: each("execMs"),
  };
}

interface WatchedWork {
  readonly seconds: number;
  readonly transactions: number;
  readonly statements: readonly StatementCost[];
}

async function measureWork(at: Installation, work: () => Promise<unknown>): Promise<WatchedWork> {
  await at.query("select pg_stat_statements_reset()");
  const [startedMs, before] = [performance.now(), await transactionNumber(at)];
  await work();
  const seconds = (performance.now() - startedMs) / 1_000;
  return {
    seconds,
    transactions: (await transactionNumber(at)) - before,
    statements: await statementCosts(at),
  };
}

/** `all` includes statements inside functions, so that every statement in the gateway's code is listed. */
export async function startCounting({ query }: Installation, track: "top" | "all" = "top"): Promise<void> {
  await query(`alter system set pg_stat_statements.track = '${track}'`);
  await query("select pg_reload_conf()");
  await query("select pg_stat_statements_reset()");
}

export async function stopCounting({ query }: Installation): Promise<void> {
  await query("alter system set pg_stat_statements.track = 'none'");
  await query("select pg_reload_conf()");
}

/** Statements of the gateway's roles; the benchmark's own statements run as superuser. */
export async function statementCosts({ query }: Installation): Promise<readonly StatementCost[]> {
  type Row = Readonly<Record<Figure | "statement", string>> & Pick<StatementCost, "isTopLevel">;
  const rows = await query<Row>(`
    select query as statement, toplevel as "isTopLevel", calls, rows, wal_bytes as "walBytes",
      shared_blks_hit as "buffersHit", shared_blks_read as "buffersRead", total_exec_time as "execMs"
    from pg_stat_statements where userid <> 'postgres'::regrole or not toplevel`);
  const costs = new Map<string, StatementCost>();
  for (const row of rows) {
    const statement = normalizeStatement(row.statement);
    const key = `${row.isTopLevel} ${statement}`;
    const sum = (figure: Figure): number => (costs.get(key)?.[figure] ?? 0) + Number(row[figure]);
    costs.set(key, {
      statement,
      isTopLevel: row.isTopLevel,
      calls: sum("calls"),
      rows: sum("rows"),
      walBytes: sum("walBytes"),
      buffersHit: sum("buffersHit"),
      buffersRead: sum("buffersRead"),
      execMs: sum("execMs"),
    });
  }
  return [...costs.values()];
}

/** Constants become `?`: pg_stat_statements keeps them in statements that were prepared before it recorded. */
function normalizeStatement(statement: string): string {
  return statement
    .replaceAll(/'[^']*'|\$\d+|\b(?:\d+|true|false)\b/g, "?")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Each writing transaction gets the next number. */
async function transactionNumber({ query }: Installation): Promise<number> {
  const [row] = await query<{ next: string }>("select pg_snapshot_xmax(pg_current_snapshot())::text as next");
  return Number(row?.next);
}

/**
 * Rows that were written since the statistics were reset, before the gateway started. A connection adds its own figures
 * when it has been idle for some seconds or ends, so the gateway is stopped first.
 */
async function rowsWritten(at: Installation): Promise<number> {
  await at.stopGateway();
  const [row] = await at.query<{ rows: string }>(`
    select sum(n_tup_ins + n_tup_upd + n_tup_del) as rows from pg_stat_user_tables
    where relname <> all ('{${sumTables.join(",")}}')`);
  return Number(row?.rows);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
