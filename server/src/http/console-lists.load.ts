import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { asSuperuser } from "../../test/start/test-database.ts";
import { newMerchant, prepareTestGateway } from "../../test/start/test-gateway.ts";
import { askConsole, codeOf, consoleVariables, personToken } from "../../test/start/test-people.ts";
import { serve } from "../commands/serve.ts";
import { readSettings } from "../commands/settings.ts";
import { bucketOf } from "../core/bucket.ts";

/** How many payments one merchant has; a tenth of a per cent has failed. */
const count = Number(process.env["CONSOLE_PAYMENTS"] ?? 1_000_000);
const wantedMs = 300;

const { database, variables } = await prepareTestGateway("sandbox");
const { clientId } = await newMerchant(database, "Large");
const serving = await serve(readSettings({ ...variables, ...consoleVariables }));
after(() => serving.stop());
const rows = (text: string, ...values: readonly unknown[]): Promise<readonly object[]> =>
  asSuperuser(text, values, database.superuserUrl);

/** A merchant in the same bucket, all of whose payments are older than the large one's. */
const neighbour = neighbourOf(clientId);

function neighbourOf(large: string): string {
  for (let number = 0; ; number += 1) {
    const id = `SANDBOX_NEIGHBOUR${number}`;
    if (bucketOf(id) === bucketOf(large)) return id;
  }
}

/** One payment each second, backwards from the end of October. */
function seed(of: string, howMany: number, until: string): Promise<readonly object[]> {
  return rows(
    `insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code, currency,
       amount_minor, payment_method_type, created_at)
     select $1::smallint, to_char(at, 'YYYYMMDDHH24MISSMS') || lpad($1::text, 4, '0') || '01' || lpad(n::text, 12, '0'), $2,
       $2 || n, 'CASHIER_PAYMENT', case when n % 1000 = 0 then 'FAIL' else 'PROCESSING' end, 'PAYMENT_IN_PROCESS', 'EUR',
       n % 5000 + 1, 'GCASH', at at time zone 'utc'
     from generate_series(1, $3::int) as n, lateral (select $4::timestamp - n * interval '1 second' as at) as made`,
    bucketOf(of),
    of,
    howMany,
    until,
  );
}

before(async () => {
  await rows(
    `insert into clients (bucket, client_id, name, gateway_key_version)
     select bucket, $1, 'Small', gateway_key_version from clients where client_id = $2`,
    neighbour,
    clientId,
  );
  await seed(clientId, count, "2026-10-31 00:00:00");
  await seed(neighbour, 10, "2020-01-01 00:00:00");
  // As autovacuum does within a minute; a plan is a guess without it.
  await rows("analyze payments");
});

async function took(
  name: string,
  body: object,
  of = clientId,
): Promise<{ readonly ms: number; readonly code: string }> {
  const token = personToken({ clientIds: [of] });
  await askConsole(serving.url, `views/${name}`, { token, body });
  const startedMs = performance.now();
  const answer = await askConsole(serving.url, `views/${name}`, { token, body });
  return { ms: Math.round(performance.now() - startedMs), code: codeOf(answer) };
}

const quick: readonly (readonly [what: string, name: string, body: object])[] = [
  ["the first page", "payments", { limit: 100 }],
  ["a page from the far end", "payments", { limit: 100, createdUntil: "2026-10-20T00:00:00+00:00" }],
  ["those that failed, one in a thousand", "payments", { paymentStatus: "FAIL", limit: 10 }],
  [
    "a day's that failed",
    "payments",
    {
      paymentStatus: "FAIL",
      createdFrom: "2026-10-29T00:00:00+00:00",
      createdUntil: "2026-10-30T00:00:00+00:00",
    },
  ],
  ["a payment by the merchant's own id", "payment", { id: `${clientId}12345` }],
  ["refunds, of which there are none", "refunds", {}],
  ["the balance", "balance", {}],
];

for (const [what, name, body] of quick) {
  test(`among ${count} payments, ${what} is there within ${wantedMs} ms`, async (context) => {
    const { ms, code } = await took(name, body);
    context.diagnostic(`${name}: ${ms} ms`);
    assert.equal(code, "SUCCESS");
    assert.ok(ms <= wantedMs, `${ms} ms`);
  });
}

const slow: readonly (readonly [what: string, body: object, of: string])[] = [
  ["a filter that fits nothing", { currency: "USD" }, clientId],
  ["a small merchant whose payments lie behind a large one's", {}, neighbour],
];

for (const [what, body, of] of slow) {
  test(`${what} reads past all of them, and ends within the timeout`, async (context) => {
    const { ms, code } = await took("payments", body, of);
    context.diagnostic(`payments: ${ms} ms, ${code}`);
    assert.ok(code === "SUCCESS" || code === "VIEW_TOO_SLOW", code);
    assert.ok(ms < 3_500, `${ms} ms`);
  });
}
