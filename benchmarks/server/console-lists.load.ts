import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { asSuperuser } from "../../server/test/start/test-database.ts";
import { newMerchant, prepareTestGateway } from "../../server/test/start/test-gateway.ts";
import {
  requestConsole,
  resultCodeOf,
  consoleVariables,
  personToken,
} from "../../server/test/start/test-console.ts";
import { rebuildAllSearch } from "../../server/src/operators/payments/rebuild-search.ts";
import { serve } from "../../server/src/processes/serve.ts";
import { readSettings } from "../../server/src/settings/settings.ts";
import { bucketOf } from "../../server/src/core/bucket.ts";

/** Number of payments of one merchant. One in a thousand has failed, one in a hundred thousand for a rare reason. */
const count = Number(process.env["CONSOLE_PAYMENTS"] ?? 1_000_000);
const msMax = 300;

const { database, variables } = await prepareTestGateway("sandbox");
const { clientId } = await newMerchant(database, "Large");
const serving = await serve(readSettings({ ...variables, ...consoleVariables }));
after(() => serving.stop());
const rows = (text: string, ...values: readonly unknown[]): Promise<readonly object[]> =>
  asSuperuser(text, values, database.superuserUrl);

/** A small merchant in the large merchant's bucket. All of its payments are older than the large merchant's. */
const neighbour = neighbourOf(clientId);

function neighbourOf(large: string): string {
  for (let number = 0; ; number += 1) {
    const id = `SANDBOX_NEIGHBOUR${number}`;
    if (bucketOf(id) === bucketOf(large)) return id;
  }
}

/** One payment per second, backwards from the end of October. */
async function seedPayments(of: string, howMany: number, until: string): Promise<void> {
  await rows(
    `insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code, currency,
       amount_minor, payment_method_type, provider_reference, created_at, paid_at, paid_minor, paid_currency)
     select $1::smallint, to_char(at, 'YYYYMMDDHH24MISSMS') || lpad($1::text, 4, '0') || '01' || lpad(n::text, 12, '0'), $2,
       $2 || '-' || n, 'CASHIER_PAYMENT', status,
       case when status = 'SUCCESS' then 'SUCCESS' when n % 100000 = 0 then 'RISK_REJECT' when status = 'FAIL'
         then 'USER_BALANCE_NOT_ENOUGH' else 'PAYMENT_IN_PROCESS' end,
       case when n % 200003 = 0 then 'JPY' when n % 7 = 0 then 'USD' else 'EUR' end,
       case when n % 50000 = 1 then 7777777 else n % 5000 + 1 end,
       case when n % 5 = 0 then 'KAKAOPAY' else 'GCASH' end, md5($2 || n), at at time zone 'utc',
       case when status = 'SUCCESS' then at at time zone 'utc' + interval '7 seconds' end,
       case when status = 'SUCCESS' then n % 5000 + 1 end,
       case when status = 'SUCCESS' then 'EUR' end
     from generate_series(1, $3::int) as n,
       lateral (select $4::timestamp - n * interval '1 second' as at,
         case when n % 1000 = 0 then 'FAIL' when n % 5003 = 0 then 'PROCESSING' else 'SUCCESS' end as status) as made`,
    bucketOf(of),
    of,
    howMany,
    until,
  );
  await rows(
    `insert into payment_events (bucket, payment_id, sequence, client_id, at, status, result_code)
     select bucket, payment_id, 2, client_id, created_at + make_interval(secs => 2 + amount_minor % 90), status, result_code
     from payments where client_id = $1`,
    of,
  );
}

before(async () => {
  await rows(
    `insert into clients (bucket, client_id, name, gateway_key_version)
     select bucket, $1, 'Small', gateway_key_version from clients where client_id = $2`,
    neighbour,
    clientId,
  );
  // The trigger is off, so that the inserted payments look like old ones and not like payments that changed today.
  await rows("alter table payments disable trigger payment_without_a_job_is_noted");
  await seedPayments(clientId, count, "2026-10-31 00:00:00");
  await seedPayments(neighbour, 10, "2020-01-01 00:00:00");
  await rows("alter table payments enable trigger payment_without_a_job_is_noted");
  await rebuildAllSearch({ url: database.ownerUrl, environment: "sandbox", by: { name: "load" } });
  // As autovacuum does within minutes.
  await rows("vacuum analyze payments");
  await rows("vacuum analyze search_payments");
  await rows("vacuum analyze payment_counts");
});

