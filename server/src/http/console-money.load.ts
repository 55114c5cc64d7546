import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { asSuperuser } from "../../test/start/test-database.ts";
import { newMerchant, prepareTestGateway } from "../../test/start/test-gateway.ts";
import { askConsole, codeOf, consoleVariables, personToken } from "../../test/start/test-people.ts";
import { serve } from "../commands/serve.ts";
import { readSettings } from "../commands/settings.ts";
import { bucketOf } from "../core/bucket.ts";

/** How many refunds, captures, agreements, disputes and movements one merchant has, of each. One dispute in a thousand waits. */
const count = Number(process.env["CONSOLE_RECORDS"] ?? 1_000_000);
const wantedMs = 300;

const { database, variables } = await prepareTestGateway("sandbox");
const { clientId } = await newMerchant(database, "Large");
const serving = await serve(readSettings({ ...variables, ...consoleVariables }));
after(() => serving.stop());
const bucket = bucketOf(clientId);
const rows = (text: string): Promise<readonly object[]> =>
  asSuperuser(text, [bucket, clientId, count], database.superuserUrl);

/** One record a second, backwards from the end of October; its id as the gateway makes them. */
const made = `from generate_series(1, $3::int) as n,
  lateral (select timestamp '2026-10-31' - n * interval '1 second' as utc) as moment,
  lateral (select to_char(utc, 'YYYYMMDDHH24MISSMS') || lpad($1::text, 4, '0') || '01' || lpad(n::text, 12, '0') as id,
    utc at time zone 'utc' as at) as one`;

const seeds: Readonly<Record<string, string>> = {
  refunds: `insert into refunds (bucket, refund_id, client_id, payment_id, refund_request_id, fingerprint, status, result_code,
      currency, amount_minor, connector, reference, created_at, finished_at)
    select $1::smallint, id, $2, id, 'refund-' || n, '', case when n % 1000 = 0 then 'FAIL' else 'SUCCESS' end, 'SUCCESS', 'EUR',
      n, 'test-wallet', 'refund-' || n, at, at ${made}`,
  captures: `insert into captures (bucket, capture_id, client_id, payment_id, capture_request_id, fingerprint, status, result_code,
      currency, amount_minor, is_last, connector, reference, created_at, finished_at)
    select $1::smallint, id, $2, id, 'capture-' || n, '', case when n % 1000 = 0 then 'FAIL' else 'SUCCESS' end, 'SUCCESS', 'EUR',
      n, false, 'test-wallet', 'capture-' || n, at, at ${made}`,
  authorizations: `insert into authorizations (bucket, authorization_id, client_id, auth_state, customer_belongs_to, scopes,
      redirect_url, fingerprint, connector, reference, status, expires_at, created_at)
    select $1::smallint, id, $2, 'state-' || n, 'GCASH', array['AGREEMENT_PAY'], 'https://shop.example', '', 'test-wallet',
      'consent-' || n, 'ASKED', at, at ${made}`,
  disputes: `insert into disputes (bucket, dispute_id, client_id, payment_id, connector, wallet_dispute_id, wallet_sequence, type,
      status, currency, amount_minor, reason_code, reason_message, source, defendable, created_at, due_at, resolved_at)
    select $1::smallint, id, $2, id, 'test-wallet', 'dispute-' || n, 1, 'CHARGEBACK',
      case when n % 1000 = 0 then 'CREATED' else 'CANCELLED' end, 'EUR', n, '4853', 'Not as described.', 'Scheme', true, at,
      at + interval '7 days', case when n % 1000 = 0 then null else at end ${made}`,
  ledger_transfers: `insert into ledger_transfers (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency,
      amount_minor, at)
    select $1::smallint, id, 'payment', 1, $2, 'wallet receivable test-wallet', 'merchant payable ' || $2, 'EUR', n, at ${made}`,
};

before(async () => {
  for (const seed of Object.values(seeds)) await rows(seed);
  // As autovacuum does within a minute; a plan is a guess without it.
  for (const table of Object.keys(seeds)) await asSuperuser(`analyze ${table}`, [], database.superuserUrl);
  // As a worker does all the time; a transaction of more rows than a step holds takes two.
  for (let step = 0; step < 2; step += 1)
    await asSuperuser("select roll_up_balances()", [], database.superuserUrl);
});

const farEnd = { createdUntil: "2026-10-30T00:00:00+00:00", limit: 100 };
const quick: readonly (readonly [what: string, name: string, body: object])[] = [
  ["refunds", "refunds", { limit: 100 }],
  ["refunds that failed", "refunds", { refundStatus: "FAIL", limit: 10 }],
  ["refunds from further back", "refunds", farEnd],
  ["captures", "captures", { limit: 100 }],
  ["captures from further back", "captures", farEnd],
  ["agreements", "authorizations", { limit: 100 }],
  ["disputes", "disputes", { limit: 100 }],
  ["disputes that wait, by deadline", "unansweredDisputes", { limit: 100 }],
  ["the last disputes by deadline", "unansweredDisputes", { cursor: `1793404800000 ${"0".repeat(35)}` }],
  ["movements", "movements", { limit: 100 }],
  ["movements from further back", "movements", farEnd],
  ["the balance", "balance", {}],
];

for (const [what, name, body] of quick) {
  test(`among ${count} of each: ${what}, within ${wantedMs} ms`, async (context) => {
    const token = personToken({ clientIds: [clientId] });
    await askConsole(serving.url, `views/${name}`, { token, body });
    const startedMs = performance.now();
    const answer = await askConsole(serving.url, `views/${name}`, { token, body });
    const ms = Math.round(performance.now() - startedMs);
    context.diagnostic(`${name}: ${ms} ms`);
    assert.equal(codeOf(answer), "SUCCESS", answer.text);
    assert.ok(ms <= wantedMs, `${ms} ms`);
  });
}
