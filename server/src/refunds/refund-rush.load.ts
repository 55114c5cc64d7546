import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { bucketOf } from "../core/bucket.ts";
import {
  orderIs,
  startScriptedStack,
  startScriptedWallet,
  walletSays,
} from "../../test/start/scripted-wallet.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { newMerchant, pathOf, signedHeaders, type TestMerchant } from "../../test/start/test-gateway.ts";
import { payRequest } from "../../test/start/test-stack.ts";

const stack = await startScriptedStack();
const { merchant: rushing, database } = stack;
const calm = await newMerchant(database, "Tea Lab");
const wallet = await startScriptedWallet("quick", ({ verb, fields }) => {
  const { reference, refundReference, amount } = fields;
  return verb === "refund"
    ? walletSays({ refund: { reference, refundReference, state: "DONE", amount } })
    : orderIs(reference, "OPEN");
});
await stack.connect(wallet);
await paidPayments(4_000);
const { url } = await stack.serve({
  variables: { TOLLGATE_LOG_LEVEL: "silent", TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8" },
});
await stack.work({ TOLLGATE_LOG_LEVEL: "silent" });

/** A cancelled concert: paid payments of one merchant, to be refunded, and no rate limit. */
async function paidPayments(count: number): Promise<void> {
  const run = (sql: string, ...values: readonly unknown[]): Promise<unknown> =>
    asSuperuser(sql, values, database.superuserUrl);
  const { clientId } = rushing;
  const bucket = bucketOf(clientId);
  await run("update clients set rate_per_second = 100000, rate_burst = 100000");
  await run(
    `insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code, currency,
       amount_minor, paid_currency, paid_minor, captured_minor, created_at, paid_at, payment_method_type, connector,
       wallet_reference, wallet_accepted_at)
     select $1, $3 || lpad(n::text, 12, '0'), $2, 'paid-' || n, 'CASHIER_PAYMENT', 'SUCCESS', 'SUCCESS', 'EUR', 1000,
       'EUR', 1000, 1000, now(), now(), 'GCASH', 'quick', 'reference-' || n, now()
     from generate_series(1, $4::int) n`,
    bucket,
    clientId,
    idStart(),
    count,
  );
  await run(
    `insert into ledger_transfers (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency,
       amount_minor, at)
     values ($1, 'seed', 'payment', 1, $2, 'wallet receivable quick', $3, 'EUR', 100000000, now())`,
    bucket,
    clientId,
    `merchant payable ${clientId}`,
  );
  await run("analyze");
}

function idStart(): string {
  return `20260301123450000${String(bucketOf(rushing.clientId)).padStart(4, "0")}01`;
}

interface Answered {
  readonly code: string;
  readonly ms: number;
  readonly atMs: number;
}

/** Sends a presigned request: this process is the wallet as well, and must not be the bottleneck. */
type Ready = () => Promise<Answered>;

/** Each merchant has connections of its own. */
function callerOf(merchant: TestMerchant, connections: number): (verb: string, json: object) => Ready {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  after(() => agent.destroy());
  return (verb, json) => {
    const path = pathOf("sandbox", `payments/${verb}`);
    const body = JSON.stringify(json);
    const headers = { ...signedHeaders(merchant, { path, body }), "content-type": "application/json" };
    return () => {
      const startedAtMs = performance.now();
      return new Promise((resolve, reject) => {
        const outgoing = request(new URL(path, url), { method: "POST", agent, headers }, (incoming) => {
          let text = "";
          incoming.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
          incoming.on("end", () => {
            const code = /"resultCode":"(\w+)"/.exec(text)?.[1] ?? text;
            const atMs = performance.now();
            resolve({ code, ms: atMs - startedAtMs, atMs });
          });
        });
        outgoing.on("error", reject).end(body);
      });
    };
  };
}

const callCalm = callerOf(calm, 16);
const callRushing = callerOf(rushing, 256);
let payments = 0;
let refunds = 0;

function pays(count: number): Ready[] {
  return Array.from({ length: count }, () => callCalm("pay", payRequest(`calm-${(payments += 1)}`)));
}

function refundsOf(count: number): Ready[] {
  return Array.from({ length: count }, () => {
    refunds += 1;
    const paymentId = idStart() + String(1 + (refunds % 4_000)).padStart(12, "0");
    const refundAmount = { currency: "EUR", value: "1" };
    return callRushing("refund", { refundRequestId: `rush-${refunds}`, paymentId, refundAmount });
  });
}

/** Open-loop load: sends all of them evenly over so many seconds, without waiting for answers. */
async function evenly(ready: readonly Ready[], seconds: number): Promise<Answered[]> {
  const all: Promise<Answered>[] = [];
  const startedAtMs = performance.now();
  while (all.length < ready.length) {
    const dueCount = (ready.length * (performance.now() - startedAtMs)) / (seconds * 1000);
    for (const send of ready.slice(all.length, Math.ceil(dueCount))) all.push(send());
    await delay(5);
  }
  return Promise.all(all);
}

/** Closed-loop load: one at a time on each connection. Measures the capacity without queueing. */
async function inTurn(ready: readonly Ready[], connections: number, seconds: number): Promise<Answered[]> {
  const answers: Answered[] = [];
  const endMs = performance.now() + seconds * 1000;
  const left = ready.values();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (const send of left) {
        answers.push(await send());
        if (performance.now() > endMs) return;
      }
    }),
  );
  return answers;
}

