import assert from "node:assert/strict";
import { after, test } from "node:test";
import { examplePayment } from "../../server/test/examples/example-payment.ts";
import { asSuperuser } from "../../server/test/start/test-database.ts";
import { newMerchant, prepareTestGateway } from "../../server/test/start/test-gateway.ts";
import { requestConsole, consoleVariables, personToken } from "../../server/test/start/test-console.ts";
import { serve } from "../../server/src/processes/serve.ts";
import { readSettings } from "../../server/src/settings/settings.ts";
import { bucketOf } from "../../server/src/core/bucket.ts";
import { newId } from "../../server/src/core/id.ts";
import { deleteJob } from "../../server/src/jobs/job.sql.ts";
import { insertPayments, updatePaymentStatus } from "../../server/src/payments/payment.sql.ts";
import type { Payment } from "../../server/src/payments/payment.ts";
import { requireCommitted, openDatabase, systemScope } from "../../server/src/postgres/database.ts";
import { fillSearch } from "../../server/src/search/search.sql.ts";

/**
 * Cost of the search tables: WAL bytes per payment, with and without them alternately, and payments while people
 * browse.
 */
const rounds = Number(process.env["COST_ROUNDS"] ?? 5);
const paymentsEach = Number(process.env["COST_PAYMENTS"] ?? 1_000);
const people = 10;

const { database, variables } = await prepareTestGateway("sandbox");
const { clientId } = await newMerchant(database, "Large");
const bucket = bucketOf(clientId);
const serving = await serve(readSettings({ ...variables, ...consoleVariables }));
const options = { applicationName: "cost", connectionsMax: 2, onFault: () => undefined };
const app = openDatabase({ url: database.appUrl, ...options });
const work = openDatabase({ url: database.workUrl, ...options });
after(async () => {
  await Promise.all([app.close(), work.close()]);
  await serving.stop();
});
const run = <Row extends object>(text: string): Promise<readonly Row[]> =>
  asSuperuser<Row>(text, [], database.superuserUrl);

async function walBytes(): Promise<number> {
  const [row] = await run<{ at: string }>("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as at");
  return Number(row?.at);
}

let createdCount = 0;

function newPayment(): Payment {
  createdCount += 1;
  const now = new Date();
  const order = {
    connector: "provider",
    reference: String(createdCount).padStart(40, "0"),
    account: undefined,
    registrationId: undefined,
    acceptedAt: undefined,
  };
  return examplePayment({
    bucket,
    clientId,
    paymentId: newId("payment", bucket, now, () => createdCount % 1_000_000),
    paymentRequestId: `order-${createdCount}`,
    referenceOrderId: `ORD-${createdCount}`,
    amount: { currency: "EUR", minor: BigInt((createdCount % 5_000) + 1) },
    createdAt: now,
    order: { ...order, nextAction: undefined, actionSequence: 0 },
  });
}

/** `pay` inserts each payment in a separate transaction, as the gateway does at low load. */
async function pay(payments: readonly Payment[]): Promise<void> {
  for (const payment of payments)
    requireCommitted(
      await app.transaction([clientId], (tx) => insertPayments(tx, [payment], "drive-payment")),
    );
}

async function failPayments(payments: readonly Payment[]): Promise<void> {
  const change = { status: "FAIL", resultCode: "USER_BALANCE_NOT_ENOUGH" } as const;
  for (const payment of payments)
    requireCommitted(
      await app.transaction([clientId], async (tx) => {
        updatePaymentStatus(tx, payment, change, new Date());
        deleteJob(tx, { bucket, clientId, subjectId: payment.paymentId, job: "drive-payment" });
      }),
    );
}

async function fillSearchTables(): Promise<void> {
  requireCommitted(await work.transaction(systemScope, (tx) => fillSearch(tx, 10_000)));
}

interface Bytes {
  readonly pay: number;
  readonly end: number;
  readonly fill: number;
}

