import assert from "node:assert/strict";
import { test } from "node:test";
import { bucketOf } from "../../server/src/core/bucket.ts";
import { reconcile } from "../../server/src/reconciliation/reconcile.workflow.ts";
import { asSuperuser, newTestDatabase } from "../../server/test/start/test-database.ts";

/** Compares reconciliation of one day after a short history and after a long one, with equal days. */
const paymentsADay = Number(process.env["MATCH_PAYMENTS"] ?? 5_000);
const [fewDays, manyDays] = [20, 200];
/**
 * The largest accepted ratio. It is above the target of 1.2, because on a busy machine even the fastest of five runs
 * varies this much.
 */
const ratioMax = 1.5;

const database = await newTestDatabase("sandbox");
const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
const clientId = "SANDBOX_COFFEE";
const rows = (text: string): Promise<readonly object[]> => asSuperuser(text, [], database.superuserUrl);
const lastDay = "2026-11-10";
/** The part of an id between its time and its number. */
const id = `${String(bucketOf(clientId)).padStart(4, "0")}01`;

await rows(`insert into connectors (name, url, partner_id, public_key, payment_method_types)
  values ('w', 'http://w.example', 'p', '', '{}')`);

/** Adds payments with their effects and the provider's rows, from day `from` before the last one to day `to`. */
async function addDays(from: number, to: number): Promise<void> {
  await rows(`
    create temporary table made as select at, to_char(at, 'YYYYMMDDHH24MISSMS') || '${id}' || lpad((n % 1000000)::text, 12, '0') as id
    from (select n, timestamp '${lastDay} 00:00' - d * interval '1 day' + n * interval '${86_000 / paymentsADay} s' as at
      from generate_series(${from}, ${to}) as d, generate_series(1, ${paymentsADay}) as n) as every order by at;
    insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code,
       currency, amount_minor, paid_currency, paid_minor, captured_minor, created_at, paid_at, connector, provider_reference)
    select ${bucketOf(clientId)}, id, '${clientId}', id, 'CASHIER_PAYMENT', 'SUCCESS', 'SUCCESS', 'EUR', 1250, 'EUR', 1250, 1250,
      at at time zone 'UTC', at at time zone 'UTC', 'w', 'order-' || id from made;
    insert into ledger_transfers (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
    select ${bucketOf(clientId)}, id, 'payment', 1, '${clientId}', 'provider receivable w', 'merchant payable ${clientId}', 'EUR', 1250,
      at at time zone 'UTC' from made;
    insert into settlement_rows (connector, kind, operation_reference, reference, payment_id, currency, amount_minor, at, file_id, line)
    select 'w', 'payment', 'order-' || id, 'order-' || id, id, 'EUR', 1250, at at time zone 'UTC', 1, 1 from made`);
  for (const table of ["payments", "ledger_transfers", "settlement_rows"])
    await rows(`vacuum analyze ${table}`);
}

/** `measureFastest` returns the time of the fastest of five runs, and the number of reconciled payments. */
async function measureFastest(
  day: string | undefined,
): Promise<{ readonly ms: number; readonly matched: number }> {
  let [ms, matched] = [Infinity, 0];
  for (let times = 0; times < 5; times += 1) {
    const startedMs = performance.now();
    const result = await reconcile(operator, { connector: undefined, until: "2026-11-12T00:00:00Z", day });
    ms = Math.min(ms, performance.now() - startedMs);
    matched = result.totals[0]?.matchedCount ?? 0;
    const others = result.breaks.filter(({ kind }) => kind !== "balance");
    assert.deepEqual(others, []);
  }
  return { ms, matched };
}

test("reconciliation of one day costs the same after any number of earlier days", async (context) => {
  await addDays(0, fewDays - 1);
  const afterFewDays = { day: await measureFastest(lastDay), all: await measureFastest(undefined) };
  await addDays(fewDays, manyDays - 1);
  const afterManyDays = { day: await measureFastest(lastDay), all: await measureFastest(undefined) };
  // Payments of the previous day are read as well: they may have been paid on this day.
  assert.deepEqual(
    [afterFewDays.day.matched, afterManyDays.day.matched],
    [2 * paymentsADay, 2 * paymentsADay],
  );
  for (const [days, { day, all }] of [
    [fewDays, afterFewDays],
    [manyDays, afterManyDays],
  ] as const)
    context.diagnostic(
      `${days * paymentsADay} payments: a day of ${paymentsADay} takes ${day.ms.toFixed(0)} ms, all of them ${all.ms.toFixed(0)} ms`,
    );
  const ratio = afterManyDays.day.ms / afterFewDays.day.ms;
  context.diagnostic(`ten times the payments: ${ratio.toFixed(2)} times as long for the day`);
  assert.ok(ratio <= ratioMax, `${ratio.toFixed(2)} times as long`);
});
