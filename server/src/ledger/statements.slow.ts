import assert from "node:assert/strict";
import { test } from "node:test";
import { bucketOf } from "../core/bucket.ts";
import { accountingDayOf, nextAccountingDay, startOfAccountingDay } from "../core/accounting-day.ts";
import { connectAs, transactionOn } from "../../test/start/test-connection.ts";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";
import { rollUpBalances } from "./balance.sql.ts";
import { findStatement } from "./statement.sql.ts";
import { calculateClosing, type StatementLine } from "./statement.ts";

/** Number of merchants to compare. The comparison of 1,000 takes a minute: `STATEMENTS_OF=1000`. */
const merchantCount = Number(process.env["STATEMENTS_OF"] ?? 50);
const database = await newTestDatabase("sandbox");
const clientIds = Array.from({ length: merchantCount }, (_, index) => `SANDBOX_M${index}`);
// A seeded generator creates the same ledger in each run.
await asSuperuser(
  `insert into ledger_transfers (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
   select bucket, 'subject-' || client_id || '-' || n, case when n % 3 = 0 then 'refund' else 'payment' end, line, client_id,
     case when line = 1 and n % 3 > 0 then 'provider receivable w' else 'merchant payable ' || client_id end,
     case line when 2 then 'fee revenue' when 3 then 'tax payable'
       else case when n % 3 = 0 then 'provider receivable w' else 'merchant payable ' || client_id end end,
     case when n % 5 = 0 then 'JPY' else 'EUR' end,
     1 + (hashtextextended(client_id || n || line, 1) & 1048575),
     timestamptz '2026-11-01 00:00+08' + (hashtextextended(client_id || n, 2) & 1073741823) % (30 * 86400) * interval '1 second'
   from unnest($1::text[], $2::int[]) as merchants (client_id, bucket)
   cross join generate_series(1, 120) as n
   cross join generate_series(1, 3) as line where line = 1 or n % 3 > 0`,
  [clientIds, clientIds.map(bucketOf)],
  database.superuserUrl,
);
await asSuperuser("analyze ledger_transfers", [], database.superuserUrl);
const client = await connectAs(undefined, database.appUrl);

/** Returns a number that differs by merchant and is the same in each run. */
const pick = (index: number, below: number): number => (index * 7919 + 13) % below;

test(`statements of ${merchantCount} merchants equal the ledger`, async () => {
  let lineCount = 0;
  for (const [index, clientId] of clientIds.entries()) {
    // Halfway through, balances are rolled up, so that later statements read the rolled-up sums.
    if (index === Math.floor(merchantCount / 2)) await rollUpBalances(transactionOn(client));
    await client.query("select set_config('app.clients', $1, false)", [`{${clientId}}`]);
    const currency = index % 4 === 0 ? "JPY" : "EUR";
    const fromDay = `2026-11-${String(1 + pick(index, 30)).padStart(2, "0")}`;
    let toDay = fromDay;
    for (let dayCount = pick(index, 4); dayCount > 0; dayCount -= 1) toDay = nextAccountingDay(toDay);
    const [from, until] = [startOfAccountingDay(fromDay), startOfAccountingDay(nextAccountingDay(toDay))];
    const query = { currency, from, until, limit: 10 };
    const key = { bucket: bucketOf(clientId), clientId };
    const lines: StatementLine[] = [];
    let part = await findStatement(transactionOn(client), key, { ...query, after: undefined });
    const opening = part.openingMinor;
    let closing = opening;
    for (;;) {
      assert.equal(part.openingMinor, closing);
      const pageLines = part.lines.slice(0, query.limit);
      closing = calculateClosing({ openingMinor: closing, lines: pageLines });
      lines.push(...pageLines);
      if (part.lines.length <= query.limit) break;
      part = await findStatement(transactionOn(client), key, { ...query, after: pageLines.at(-1)?.position });
    }
    const [sums] = await asSuperuser<{ before: string; after: string; effects: number }>(
      `select coalesce(sum(change) filter (where at < $3), 0)::text as before,
         coalesce(sum(change) filter (where at < $4), 0)::text as after,
         count(distinct subject_id) filter (where at >= $3 and at < $4)::int as effects
       from (select at, subject_id, case when credit_account = $5 then amount_minor else -amount_minor end as change
         from ledger_transfers where client_id = $1 and currency = $2 and $5 in (debit_account, credit_account)) as changes`,
      [clientId, currency, from, until, `merchant payable ${clientId}`],
      database.superuserUrl,
    );
    assert.deepEqual(
      { before: String(opening), after: String(closing), effects: lines.length },
      sums,
      `${clientId} ${currency} ${fromDay} ${toDay}`,
    );
    assert.ok(lines.every(({ at }) => accountingDayOf(at) >= fromDay && accountingDayOf(at) <= toDay));
    lineCount += lines.length;
  }
  assert.ok(lineCount > merchantCount, "there was something to compare");
});
