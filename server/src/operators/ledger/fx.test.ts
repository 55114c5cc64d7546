import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { exampleStatements } from "../../../test/examples/example-statement.ts";
import { ourBank, newSettlementFixture, statusReport } from "../../../test/examples/settlement-fixture.ts";
import { connectAs, transactionOn } from "../../../test/start/test-connection.ts";
import { prepareTestGateway, writeTestFile } from "../../../test/start/test-gateway.ts";
import { eventually } from "../../../test/start/test-process.ts";
import { bucketOf } from "../../core/bucket.ts";
import { findQuote } from "../../ledger/currency-conversion.sql.ts";
import { reserveBalance } from "../../ledger/reserve.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Tx } from "../../postgres/sql.ts";
import { queryAsOwner } from "../../operator-session/owner-session.ts";
import { importBankStatements } from "../../reconciliation/import-bank-statement.workflow.ts";
import { readCommandLine } from "../framework/command-line.ts";
import { bookDeal, findPositions, findQuotes, setQuote, type QuoteRequest } from "./fx.ts";
import { reconcile } from "../../reconciliation/reconcile.workflow.ts";
import { operatorCommands } from "../../processes/operator-commands.ts";
import { importBankReports } from "../../settlement/payouts/import-bank-reports.workflow.ts";
import { planPayouts, runPayouts } from "../../settlement/payouts/run-payouts.workflow.ts";
import {
  checkSettlement,
  closeSettlement,
  type ClosedBatch,
} from "../../settlement/close-settlement.workflow.ts";

const { database, operatorVariables } = await prepareTestGateway("sandbox");
Object.assign(process.env, operatorVariables);
const settlement = newSettlementFixture(database);
const { operator } = settlement;
const folder = mkdtempSync(join(tmpdir(), "tollgate-exchange-"));
const run = { bank: ourBank, folder, format: "pain.001.001.09" } as const;
for (const currency of ["EUR", "USD", "JPY"]) await settlement.openBank(currency);

const setQuoteFor = (pair: string, price: string, rest: Partial<QuoteRequest> = {}) =>
  setQuote(operator, {
    pair,
    price,
    marginMillionths: 0n,
    from: undefined,
    until: "2099-12-31",
    ...rest,
  });

async function closeDay(clientId: string, day: string): Promise<readonly ClosedBatch[]> {
  const batches = (await closeSettlement(operator, { day })).closed;
  return batches.filter((batch) => batch.clientId === clientId);
}

const findBatches = async (clientId: string): Promise<readonly bigint[]> => [
  await settlement.owedMinor(clientId),
  await settlement.owedMinor(clientId, "USD"),
];

test("without a valid rate a batch stays open; with one it is converted at closing, at the rate of that moment", async () => {
  const clientId = await settlement.openMerchant({ terms: { settleIn: "USD" } });
  await settlement.postPayment(clientId, 100_000n, "2026-10-05T10:00:00Z");
  await setQuoteFor("EUR/USD", "9", { from: "2099-01-01" });
  await setQuoteFor("USD/EUR", "9");
  const nothingClosed = await closeSettlement(operator, { day: "2026-10-05" });
  assert.deepEqual(nothingClosed.withoutRate, [{ clientId, pair: "EUR/USD" }]);
  const commandLine = readCommandLine(["settlement", "close", "--day", "2026-10-05"], operatorCommands);
  assert.ok(commandLine.action === "run");
  await operatorCommands["settlement close"]?.run(commandLine.args);
  assert.equal(process.exitCode, 1);
  process.exitCode = 0;
  assert.deepEqual(await settlement.rows("select from settlement_items where client_id = $1", clientId), []);

  await setQuoteFor("EUR/USD", "1.2");
  const { quoteId } = await setQuoteFor("EUR/USD", "1.0872", { marginMillionths: 4_000n });
  const [batch] = await closeDay(clientId, "2026-10-05");
  assert.partialDeepStrictEqual(batch, {
    status: "DUE",
    sums: { net: 100_000n },
    changed: { quoteId, price: "1.0828512", got: { currency: "USD", minor: 108_285n } },
  });
  assert.deepEqual(await findBatches(clientId), [0n, 108_285n]);
  assert.deepEqual(await closeDay(clientId, "2026-10-05"), [], "once");

  // A new rate does not change the closed batch.
  await setQuoteFor("EUR/USD", "2");
  const { payouts } = await planPayouts(operator, { bank: ourBank });
  assert.deepEqual(
    payouts.map(({ amount, waitsFor }) => [amount, waitsFor]),
    [[{ currency: "USD", minor: 108_285n }, undefined]],
  );
  assert.deepEqual(await checkSettlement(operator), []);
});

