import assert from "node:assert/strict";
import { mkdtemp, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { bucketOf } from "../../server/src/core/bucket.ts";
import { writeReport } from "../../server/src/operators/ledger/write-report.ts";
import { asSuperuser, newTestDatabase } from "../../server/test/start/test-database.ts";

const rowCount = 100_000;
const database = await newTestDatabase("sandbox");
const clientId = "SANDBOX_COFFEE";
await asSuperuser(
  `insert into ledger_transfers (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
   select $1, lpad(n::text, 35, '0'), 'payment', 1, $2, 'provider receivable w', 'merchant payable ' || $2, 'EUR', n, timestamptz '2026-11-16 00:00+00' + n * interval '0.4 seconds'
   from generate_series(1, $3::int) as n`,
  [bucketOf(clientId), clientId, rowCount],
  database.superuserUrl,
);
await asSuperuser("analyze ledger_transfers", [], database.superuserUrl);

test("a report of 100,000 lines uses no more memory at its end than at its beginning", async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-report-"));
  const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
  const memory: number[] = [];
  const startedMs = performance.now();
  const written = await writeReport(
    operator,
    { report: "TRANSACTION_DETAIL", clientId, folder, fromDay: "2026-11-16", toDay: "2026-11-17" },
    () => {
      globalThis.gc?.();
      memory.push(process.memoryUsage().rss / 2 ** 20);
    },
  );
  const seconds = (performance.now() - startedMs) / 1000;
  const { size } = await stat(written.file);
  const [first = 0] = memory.slice(2);
  context.diagnostic(
    `${written.lineCount} lines, ${(size / 2 ** 20).toFixed(1)} MiB in ${seconds.toFixed(1)} s; resident ${first.toFixed(0)} MiB at first, ${Math.max(...memory).toFixed(0)} MiB at most`,
  );
  assert.equal(written.lineCount, rowCount);
  assert.ok(Math.max(...memory) - first < 200, memory.map(Math.round).join(" "));
});