/** WAL bytes per payment. Half of a second's payments arrive together, so the fill runs after every fifty. */
async function measure(isSearched: boolean): Promise<Bytes> {
  const triggers = ["payment_notes_its_change", "payment_without_a_job_is_noted"];
  for (const name of triggers)
    await run(`alter table payments ${isSearched ? "enable" : "disable"} trigger ${name}`);
  const bytes = { pay: 0, end: 0, fill: 0 };
  const count = async (what: keyof Bytes, doing: () => Promise<void>): Promise<void> => {
    const before = await walBytes();
    await doing();
    bytes[what] += (await walBytes()) - before;
  };
  for (let done = 0; done < paymentsEach; done += 50) {
    const payments = Array.from({ length: 50 }, newPayment);
    await count("pay", () => pay(payments));
    if (isSearched) await count("fill", fillSearchTables);
    await count("end", () => failPayments(payments));
    if (isSearched) await count("fill", fillSearchTables);
  }
  return { pay: bytes.pay / paymentsEach, end: bytes.end / paymentsEach, fill: bytes.fill / paymentsEach };
}

function medianOf(values: readonly number[]): number {
  return Math.round(values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0);
}

test("pay writes as many WAL bytes with the search tables as without", async (context) => {
  await pay(Array.from({ length: 200 }, newPayment));
  const [without, withIt]: [Bytes[], Bytes[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    without.push(await measure(false));
    withIt.push(await measure(true));
  }
  const of = (measured: readonly Bytes[], what: keyof Bytes): number =>
    medianOf(measured.map((bytes) => bytes[what]));
  for (const what of ["pay", "end"] as const)
    context.diagnostic(`${what}: ${of(without, what)} bytes without, ${of(withIt, what)} with the search`);
  context.diagnostic(`fill, by work, after the commit: ${of(withIt, "fill")} bytes for each payment`);
  const [before, now] = [of(without, "pay"), of(withIt, "pay")];
  assert.ok(Math.abs(now - before) <= before * 0.02, `${before} bytes before, ${now} with the search`);
});

test("a payment costs the same while ten people browse", async (context) => {
  const token = personToken({ clientIds: [clientId] });
  const queries = [
    ["payments", {}],
    ["payments", { paymentStatus: "FAIL" }],
    ["payments", { search: "order-1" }],
    ["charts", {}],
  ] as const;
  let hasEnded = false;
  let viewCount = 0;
  const browse = async (): Promise<void> => {
    while (!hasEnded) {
      const [name, body] = queries[viewCount % queries.length] ?? queries[0];
      viewCount += 1;
      await requestConsole(serving.url, `views/${name}`, { token, body });
      // Time for reading the page.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  };
  const each = Math.min(500, paymentsEach);
  const measurePay = async (): Promise<{ readonly ms: number; readonly bytes: number }> => {
    const [startedMs, before] = [performance.now(), await walBytes()];
    await pay(Array.from({ length: each }, newPayment));
    return { ms: (performance.now() - startedMs) / each, bytes: ((await walBytes()) - before) / each };
  };
  const [alone, costWithReaders]: [{ ms: number; bytes: number }[], { ms: number; bytes: number }[]] = [
    [],
    [],
  ];
  for (let round = 0; round < rounds; round += 1) {
    alone.push(await measurePay());
    hasEnded = false;
    const browsing = Array.from({ length: people }, browse);
    costWithReaders.push(await measurePay());
    hasEnded = true;
    await Promise.all(browsing);
  }
  const ms = (of: readonly { readonly ms: number }[]): number =>
    medianOf(of.map((one) => one.ms * 1000)) / 1000;
  const bytes = (of: readonly { readonly bytes: number }[]): number => medianOf(of.map((one) => one.bytes));
  context.diagnostic(`alone ${ms(alone)} ms and ${bytes(alone)} bytes for each payment`);
  context.diagnostic(
    `with ${people} people browsing, ${viewCount} views: ${ms(costWithReaders)} ms and ${bytes(costWithReaders)} bytes`,
  );
  assert.ok(Math.abs(bytes(costWithReaders) - bytes(alone)) <= bytes(alone) * 0.02);
});