interface QueryTime {
  /** The slowest of three requests in ms. The first one uses new connections. */
  readonly ms: number;
  readonly code: string;
  readonly length: number;
}

async function measureQuery(name: string, body: object, of: string): Promise<QueryTime> {
  const token = personToken({ clientIds: [of] });
  let found: QueryTime = { ms: 0, code: "", length: 0 };
  for (let time = 0; time < 3; time += 1) {
    const startedMs = performance.now();
    const answer = await requestConsole(serving.url, `views/${name}`, { token, body });
    const ms = Math.round(performance.now() - startedMs);
    const { payments = [], points = [] } = answer.json as Readonly<Record<string, readonly unknown[]>>;
    found = {
      ms: Math.max(found.ms, ms),
      code: resultCodeOf(answer),
      length: payments.length + points.length,
    };
  }
  return found;
}

type QueryCase = readonly [what: string, name: string, body: object, of?: string];

/** The id of the generated payment with this number. */
const requestOf = (n: number): string => `${clientId}-${n}`;

const queries: readonly QueryCase[] = [
  ["the first page", "payments", { limit: 100 }],
  ["a page of an export", "payments", { limit: 250, paymentStatus: "SUCCESS" }],
  ["an old page", "payments", { limit: 100, createdUntil: "2026-10-20T00:00:00+00:00" }],
  ["failed payments, one in a thousand", "payments", { paymentStatus: "FAIL", limit: 100 }],
  ["paid payments, nearly all", "payments", { paymentStatus: "SUCCESS", limit: 100 }],
  ["a currency of one payment in 200,000", "payments", { currency: "JPY", limit: 100 }],
  [
    "a method, a status and a currency",
    "payments",
    { currency: "USD", paymentMethodType: "KAKAOPAY", paymentStatus: "FAIL" },
  ],
  ["a filter without results", "payments", { currency: "CHF" }],
  ["a rare amount", "payments", { amountFrom: "7777777", amountUntil: "7777777" }],
  ["a frequent amount", "payments", { amountFrom: "1250", amountUntil: "1250" }],
  [
    "a wide range of amounts, of a rare kind",
    "payments",
    { amountFrom: "10", amountUntil: "4000", paymentStatus: "FAIL" },
  ],
  [
    "a day's that failed",
    "payments",
    {
      paymentStatus: "FAIL",
      createdFrom: "2026-10-29T00:00:00+00:00",
      createdUntil: "2026-10-30T00:00:00+00:00",
    },
  ],
  ["a search by the merchant's own id", "payments", { search: requestOf(12_345) }],
  ["a search by the prefix of an id", "payments", { search: requestOf(1) }],
  ["a search by an amount", "payments", { search: "77777.77" }],
  ["a search without results", "payments", { search: "nothing-like-it" }],
  ["a small merchant in the bucket of a large one, with older payments", "payments", {}, neighbour],
  ["a filter for the small merchant", "payments", { paymentStatus: "SUCCESS" }, neighbour],
  ["a payment by the merchant's own id", "payment", { id: requestOf(12_345) }],
  ["refunds (none exist)", "refunds", {}],
  ["disputes (none exist)", "disputes", {}],
  ["the balance", "balance", {}],
  [
    "charts of a month",
    "charts",
    { createdFrom: "2026-10-01T00:00:00+00:00", createdUntil: "2026-10-31T00:00:00+00:00" },
  ],
  [
    "charts of two years",
    "charts",
    { createdFrom: "2024-11-01T00:00:00+00:00", createdUntil: "2026-10-31T00:00:00+00:00" },
  ],
  [
    "charts of three days by the hour",
    "charts",
    { createdFrom: "2026-10-28T00:00:00+00:00", createdUntil: "2026-10-31T00:00:00+00:00" },
  ],
];

for (const [what, name, body, of = clientId] of queries) {
  test(`among ${count} payments, ${what}: within ${msMax} ms`, async (context) => {
    const { ms, code, length } = await measureQuery(name, body, of);
    context.diagnostic(`${what}: ${ms} ms, ${length} rows`);
    assert.equal(code, "SUCCESS");
    assert.ok(ms <= msMax, `${ms} ms`);
  });
}
