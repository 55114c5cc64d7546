import assert from "node:assert/strict";
import { test } from "node:test";
import { bucketOf } from "../core/bucket.ts";
import { newId } from "../core/id.ts";
import { dropChecks, insertGeneratedRow } from "../../test/examples/generated-row.ts";
import { connectAs, transactionOn } from "../../test/start/test-connection.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { call, newMerchant, pathOf, startTestGateway } from "../../test/start/test-gateway.ts";
import { insertEffect } from "../ledger/transfer.sql.ts";
import { payableAccount, receivableAccount, refundEffect, type Effect } from "../ledger/transfer.ts";

const { url, database } = await startTestGateway("sandbox");
const merchant = await newMerchant(database);
const { clientId } = merchant;
const bucket = bucketOf(clientId);
const at = new Date("2026-11-16T10:00:00Z");
const superuser = await connectAs(clientId, database.superuserUrl);
await dropChecks(superuser);

async function inquire(request: object, caller = merchant): Promise<Record<string, unknown>> {
  const path = pathOf("sandbox", "tollgate/inquirySettlements");
  const { json } = await call(url, caller, { path, body: JSON.stringify(request) });
  return json;
}

let random = 0;
const idOf = (kind: "payment" | "refund" | "settlementBatch" | "payout", minute: number): string =>
  newId(kind, bucket, new Date(at.getTime() + minute * 60_000), () => (random += 1));

async function post(subjectId: string, effect: Effect, batchId: string): Promise<void> {
  const tx = transactionOn(superuser);
  insertEffect(tx, { bucket, clientId, subjectId }, effect, at);
  await Promise.all(tx.written);
  await asSuperuser(
    "insert into settlement_items (bucket, client_id, subject_id, effect, batch_id) values ($1, $2, $3, $4, $5)",
    [bucket, clientId, subjectId, effect.name, batchId],
    database.superuserUrl,
  );
}

const batchId = idOf("settlementBatch", 500);
const payoutIds = [idOf("payout", 600), idOf("payout", 700)];
const days = { from_day: "2026-11-16", to_day: "2026-11-16", due_day: "2026-11-17" };
const sums = {
  gross_minor: 3000,
  refunds_minor: -350,
  disputes_minor: 0,
  fees_minor: -60,
  tax_minor: -12,
  other_minor: 0,
  reserve_minor: 0,
  carried_minor: 0,
  net_minor: 2578,
};
const batchKey = { bucket, client_id: clientId, currency: "EUR" };
await insertGeneratedRow(superuser, "settlement_batches", {
  ...batchKey,
  ...days,
  ...sums,
  batch_id: batchId,
  held_minor: 0,
  release_day: null,
  released_in: null,
  carried_to: null,
  status: "PAID",
  payout_id: payoutIds[1],
});
for (const [index, status] of ["FAILED", "PAID"].entries())
  await insertGeneratedRow(superuser, "payouts", {
    ...batchKey,
    payout_id: payoutIds[index],
    end_to_end_id: payoutIds[index],
    batch_id: batchId,
    amount_minor: 2578,
    status,
    reason_code: status === "FAILED" ? "AC04" : null,
  });

const sale = (minor: bigint, fee: bigint, tax: bigint): Effect => ({
  name: "payment",
  transfers: [
    { debit: receivableAccount("w"), credit: payableAccount(clientId), amount: { currency: "EUR", minor } },
    { debit: payableAccount(clientId), credit: "fee revenue", amount: { currency: "EUR", minor: fee } },
    { debit: payableAccount(clientId), credit: "tax payable", amount: { currency: "EUR", minor: tax } },
  ],
});
const paymentIds = [idOf("payment", 1), idOf("payment", 2)];
await post(paymentIds[0] ?? "", sale(1000n, 20n, 4n), batchId);
await post(paymentIds[1] ?? "", sale(2000n, 40n, 8n), batchId);
for (const paymentId of paymentIds)
  await insertGeneratedRow(superuser, "payments", { ...batchKey, payment_id: paymentId, status: "SUCCESS" });