function quantile(answers: readonly Answered[], part: number): number {
  const all = answers.map(({ ms }) => ms).sort((one, other) => one - other);
  return all[Math.floor((all.length - 1) * part)] ?? 0;
}

function countsOf(answers: readonly Answered[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code } of answers) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

const seconds = 8;
/** More than any machine gives back in that time. */
const enough = 4_000;

test("a merchant that gives back five times what its row can do neither loses by it nor holds up others", async (t) => {
  await inTurn(refundsOf(200), 8, 2);
  await evenly(pays(40), 2);
  const calmPays = [pays(25 * seconds), pays(25 * seconds)] as const;
  const alone = await evenly(calmPays[0], seconds);
  const usual = await inTurn(refundsOf(enough), 8, seconds);
  const capacity = (countsOf(usual)["SUCCESS"] ?? 0) / seconds;
  const rushRefunds = refundsOf(Math.round(5 * capacity * seconds));
  const endMs = performance.now() + seconds * 1000;
  const [meanwhile, rush] = await Promise.all([evenly(calmPays[1], seconds), evenly(rushRefunds, seconds)]);

  const said = countsOf(rush);
  // Goodput: an answer after the rush is useless to callers that wait no longer than it lasts.
  const inTime = rush.filter(({ code, atMs }) => code === "SUCCESS" && atMs <= endMs);
  const goodput = inTime.length / seconds / capacity;
  const refused = rush.filter(({ code }) => code === "REQUEST_TRAFFIC_EXCEED_LIMIT");
  t.diagnostic(
    `refunds: ${capacity.toFixed(0)}/s in turn; ${(5 * capacity).toFixed(0)}/s asked for: ` +
      `${(100 * goodput).toFixed(0)} % of that done, ${JSON.stringify(said)}, refused within ${quantile(refused, 0.99).toFixed(0)} ms (p99)`,
  );
  const [before, during] = [quantile(alone, 0.99), quantile(meanwhile, 0.99)];
  t.diagnostic(
    `the other merchant's pay: median ${quantile(alone, 0.5).toFixed(0)} ms and p99 ${before.toFixed(0)} ms alone, ` +
      `median ${quantile(meanwhile, 0.5).toFixed(0)} ms and p99 ${during.toFixed(0)} ms meanwhile; ${JSON.stringify(countsOf(meanwhile))}`,
  );
  // A busy machine sheds some load by itself; the payments that it accepted are known.
  const { PAYMENT_IN_PROCESS: taken = 0, REQUEST_TRAFFIC_EXCEED_LIMIT: turnedAway = 0 } = countsOf(meanwhile);
  assert.equal(taken + turnedAway, meanwhile.length);
  assert.ok(taken >= 0.9 * meanwhile.length, `${turnedAway} of ${meanwhile.length} were turned away`);
  assert.ok(during <= 3 * before, `p99 went from ${before} to ${during} ms`);
  assert.ok(goodput >= 0.85, `${(100 * goodput).toFixed(0)} % of what was done in turn`);
});
