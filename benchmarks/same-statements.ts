import assert from "node:assert/strict";
import { pgbenchClients, runPgbench } from "./bare.ts";
import { appRole, type Installation } from "./installation.ts";
import type { Load } from "./start-load.ts";

/** Enough that what the server asks on its own, several times a second, is rare beside them. */
const operations = 3_000;
const transactionsEach = 20;
const flushMs = 600;

/**
 * Fails unless pgbench asks PostgreSQL for what the server asks it for, and as often: both are run for a
 * moment while PostgreSQL takes down every statement.
 */
export async function checkSameStatements(installation: Installation, load: Load): Promise<void> {
  const byServer = await statementsOf(installation, operations, async () => {
    await load.send({ ms: 60_000, answersMax: operations });
    await new Promise((resolve) => setTimeout(resolve, flushMs));
  });
  const byBoth = await statementsOf(installation, transactionsEach * pgbenchClients, () =>
    runPgbench(installation, { sqlFile: "inquiry.sql", walled: true }, transactionsEach),
  );
  // The server goes on with what it asks on its own.
  const byPgbench = new Map([...byBoth].filter(([, times]) => times > 0));
  const expected = new Map([...byServer].filter(([, times]) => times > 0));
  // What many operations share in the server, pgbench has to issue for each of them, but nothing else.
  for (const [statement, times] of byPgbench)
    if (byServer.get(statement) === 0) expected.set(statement, times);
  assert.ok(expected.size > 1, "PostgreSQL has taken down next to nothing.");
  assert.deepEqual(byPgbench, expected, "inquiry.sql is not what the server sends.");
}

/** Statement → how often an operation issues it, or how many rows it writes where several share one. */
async function statementsOf(
  { query }: Installation,
  count: number,
  work: () => Promise<unknown>,
): Promise<ReadonlyMap<string, number>> {
  await query("alter system set pg_stat_statements.track = 'top'");
  await query("select pg_reload_conf()");
  await query("select pg_stat_statements_reset()");
  await work();
  const rows = await query<{ statement: string; times: number }>(`
    select query as statement, (case when query ~ '^\\s*insert' then rows else calls end)::int as times
    from pg_stat_statements
    where userid = '${appRole}'::regrole and query !~ 'bench_merchants'`);
  await query("alter system set pg_stat_statements.track = 'none'");
  await query("select pg_reload_conf()");
  const sums = new Map<string, number>();
  for (const { statement, times } of rows) {
    const text = normal(statement);
    sums.set(text, (sums.get(text) ?? 0) + times);
  }
  return new Map([...sums].map(([text, sum]) => [text, Math.round(sum / count)]));
}

/** PostgreSQL writes constants as parameters if a statement was prepared while it took statements down, else not. */
function normal(statement: string): string {
  return statement
    .replaceAll(/'[^']*'|\$\d+|\b(?:\d+|true|false)\b/g, "?")
    .replaceAll("array[?]", "?")
    .replaceAll(/\s+/g, " ")
    .trim();
}