const refundId = idOf("refund", 3);
await post(refundId, refundEffect(clientId, "w", { currency: "EUR", minor: 350n }), batchId);
await insertGeneratedRow(superuser, "refunds", {
  ...batchKey,
  refund_id: refundId,
  payment_id: paymentIds[0],
  status: "SUCCESS",
  amount_minor: 350,
});

test("a batch lists its sums and all payout attempts", async () => {
  const { settlements } = await inquire({ currency: "EUR", fromDay: "2026-11-16" });
  const [batch] = settlements as Record<string, unknown>[];
  assert.equal(batch?.["batchId"], batchId);
  assert.deepEqual(
    ["gross", "refunds", "fees", "tax", "net", "fromDay"].map((name) => batch[name]),
    ["3000", "-350", "-60", "-12", "2578", "2026-11-16"],
  );
  const payouts = batch["payouts"] as Record<string, unknown>[];
  assert.deepEqual(
    payouts.map(({ payoutId, status, reasonCode }) => [payoutId, status, reasonCode]),
    [
      [payoutIds[0], "FAILED", "AC04"],
      [payoutIds[1], "PAID", undefined],
    ],
  );
});

test("a converted batch has its converted amount and FX rate", async () => {
  const change = (to: readonly unknown[]) =>
    superuser.query(
      `update settlement_batches set settle_currency = $2, settle_minor = $3, quote_id = $4, quote_price = $5 where batch_id = $1`,
      [batchId, ...to],
    );
  await change(["USD", 2792, "QUOTE_1", "1.0832"]);
  const { settlements } = await inquire({ batchId });
  assert.partialDeepStrictEqual(settlements, [
    {
      net: "2578",
      settlementAmount: { currency: "USD", value: "2792" },
      settlementQuote: { quoteId: "QUOTE_1", quoteCurrencyPair: "EUR/USD", quotePrice: "1.0832" },
    },
  ]);
  await change([undefined, undefined, undefined, undefined]);
  const [plain] = (await inquire({ batchId }))["settlements"] as Record<string, unknown>[];
  assert.ok(plain && !("settlementAmount" in plain) && !("settlementQuote" in plain));
});

test("a batch is found by the end-to-end id of any of its payouts", async () => {
  for (const id of payoutIds) {
    const { settlements, items } = await inquire({ batchId: id });
    assert.partialDeepStrictEqual(settlements, [{ batchId }]);
    assert.equal((items as readonly object[]).length, 3);
  }
});

test("its movements are listed page by page, lead to their payments, and sum to the payout", async () => {
  const items: Record<string, unknown>[] = [];
  let cursor: unknown;
  do {
    const page = await inquire({ batchId, limit: 1, ...(cursor !== undefined && { cursor }) });
    items.push(...(page["items"] as Record<string, unknown>[]));
    cursor = page["nextCursor"];
  } while (cursor !== undefined);
  assert.deepEqual(
    items.map(({ paymentId }) => paymentId),
    [paymentIds[0], paymentIds[1], paymentIds[0]],
  );
  const net = items.reduce((sum, item) => sum + Number(item["net"]), 0);
  assert.equal(net, sums.net_minor);
});

test("no filter and no other merchant finds a merchant's batches", async () => {
  for (const filter of [{ currency: "JPY" }, { fromDay: "2026-11-17" }, { toDay: "2026-11-15" }])
    assert.deepEqual((await inquire(filter))["settlements"], [], JSON.stringify(filter));
  const outsider = await newMerchant(database);
  assert.deepEqual((await inquire({}, outsider))["settlements"], []);
  const refused = (await inquire({ batchId }, outsider))["result"] as Record<string, unknown>;
  assert.equal(refused["resultCode"], "PARAM_ILLEGAL");
});
