import assert from "node:assert/strict";
import { after, test } from "node:test";
import { bucketOf } from "../../server/src/core/bucket.ts";
import { requireCommitted, openDatabase } from "../../server/src/postgres/database.ts";
import type { Tx } from "../../server/src/postgres/sql.ts";
import { asSuperuser, newTestDatabase } from "../../server/test/start/test-database.ts";
import { findBalance } from "../../server/src/ledger/balance.sql.ts";
import { findStatement } from "../../server/src/ledger/statement.sql.ts";
import { payableAccount } from "../../server/src/ledger/transfer.ts";

/**
 * The test measures latency for a merchant with a million payments, each with a fee. All other merchants together have
 * another million.
 */
const movements = Number(process.env["STATEMENT_MOVEMENTS"] ?? 1_000_000);
const [days, others] = [30, 5_000];
const database = await newTestDatabase("sandbox");
const rows = <Row extends object>(text: string): Promise<readonly Row[]> =>
  asSuperuser<Row>(text, [], database.superuserUrl);
const clientId = "SANDBOX_BIG";
const key = { bucket: bucketOf(clientId), clientId };
const from = Date.parse("2026-10-18T16:00:00Z");
const dayMs = 24 * 3600 * 1000;
await rows(`
  insert into ledger_transfers (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
  select bucket, to_char(at, 'YYYYMMDDHH24MISSMS') || lpad(bucket::text, 4, '0') || '01' || lpad(n::text, 12, '0'), 'payment', line,
    client_id, case line when 1 then 'provider receivable w' else payable end, case line when 1 then payable else 'fee revenue' end,
    'EUR', 100 + n % 1000, at
  from generate_series(1, ${2 * movements}) as n,
    lateral (select case when n % 2 = 0 then '${clientId}' else 'SANDBOX_M' || n % ${others} end,
      case when n % 2 = 0 then ${key.bucket} else n % ${others} % 1024 end) as merchant (client_id, bucket),
    lateral (select 'merchant payable ' || client_id, timestamptz '${new Date(from).toISOString()}'
      + n * interval '${days} days' / ${2 * movements}) as of_merchant (payable, at),
    generate_series(1, 2) as line;
  select rebuild_balances()`);
await rows("vacuum (analyze) ledger_transfers");
const opened = openDatabase({
  url: database.appUrl,
  applicationName: "statements",
  connectionsMax: 1,
  statementTimeoutMs: 60_000,
  onFault: () => undefined,
});
after(() => opened.close());

/** `measureFastest` returns the fastest of three runs, with the privileges and connection settings of the gateway. */
async function measureFastest(work: (tx: Tx) => Promise<unknown>): Promise<number> {
  let ms = Infinity;
  for (let times = 0; times < 3; times += 1) {
    const startedMs = performance.now();
    requireCommitted(await opened.transaction([clientId], work));
    ms = Math.min(ms, performance.now() - startedMs);
  }
  return ms;
}

const statement = (daysAgo: number): Promise<number> => {
  const start = from + (days - daysAgo) * dayMs;
  const query = { from: new Date(start), until: new Date(start + dayMs), after: undefined, limit: 100 };
  return measureFastest((tx) => findStatement(tx, key, { ...query, currency: "EUR" }));
};

test("a merchant's balance costs the same for any history, and a statement depends only on movements since its day", async (context) => {
  const account = payableAccount(clientId);
  const balanceMs = await measureFastest((tx) => findBalance(tx, { ...key, account, currency: "EUR" }));
  const [lastMs, firstMs] = [await statement(1), await statement(days)];
  context.diagnostic(
    `${movements} movements: balance ${balanceMs.toFixed(1)} ms, statement of the last day ${lastMs.toFixed(0)} ms, ` +
      `of ${days} days ago ${firstMs.toFixed(0)} ms`,
  );
  const [size] = await rows<{ text: string }>(
    "select pg_size_pretty(pg_relation_size('ledger_transfers_of_client')) as text",
  );
  context.diagnostic(`the index has ${size?.text}`);
  assert.ok(balanceMs < 100, `a balance took ${balanceMs.toFixed(0)} ms`);
  assert.ok(lastMs < 1_000, `a statement of the last day took ${lastMs.toFixed(0)} ms`);
});
