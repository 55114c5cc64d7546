import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { dailyTerms, ourBank, newSettlementFixture } from "../../test/examples/settlement-fixture.ts";
import { prepareTestGateway } from "../../test/start/test-gateway.ts";
import { bucketOf } from "../core/bucket.ts";
import { newId } from "../core/id.ts";
import { disputeDebitEffect, refundEffect, refundReversalEffect } from "../ledger/transfer.ts";
import { setQuote } from "../operators/ledger/fx.ts";
import { reconcile } from "../reconciliation/reconcile.workflow.ts";
import { setTerms } from "./settlement-terms.workflow.ts";
import { runPayouts } from "./payouts/run-payouts.workflow.ts";
import { closeSettlement } from "./close-settlement.workflow.ts";

/** These tests check that a merchant that stops selling is paid its full balance (docs/operating/payouts.md). */
const { database } = await prepareTestGateway("sandbox");
const fixture = newSettlementFixture(database);
const { operator } = fixture;
const folder = mkdtempSync(join(tmpdir(), "tollgate-owed-"));
for (const currency of ["EUR", "USD", "JPY"]) await fixture.openBank(currency);
const quote = { marginMillionths: 0n, from: undefined, until: "2099-12-31" };

const closeEach = async (...days: readonly string[]): Promise<void> => {
  for (const day of days) await closeSettlement(operator, { day });
};

async function paidTo(clientId: string, day?: string): Promise<readonly bigint[]> {
  const ran = await runPayouts(operator, { bank: ourBank, folder, format: "pain.001.001.09", day });
  return ran.claimed.filter((each) => each.clientId === clientId).map(({ amount }) => amount.minor);
}

const batchesOf = (clientId: string): Promise<readonly object[]> =>
  fixture.rows(
    `select b.to_day::text as day, b.carried_minor::int as carried, b.net_minor::int as net, b.status, later.to_day::text as into
     from settlement_batches as b left join settlement_batches as later
       on later.bucket = b.bucket and later.client_id = b.client_id and later.batch_id = b.carried_to
     where b.client_id = $1 order by b.to_day`,
    clientId,
  );

test("a refund after the close reduces the due batch: 100.00 sold, 30.00 refunded, 70.00 paid", async () => {
  const clientId = await fixture.openMerchant({ terms: { daysAfter: 2 } });
  await fixture.postPayment(clientId, 10_000n, "2026-10-05T10:00:00Z");
  await closeEach("2026-10-05");
  await fixture.postRefund(clientId, 3_000n, "2026-10-06T10:00:00Z");
  await closeEach("2026-10-06", "2026-10-07");
  assert.deepEqual(await batchesOf(clientId), [
    { day: "2026-10-05", carried: 0, net: 10_000, status: "CARRIED", into: "2026-10-06" },
    { day: "2026-10-06", carried: 10_000, net: 7_000, status: "DUE", into: null },
  ]);
  assert.deepEqual(await paidTo(clientId), [7_000n]);
  assert.equal(await fixture.owedMinor(clientId), 0n);
});

test("a negative batch joins the batches with the latest due day, and no more than it needs", async () => {
  const clientId = await fixture.openMerchant({ terms: { daysAfter: 1 } });
  await fixture.postPayment(clientId, 4_000n, "2026-10-05T10:00:00Z");
  await fixture.postPayment(clientId, 2_000n, "2026-10-06T10:00:00Z");
  await fixture.postPayment(clientId, 1_000n, "2026-10-07T10:00:00Z");
  await fixture.postRefund(clientId, 1_500n, "2026-10-08T10:00:00Z");
  await closeEach("2026-10-08");
  assert.deepEqual(await batchesOf(clientId), [
    { day: "2026-10-05", carried: 0, net: 4_000, status: "DUE", into: null },
    { day: "2026-10-06", carried: 0, net: 2_000, status: "CARRIED", into: "2026-10-08" },
    { day: "2026-10-07", carried: 0, net: 1_000, status: "CARRIED", into: "2026-10-08" },
    { day: "2026-10-08", carried: 3_000, net: 1_500, status: "DUE", into: null },
  ]);
  assert.deepEqual(await paidTo(clientId), [4_000n, 1_500n]);
});

