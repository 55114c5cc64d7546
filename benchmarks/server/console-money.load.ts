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
import { serve } from "../../server/src/processes/serve.ts";
import { readSettings } from "../../server/src/settings/settings.ts";
import { bucketOf } from "../../server/src/core/bucket.ts";

/**
 * One merchant has this number of refunds, of captures, of agreements, of disputes and of movements. One dispute in a
 * thousand waits for an answer.
 */
const count = Number(process.env["CONSOLE_RECORDS"] ?? 1_000_000);
const msMax = 300;

const { database, variables } = await prepareTestGateway("sandbox");
const { clientId } = await newMerchant(database, "Large");
const serving = await serve(readSettings({ ...variables, ...consoleVariables }));
after(() => serving.stop());
const bucket = bucketOf(clientId);
const rows = (text: string): Promise<readonly object[]> =>
  asSuperuser(text, [bucket, clientId, count], database.superuserUrl);

/** One record per second, backwards from the end of October; ids in the gateway's format. */
const generatedRows = `from generate_series(1, $3::int) as n,
  lateral (select timestamp '2026-10-31' - n * interval '1 second' as utc) as moment,
  lateral (select to_char(utc, 'YYYYMMDDHH24MISSMS') || lpad($1::text, 4, '0') || '01' || lpad(n::text, 12, '0') as id,
    utc at time zone 'utc' as at) as one`;

const seeds: Readonly<Record<string, string>> = {
  refunds: `insert into refunds (bucket, refund_id, client_id, payment_id, refund_request_id, fingerprint, status, result_code,
      currency, amount_minor, connector, reference, created_at, finished_at)
    select $1::smallint, id, $2, id, 'refund-' || n, '', case when n % 1000 = 0 then 'FAIL' else 'SUCCESS' end, 'SUCCESS', 'EUR',
      n, 'test-provider', 'refund-' || n, at, at ${generatedRows}`,
  captures: `insert into captures (bucket, capture_id, client_id, payment_id, capture_request_id, fingerprint, status, result_code,
      currency, amount_minor, is_last, connector, reference, created_at, finished_at)
    select $1::smallint, id, $2, id, 'capture-' || n, '', case when n % 1000 = 0 then 'FAIL' else 'SUCCESS' end, 'SUCCESS', 'EUR',
      n, false, 'test-provider', 'capture-' || n, at, at ${generatedRows}`,
  authorizations: `insert into authorizations (bucket, authorization_id, client_id, auth_state, customer_belongs_to, scopes,
      redirect_url, fingerprint, connector, reference, status, expires_at, created_at)
    select $1::smallint, id, $2, 'state-' || n, 'GCASH', array['AGREEMENT_PAY'], 'https://shop.example', '', 'test-provider',
      'consent-' || n, 'ASKED', at, at ${generatedRows}`,
  disputes: `insert into disputes (bucket, dispute_id, client_id, payment_id, connector, provider_dispute_id, provider_sequence, type,
      status, currency, amount_minor, reason_code, reason_message, source, defendable, created_at, due_at, resolved_at)
    select $1::smallint, id, $2, id, 'test-provider', 'dispute-' || n, 1, 'CHARGEBACK',
      case when n % 1000 = 0 then 'CREATED' else 'CANCELLED' end, 'EUR', n, '4853', 'Not as described.', 'Scheme', true, at,
      at + interval '7 days', case when n % 1000 = 0 then null else at end ${generatedRows}`,
  ledger_transfers: `insert into ledger_transfers (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency,
      amount_minor, at)
    select $1::smallint, id, 'payment', 1, $2, 'provider receivable test-provider', 'merchant payable ' || $2, 'EUR', n, at ${generatedRows}`,
};

before(async () => {
  for (const seed of Object.values(seeds)) await rows(seed);
  // `analyze` collects statistics, as autovacuum does within a minute. Without statistics, the planner guesses.
  for (const table of Object.keys(seeds)) await asSuperuser(`analyze ${table}`, [], database.superuserUrl);
  // `roll_up_balances` runs here as a worker runs it continuously. It runs twice, because these inserts have more rows
  // than one step takes.
  for (let step = 0; step < 2; step += 1)
    await asSuperuser("select roll_up_balances()", [], database.superuserUrl);
});

const oldPage = { createdUntil: "2026-10-30T00:00:00+00:00", limit: 100 };
const queries: readonly (readonly [what: string, name: string, body: object])[] = [
  ["refunds", "refunds", { limit: 100 }],
  ["refunds that failed", "refunds", { refundStatus: "FAIL", limit: 10 }],
  ["old refunds", "refunds", oldPage],
  ["captures", "captures", { limit: 100 }],
  ["old captures", "captures", oldPage],
  ["agreements", "authorizations", { limit: 100 }],
  ["disputes", "disputes", { limit: 100 }],
  ["unanswered disputes by deadline", "unansweredDisputes", { limit: 100 }],
  [
    "the unanswered disputes with the latest deadlines",
    "unansweredDisputes",
    { cursor: `1793404800000 ${"0".repeat(35)}` },
  ],
  ["movements", "movements", { limit: 100 }],
  ["old movements", "movements", oldPage],
  ["the balance", "balance", {}],
];

for (const [what, name, body] of queries) {
  test(`among ${count} of each: ${what}, within ${msMax} ms`, async (context) => {
    const token = personToken({ clientIds: [clientId] });
    await requestConsole(serving.url, `views/${name}`, { token, body });
    const startedMs = performance.now();
    const answer = await requestConsole(serving.url, `views/${name}`, { token, body });
    const ms = Math.round(performance.now() - startedMs);
    context.diagnostic(`${name}: ${ms} ms`);
    assert.equal(resultCodeOf(answer), "SUCCESS", answer.text);
    assert.ok(ms <= msMax, `${ms} ms`);
  });
}