test("a failed payout keeps its converted currency and is paid again", async () => {
  const clientId = await settlement.openMerchant({ terms: { settleIn: "USD" } });
  await setQuoteFor("EUR/USD", "1.5");
  await settlement.postPayment(clientId, 1000n, "2026-10-06T10:00:00Z");
  await closeDay(clientId, "2026-10-06");
  const first = await runPayouts(operator, run);
  const payout = first.claimed.find((each) => each.clientId === clientId);
  assert.deepEqual(payout?.amount, { currency: "USD", minor: 1500n });
  const refused = statusReport(first.files[0]?.fileId ?? "", [
    { endToEndId: payout.payoutId, status: "RJCT", reason: "AC01" },
  ]);
  await importBankReports(operator, writeTestFile("refused-usd.xml", refused));
  assert.deepEqual(await findBatches(clientId), [0n, 1500n]);
  assert.deepEqual(await closeDay(clientId, "2026-10-10"), [], "it is no movement of a batch");
  const secondPayout = (await runPayouts(operator, run)).claimed.find((each) => each.clientId === clientId);
  assert.deepEqual(secondPayout?.amount, { currency: "USD", minor: 1500n });
});

test("a zero, negative or too small sum is carried over unconverted, and the reserve is not converted", async () => {
  const clientId = await settlement.openMerchant({
    terms: { settleIn: "USD", minimumMinor: 500n, reserveBasisPoints: 1000, reserveDays: 3 },
  });
  await setQuoteFor("EUR/USD", "2");
  await settlement.postPayment(clientId, 1000n, "2026-10-05T10:00:00Z");
  // Dated after the closed day.
  await settlement.postRefund(clientId, 200n, "2026-10-06T10:00:00Z");
  const [short] = await closeDay(clientId, "2026-10-05");
  assert.partialDeepStrictEqual(short, { status: "CARRIED", sums: { net: 900n }, changed: undefined });
  assert.deepEqual(await findBatches(clientId), [700n, 0n]);
  await settlement.postPayment(clientId, 400n, "2026-10-06T10:00:00Z");
  const [rest] = await closeDay(clientId, "2026-10-06");
  assert.partialDeepStrictEqual(rest, { status: "DUE", sums: { net: 1060n, carried: 900n } });
  assert.deepEqual(await findBatches(clientId), [0n, 2120n]);
  assert.equal(
    await settlement.balance(`merchant reserve ${clientId}`),
    -140n,
    "in the currency of the sale",
  );
  await settlement.postRefund(clientId, 50n, "2026-10-07T10:00:00Z");
  const [below] = await closeDay(clientId, "2026-10-07");
  assert.partialDeepStrictEqual(below, { status: "CARRIED", sums: { net: -50n }, changed: undefined });
});

test("closing a batch waits for a concurrent refund, and the reserved amount is not converted", async () => {
  const clientId = await settlement.openMerchant({ terms: { settleIn: "USD" } });
  await setQuoteFor("EUR/USD", "2");
  await settlement.postPayment(clientId, 1000n, "2026-10-07T10:00:00Z");
  const key = { bucket: bucketOf(clientId), clientId, currency: "EUR" };
  const refunder = await connectAs(clientId, database.appUrl);
  await refunder.query("begin");
  const tx = transactionOn(refunder);
  assert.equal(await reserveBalance(tx, key, 1n), true);
  await Promise.all(tx.written);
  const closing = closeDay(clientId, "2026-10-07");
  const waiting =
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await eventually(
    10_000,
    () => settlement.rows(waiting),
    ({ length }) => length > 0,
  );
  await refunder.query("commit");
  assert.partialDeepStrictEqual(await closing, [{ status: "CARRIED", sums: { net: 1000n } }]);
  await settlement.rows("update reserves set open_refunds_minor = 0 where client_id = $1", clientId);
  await settlement.postPayment(clientId, 1n, "2026-10-08T10:00:00Z");
  await closeDay(clientId, "2026-10-08");
  assert.deepEqual(await findBatches(clientId), [0n, 2002n]);
  assert.equal(
    await reserveBalance(transactionOn(refunder), key, 1n),
    false,
    "what was changed is not refunded",
  );
});