test("a payout that failed after a refund is paid again minus the refund, although there are no new movements", async () => {
  const clientId = await fixture.openMerchant();
  await fixture.postPayment(clientId, 10_000n, "2026-10-05T10:00:00Z");
  await closeEach("2026-10-05");
  const update = (text: string): Promise<unknown> =>
    fixture.rows(`update settlement_batches set ${text} where client_id = $1`, clientId);
  await update("status = 'PAYING'");
  await fixture.postRefund(clientId, 3_000n, "2026-10-06T10:00:00Z");
  await closeEach("2026-10-06");
  assert.partialDeepStrictEqual(await batchesOf(clientId), [{ status: "PAYING" }, { net: -3_000 }]);
  await fixture.rows(
    "update settlement_batches set status = 'DUE' where client_id = $1 and status = 'PAYING'",
    clientId,
  );
  await closeEach("2026-10-09");
  assert.deepEqual(await paidTo(clientId), [7_000n]);
  assert.equal(await fixture.owedMinor(clientId), 0n);
});

test("a carried sum is paid by the next close after the minimum was lowered", async () => {
  const clientId = await fixture.openMerchant({ terms: { minimumMinor: 1_000n } });
  await fixture.postPayment(clientId, 900n, "2026-10-05T10:00:00Z");
  await closeEach("2026-10-05", "2026-10-06");
  await setTerms(operator, clientId, "EUR", { ...dailyTerms, fromDay: "2026-10-07", minimumMinor: 900n });
  await closeEach("2026-10-06");
  assert.deepEqual(await paidTo(clientId), []);
  await closeEach("2026-10-07", "2026-10-08");
  assert.deepEqual(await batchesOf(clientId), [
    { day: "2026-10-05", carried: 0, net: 900, status: "CARRIED", into: "2026-10-07" },
    { day: "2026-10-07", carried: 900, net: 900, status: "DUE", into: null },
  ]);
  assert.deepEqual(await paidTo(clientId), [900n]);
});

test("a carried sum below the minimum is paid after 30 days without a movement, and not earlier", async () => {
  const clientId = await fixture.openMerchant({ terms: { minimumMinor: 1_000n } });
  await fixture.postPayment(clientId, 900n, "2026-09-01T10:00:00Z");
  await closeEach("2026-09-01", "2026-09-20", "2026-09-30");
  assert.deepEqual(await paidTo(clientId), []);
  await closeEach("2026-10-01", "2026-10-02");
  assert.deepEqual(await batchesOf(clientId), [
    { day: "2026-09-01", carried: 0, net: 900, status: "CARRIED", into: "2026-10-01" },
    { day: "2026-10-01", carried: 900, net: 900, status: "DUE", into: null },
  ]);
  assert.deepEqual(await paidTo(clientId), [900n]);
});

test("the minimum applies while the merchant has movements, and idle days count from the last batch", async () => {
  const clientId = await fixture.openMerchant({ terms: { minimumMinor: 1_000n, cycle: "M" } });
  await fixture.postPayment(clientId, 500n, "2026-07-10T10:00:00Z");
  await closeEach("2026-07-31");
  await fixture.postPayment(clientId, 100n, "2026-09-02T10:00:00Z");
  await closeEach("2026-09-29");
  assert.deepEqual(await paidTo(clientId), []);
  await closeEach("2026-09-30", "2026-10-29", "2026-10-30");
  assert.deepEqual(await paidTo(clientId), []);
  await closeEach("2026-10-31");
  assert.deepEqual(await paidTo(clientId), [600n]);
});

test("a merchant with a negative balance gets no new batch for it", async () => {
  const clientId = await fixture.openMerchant();
  await fixture.postRefund(clientId, 500n, "2026-09-01T10:00:00Z");
  await closeEach("2026-09-01", "2026-10-15", "2026-11-15");
  assert.equal((await batchesOf(clientId)).length, 1);
});

