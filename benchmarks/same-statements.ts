import assert from "node:assert/strict";
import { pgbenchClients, runPgbench } from "./bare.ts";
import { appRole, type Installation } from "./installation.ts";
import type { Load } from "./start-load.ts";

/** Enough that what the server asks on its own, several times a second, is rare beside them. */
const operations = 3_000;
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
  const transactionsEach = 20;
  const byPgbench = await statementsOf(installation, transactionsEach * pgbenchClients, () =>
    runPgbench(installation, { sqlFile: "inquiry.sql", walled: true }, transactionsEach),
  );
  assert.ok(Object.keys(byServer).length > 0, "PostgreSQL has taken down no statement.");
  assert.deepEqual(byPgbench, byServer, "inquiry.sql is not what the server sends.");
}

/** Statement → how often an operation issues it, or how many rows it writes where several share one. */
async function statementsOf(
  { query }: Installation,
  count: number,
  work: () => Promise<unknown>,
): Promise<Readonly<Record<string, number>>> {
  await query("alter system set pg_stat_statements.track = 'top'");
  await query("select pg_reload_conf()");
  await query("select pg_stat_statements_reset()");
  await work();
  const rows = await query<{ statement: string; times: number }>(`
    select query as statement, (case when query ~ '^\\s*insert' then rows else calls end)::int as times
    from pg_stat_statements
    where userid = '${appRole}'::regrole`);
  await query("alter system set pg_stat_statements.track = 'none'");
  await query("select pg_reload_conf()");
  const often = rows
    .map(({ statement, times }) => [normal(statement), Math.round(times / count)] as const)
    .filter(([, times]) => times > 0)
    .sort(([a], [b]) => a.localeCompare(b));
  return Object.fromEntries(often);
}

function normal(statement: string): string {
  return statement
    .replaceAll(/\s+/g, " ")
    .replaceAll(/array\[(\$\d+)\]/g, "$1")
    .trim();
}