test("a deal sells part of the position, once per reference, and is reconciled with the bank's entries in clearing", async () => {
  const clientId = await settlement.openMerchant({ terms: { settleIn: "JPY" } });
  await setQuoteFor("EUR/JPY", "160");
  await settlement.postPayment(clientId, 30_000n, "2026-10-08T10:00:00Z");
  await closeDay(clientId, "2026-10-08");
  const position = async () =>
    (await findPositions(operator)).find((each) => each.promised.currency === "JPY");
  assert.deepEqual(await position(), {
    held: { currency: "EUR", minor: 30_000n },
    promised: { currency: "JPY", minor: 48_000n },
  });
  const deal = { pair: "EUR/JPY", reference: "FX-1", soldMinor: 10_000n, boughtMinor: 16_200n };
  await assert.rejects(
    bookDeal(operator, { ...deal, soldMinor: 30_001n }),
    /only EUR 300.00, less than the amount sold/,
  );
  assert.deepEqual((await bookDeal(operator, deal)).gained, { currency: "JPY", minor: 200n });
  await assert.rejects(bookDeal(operator, deal), /FX-1 is already booked/);
  assert.deepEqual((await bookDeal(operator, { ...deal, reference: "FX-2", soldMinor: 20_000n })).gained, {
    currency: "JPY",
    minor: 16_200n - 32_000n,
  });
  assert.deepEqual(await position(), {
    held: { currency: "EUR", minor: 0n },
    promised: { currency: "JPY", minor: 0n },
  });
  assert.equal(await settlement.balance("exchange gain and loss", "JPY"), 15_600n);

  const entry = (minor: number, text: string) => ({ minor, text, reference: `${text} ${minor}` });
  const statements = exampleStatements({
    id: "EUR-1",
    day: "2026-10-08",
    opening: 0,
    entries: [entry(-10_000, "FX-1"), entry(-20_000, "FX-2")],
  });
  await importBankStatements(operator, { bank: ourBank, file: writeTestFile("deals.xml", statements) });
  assert.equal(await settlement.balance("clearing"), 0n);
  const { breaks } = await reconcile(operator, {
    connector: undefined,
    until: "2026-12-01T00:00:00Z",
    day: undefined,
  });
  const references = breaks.map(({ reference, kind }) => `${kind} ${reference}`);
  assert.deepEqual(
    references.filter((each) => each.includes("FX-")).toSorted(),
    ["not at the bank FX-1", "not at the bank FX-2"],
    "only the yen are missing, of which no statement has come",
  );
});

test("a rate has a currency pair and a period", async () => {
  for (const pair of ["EUR", "EUR/EUR", "EUR/XXX", "eur/usd", "EUR/USD/JPY"])
    await assert.rejects(setQuoteFor(pair, "1"), /is not a currency pair/);
  for (const price of ["0", "-1", "1,2", "1.0000000000000001", "x"])
    await assert.rejects(setQuoteFor("EUR/GBP", price), /is not a price/);
  await assert.rejects(setQuoteFor("EUR/GBP", "1", { until: "2026-01-01" }), /is in the past/);
  await assert.rejects(setQuoteFor("EUR/GBP", "1", { until: "soon" }), /is not a time/);
  await setQuoteFor("EUR/GBP", "0.87", { from: "2026-10-01", until: "2099-01-01T00:00:00+08:00" });
  assert.partialDeepStrictEqual(
    (await findQuotes(operator, 100)).filter(({ to }) => to === "GBP"),
    [{ price: "0.87", fromAt: new Date("2026-09-30T16:00:00Z"), untilAt: new Date("2098-12-31T16:00:00Z") }],
  );
  await assert.rejects(settlement.rows("update exchange_quotes set price = 2"), /append-only/);
});

test("a rate is valid until its last moment, and an expired rate converts no batch", async () => {
  await settlement.rows("alter table exchange_quotes disable trigger user");
  await settlement.rows(
    `insert into exchange_quotes (quote_id, from_currency, to_currency, market_price, margin_millionths, price, from_at, until_at)
     values ('EXPIRED', 'EUR', 'CHF', 1, 0, 1, '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z')`,
  );
  await settlement.rows("alter table exchange_quotes enable trigger user");
  const quoteAt = async (time: string): Promise<string | undefined> => {
    const find = (tx: Tx) => findQuote(tx, { from: "EUR", to: "CHF" }, new Date(time));
    return (await queryAsOwner(operator.url, "sandbox", systemScope, find))?.quoteId;
  };
  assert.equal(await quoteAt("2026-01-31T23:59:59.999Z"), "EXPIRED");
  assert.equal(await quoteAt("2026-02-01T00:00:00Z"), undefined);
  const clientId = await settlement.openMerchant({ terms: { settleIn: "CHF" } });
  await settlement.postPayment(clientId, 1_000n, "2026-10-04T10:00:00Z");
  const { withoutRate } = await closeSettlement(operator, { day: "2026-10-04" });
  assert.deepEqual(withoutRate, [{ clientId, pair: "EUR/CHF" }]);
});