test("a debt in the settlement currency reduces the due converted batches", async () => {
  const clientId = await fixture.openMerchant({ terms: { settleIn: "USD", daysAfter: 1 } });
  await setTerms(operator, clientId, "USD", { ...dailyTerms, fromDay: "2026-01-01" });
  await setQuote(operator, { ...quote, pair: "EUR/USD", price: "2" });
  await fixture.postPayment(clientId, 5_000n, "2026-10-05T10:00:00Z");
  const debt = refundEffect(clientId, "w", { currency: "USD", minor: 3_000n });
  await fixture.post(clientId, debt, new Date("2026-10-06T10:00:00Z"));
  await closeEach("2026-10-05", "2026-10-06");
  assert.deepEqual(await batchesOf(clientId), [
    { day: "2026-10-05", carried: 0, net: 5_000, status: "CARRIED", into: "2026-10-06" },
    { day: "2026-10-06", carried: 10_000, net: 7_000, status: "DUE", into: null },
  ]);
  assert.deepEqual(await paidTo(clientId), [7_000n]);
  assert.deepEqual([await fixture.owedMinor(clientId), await fixture.owedMinor(clientId, "USD")], [0n, 0n]);
});

test("a carried sum in another currency waits for open refunds and for an FX rate, and creates no empty batch", async () => {
  const clientId = await fixture.openMerchant({ terms: { settleIn: "JPY", minimumMinor: 1_000n } });
  await setQuote(operator, { ...quote, pair: "EUR/JPY", price: "160" });
  await fixture.postPayment(clientId, 900n, "2026-09-01T10:00:00Z");
  await closeEach("2026-09-01");
  const setOpenRefunds = (minor: bigint): Promise<unknown> =>
    fixture.rows(
      `insert into reserves (bucket, client_id, currency, open_refunds_minor)
       select bucket, client_id, 'EUR', $2::bigint from clients where client_id = $1
       on conflict (bucket, client_id, currency) do update set open_refunds_minor = excluded.open_refunds_minor`,
      clientId,
      minor,
    );
  await setOpenRefunds(1n);
  await closeEach("2026-10-01", "2026-10-02");
  assert.equal((await batchesOf(clientId)).length, 1);
  await setOpenRefunds(0n);
  await closeEach("2026-10-03");
  assert.deepEqual(await paidTo(clientId), [1_440n]);
});

const newRefund = (clientId: string): string =>
  newId("refund", bucketOf(clientId), new Date("2026-10-05T10:00:00Z"), (below) => randomInt(below));

test("a refund that fails after its day was paid out belongs to the next open batch, and no closed batch changes", async () => {
  const clientId = await fixture.openMerchant();
  const refundId = newRefund(clientId);
  const amount = { currency: "EUR", minor: 3_000n };
  const fee = { returned: { feeMinor: 90n, taxMinor: 18n }, charged: { feeMinor: 15n, taxMinor: 3n } };
  await fixture.postPayment(clientId, 10_000n, "2026-10-05T10:00:00Z");
  await fixture.post(
    clientId,
    refundEffect(clientId, "w", amount, fee),
    new Date("2026-10-05T11:00:00Z"),
    refundId,
  );
  await closeEach("2026-10-05");
  assert.deepEqual(await paidTo(clientId, "2026-10-06"), [7_090n]);
  const [paid] = await batchesOf(clientId);

  const failedAt = new Date("2026-10-08T09:00:00Z");
  await fixture.post(clientId, refundReversalEffect(clientId, "w", amount, fee), failedAt, refundId);
  await closeEach("2026-10-08");
  const batches = await fixture.rows(
    `select to_day::text as day, gross_minor::int as gross, refunds_minor::int as refunds, fees_minor::int as fees,
       tax_minor::int as tax, net_minor::int as net, status from settlement_batches where client_id = $1 order by to_day`,
    clientId,
  );
  assert.deepEqual(batches, [
    { day: "2026-10-05", gross: 10_000, refunds: -3_000, fees: 75, tax: 15, net: 7_090, status: "PAYING" },
    { day: "2026-10-08", gross: 0, refunds: 3_000, fees: -75, tax: -15, net: 2_910, status: "DUE" },
  ]);
  assert.deepEqual((await batchesOf(clientId))[0], paid);
  assert.deepEqual(await paidTo(clientId, "2026-10-09"), [2_910n]);
  assert.equal(await fixture.owedMinor(clientId), 0n);
});

