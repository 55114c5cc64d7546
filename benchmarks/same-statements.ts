import assert from "node:assert/strict";
import { pgbenchClients, runPgbench } from "./bare.ts";
import { appRole, type Installation } from "./installation.ts";
import type { Load } from "./start-load.ts";

/** Enough operations that the server's background queries, several times a second, round down to nothing. */
const operations = 3_000;
const transactionsEach = 20;
const flushMs = 600;

/**
 * Fails unless pgbench sends the same statements as the server, and as often. Both run for a moment while
 * pg_stat_statements records.
 */
export async function checkSameStatements(installation: Installation, load: Load): Promise<void> {
  const byServer = await statementsOf(installation, operations, async () => {
    await load.send({ ms: 60_000, answersMax: operations });
    await new Promise((resolve) => setTimeout(resolve, flushMs));
  });
  const byBoth = await statementsOf(installation, transactionsEach * pgbenchClients, () =>
    runPgbench(installation, { sqlFile: "inquiry.sql", walled: true }, transactionsEach),
  );
  // The server's background queries round down to 0 for each operation, and are left out.
  const byPgbench = new Map([...byBoth].filter(([, times]) => times > 0));
  const expected = new Map([...byServer].filter(([, times]) => times > 0));
  // A statement that the server batches for many operations, pgbench issues once for each. Nothing else may
  // differ.
  for (const [statement, times] of byPgbench)
    if (byServer.get(statement) === 0) expected.set(statement, times);
  assert.ok(expected.size > 1, "PostgreSQL has taken down next to nothing.");
  assert.deepEqual(byPgbench, expected, "inquiry.sql is not what the server sends.");
}

/**
 * Statement → its calls for each operation; for an insert its rows, because the server writes them in
 * batches.
 */
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

/**
 * Constants become `?`: pg_stat_statements normalizes them only in statements prepared while it was
 * recording.
 */
function normal(statement: string): string {
  return statement
    .replaceAll(/'[^']*'|\$\d+|\b(?:\d+|true|false)\b/g, "?")
    .replaceAll("array[?]", "?")
    .replaceAll(/\s+/g, " ")
    .trim();
}