test("a negative batch is deducted from the next payouts until it is covered", async () => {
  const clientId = await fixture.openMerchant();
  await fixture.postPayment(clientId, 5_000n, "2026-10-05T10:00:00Z");
  await closeEach("2026-10-05");
  assert.deepEqual(await paidTo(clientId, "2026-10-06"), [5_000n]);
  // A direct debit that the buyer's bank returns after the payout.
  const debited = { currency: "EUR", minor: 5_000n };
  const lost = disputeDebitEffect(clientId, "w", { frozen: { ...debited, minor: 0n }, debited });
  await fixture.post(clientId, lost, new Date("2026-10-06T10:00:00Z"));
  await fixture.postPayment(clientId, 3_000n, "2026-10-07T10:00:00Z");
  await closeEach("2026-10-06", "2026-10-07");
  assert.deepEqual(await paidTo(clientId, "2026-10-08"), []);
  await fixture.postPayment(clientId, 4_500n, "2026-10-08T10:00:00Z");
  await closeEach("2026-10-08");
  assert.deepEqual(await batchesOf(clientId), [
    { day: "2026-10-05", carried: 0, net: 5_000, status: "PAYING", into: null },
    { day: "2026-10-06", carried: 0, net: -5_000, status: "CARRIED", into: "2026-10-07" },
    { day: "2026-10-07", carried: -5_000, net: -2_000, status: "CARRIED", into: "2026-10-08" },
    { day: "2026-10-08", carried: -2_000, net: 2_500, status: "DUE", into: null },
  ]);
  assert.deepEqual(await paidTo(clientId, "2026-10-09"), [2_500n]);
});

test("a balance that is negative for more than 30 days is a break until a settlement covers it", async () => {
  const clientId = await fixture.openMerchant();
  const daysAgo = (days: number): string => new Date(Date.now() - days * 24 * 3600 * 1000).toISOString();
  const negativeBalances = async (): Promise<readonly object[]> => {
    const { breaks } = await reconcile(operator, { connector: undefined, until: undefined });
    return breaks
      .filter(({ kind, reference }) => kind === "negative balance" && reference === clientId)
      .map(({ currency, sums, at }) => ({ currency, owed: sums.ledger?.minor, since: at?.toISOString() }));
  };
  await fixture.postPayment(clientId, 500n, daysAgo(60));
  await fixture.postRefund(clientId, 800n, daysAgo(29.9));
  assert.deepEqual(await negativeBalances(), []);

  const since = daysAgo(30.1);
  await fixture.postRefund(clientId, 900n, since);
  assert.deepEqual(await negativeBalances(), [{ currency: "EUR", owed: -1_200n, since }]);
  await fixture.rows("select roll_up_balances()");
  assert.deepEqual(await negativeBalances(), [{ currency: "EUR", owed: -1_200n, since }]);

  // A sale that does not cover the whole debt changes the amount of the break, and not its age.
  await fixture.postPayment(clientId, 1_000n, daysAgo(2));
  assert.deepEqual(await negativeBalances(), [{ currency: "EUR", owed: -200n, since }]);
  await fixture.postPayment(clientId, 200n, daysAgo(1));
  assert.deepEqual(await negativeBalances(), []);
  const [found] = await fixture.rows<{ isResolved: boolean }>(
    `select resolved_at is not null as "isResolved" from breaks where kind = 'negative balance' and reference = $1`,
    clientId,
  );
  assert.deepEqual(found, { isResolved: true });

  // The balance was covered, so the 30 days begin again.
  await fixture.postRefund(clientId, 700n, daysAgo(0.5));
  assert.deepEqual(await negativeBalances(), []);
});
