import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { bucketOf } from "../core/bucket.ts";
import { newId, type IdKind } from "../core/id.ts";
import { writeReport } from "../operators/ledger/write-report.ts";
import { dropChecks, insertGeneratedRow } from "../../test/examples/generated-row.ts";
import { connectAs, transactionOn } from "../../test/start/test-connection.ts";
import { newTestDatabase } from "../../test/start/test-database.ts";
import { insertEffect } from "../ledger/transfer.sql.ts";
import {
  disputeFreezeEffect,
  payableAccount,
  receivableAccount,
  refundEffect,
  refundReversalEffect,
  type Effect,
} from "../ledger/transfer.ts";
import { findReport } from "./report.sql.ts";
import { reportColumns, reportEnd, reportHead, type ReportRequest, type ReportName } from "./report.ts";

const database = await newTestDatabase("sandbox");
const clientId = "SANDBOX_COFFEE";
const key = { bucket: bucketOf(clientId), clientId };
const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
const superuser = await connectAs(clientId, database.superuserUrl);
const reader = await connectAs(clientId, database.appUrl);
await dropChecks(superuser);

const batchKey = { bucket: key.bucket, client_id: clientId, currency: "EUR" };
const at = new Date("2026-11-16T10:00:00Z");
let recordCount = 0;
const idOf = (kind: IdKind): string =>
  newId(kind, key.bucket, new Date(at.getTime() + (recordCount += 1)), () => recordCount);
const batchId = idOf("settlementBatch");

async function post(subjectId: string, effect: Effect, time: Date, isInBatch = true): Promise<void> {
  const tx = transactionOn(superuser);
  insertEffect(tx, { ...key, subjectId }, effect, time);
  await Promise.all(tx.written);
  if (isInBatch)
    await insertGeneratedRow(superuser, "settlement_items", {
      bucket: key.bucket,
      client_id: clientId,
      subject_id: subjectId,
      effect: effect.name,
      batch_id: batchId,
    });
}

function sale(minor: bigint): Effect {
  const amount = (part: bigint) => ({ currency: "EUR", minor: part });
  const debit = payableAccount(clientId);
  return {
    name: "payment",
    transfers: [
      { debit: receivableAccount("w"), credit: debit, amount: amount(minor) },
      { debit, credit: "fee revenue", amount: amount(minor / 50n) },
      { debit, credit: "tax payable", amount: amount(minor / 200n) },
    ],
  };
}

await insertGeneratedRow(superuser, "settlement_batches", {
  ...batchKey,
  batch_id: batchId,
  status: "DUE",
  closed_at: new Date("2026-11-16T16:05:00Z"),
});
const paymentIds: string[] = [];
for (let sales = 0; sales < 5; sales += 1) {
  const paymentId = idOf("payment");
  paymentIds.push(paymentId);
  await insertGeneratedRow(superuser, "payments", {
    ...batchKey,
    payment_id: paymentId,
    // The interface allows every printable ASCII character in a request id.
    payment_request_id: sales === 1 ? "=HYPERLINK(A1)" : `order-${sales}`,
    order_description: sales === 0 ? '=cmd("no"), and two coffees' : "coffee",
    payment_method_type: "GCASH",
    product_code: "CASHIER_PAYMENT",
    status: "SUCCESS",
  });
  await post(paymentId, sale(BigInt(1000 + sales)), at);
}
const refundId = idOf("refund");
await insertGeneratedRow(superuser, "refunds", {
  ...batchKey,
  refund_id: refundId,
  refund_request_id: "refund-1",
  payment_id: paymentIds[0],
  status: "SUCCESS",
});
await post(refundId, refundEffect(clientId, "w", { currency: "EUR", minor: 350n }), at);
// A refund that failed three days after it succeeded. The fee changes of the refund are reversed with it.
const failedRefundId = idOf("refund");
const failedAt = new Date(at.getTime() + 3 * 24 * 3600 * 1000);
await insertGeneratedRow(superuser, "refunds", {
  ...batchKey,
  refund_id: failedRefundId,
  refund_request_id: "refund-2",
  payment_id: paymentIds[2],
  status: "FAIL",
  reversed_at: failedAt,
});
const failedRefund = [
  clientId,
  "w",
  { currency: "EUR", minor: 500n },
  { returned: { feeMinor: 10n, taxMinor: 2n }, charged: { feeMinor: 5n, taxMinor: 1n } },
] as const;
await post(failedRefundId, refundEffect(...failedRefund), at);
await post(failedRefundId, refundReversalEffect(...failedRefund), failedAt);
const disputeId = idOf("dispute");
await insertGeneratedRow(superuser, "disputes", {
  ...batchKey,
  dispute_id: disputeId,
  payment_id: paymentIds[1],
  status: "CREATED",
});
await post(disputeId, disputeFreezeEffect(clientId, { currency: "EUR", minor: 1001n }), at);
// Movements on another day and in no batch: a payout and a currency conversion, which are not transactions.
await post(idOf("payment"), sale(9999n), new Date("2026-11-16T16:00:00Z"), false);
const payout = { debit: payableAccount(clientId), credit: `payout in transit ${clientId}` };
await superuser.query(
  `insert into ledger_transfers (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
   values ($1, 'a payout', 'payout', 1, $2, $3, $4, 'EUR', 77, $5), ($1, 'a batch', 'exchange', 1, $2, $3, 'exchange EUR/USD', 'EUR', 5, $5)`,
  [key.bucket, clientId, payout.debit, payout.credit, at],
);

const ofBatch = (report: ReportName): ReportRequest => ({ report, batchId });
const ofDay: ReportRequest = { report: "TRANSACTION_DETAIL", fromDay: "2026-11-16" };

/** Parses CSV (RFC 4180) for the fields of these reports, in which quoted fields have no line breaks. */
function cellsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
  );
}

async function recordsOf(request: ReportRequest): Promise<readonly Readonly<Record<string, string>>[]> {
  const lines: string[] = [];
  let cursor: string | undefined;
  do {
    const part = await findReport(transactionOn(reader), key, {
      ...request,
      ...(cursor !== undefined && { cursor }),
    });
    assert.ok("lines" in part, JSON.stringify(part));
    lines.push(...part.lines);
    cursor = part.nextCursor;
  } while (cursor !== undefined);
  const head = reportHead(request.report);
  return lines.map((line) =>
    Object.fromEntries(cellsOf(line).map((cell, index) => [head[index] ?? "", cell])),
  );
}

test("columns are those of this family of interfaces, each once", () => {
  for (const [report, count] of [
    ["TRANSACTION_DETAIL", 74],
    ["SETTLEMENT_DETAIL", 65],
    ["SETTLEMENT_SUMMARY", 8],
  ] as const) {
    assert.equal(new Set(reportHead(report)).size, reportHead(report).length);
    assert.equal(reportHead(report).length, count, report);
  }
  assert.equal(
    reportColumns.filter(({ name }) =>
      /FeeAmountValue$|MarkupAmountValue$|^withholdingTaxAmountValue$|^disputeHandlingFee$/.test(name),
    ).length,
    17,
  );
});

test("the settled amount is the moved amount plus all fees with their signs", async () => {
  const records = await recordsOf(ofDay);
  assert.equal(records.length, 8);
  for (const record of records) {
    const fees = reportColumns.filter(({ name }) =>
      /(?:Fee|Markup|Tax)AmountValue$|^disputeHandlingFee$/.test(name),
    );
    const sum = fees.reduce(
      (all, { name }) => all + Number(record[name] ?? 0),
      Number(record["transactionAmountValue"]),
    );
    assert.equal(sum.toFixed(2), record["settlementAmountValue"]);
  }
});

test("a line has our ids and the merchant's ids", async () => {
  const records = await recordsOf(ofDay);
  const [sold] = records.filter(({ transactionId }) => transactionId === paymentIds[0]);
  assert.equal(sold?.["transactionRequestId"], "order-0");
  assert.equal(sold["originalTransactionRequestId"], "");
  assert.equal(sold["orderDescription"], `'=cmd("no"), and two coffees`);
  assert.equal(sold["settlementBatchId"], batchId);
  const [refunded] = records.filter(({ transactionType }) => transactionType === "REFUND");
  assert.deepEqual(
    [
      "transactionRequestId",
      "originalTransactionRequestId",
      "originalTransactionId",
      "transactionAmountValue",
    ].map((name) => refunded?.[name]),
    ["refund-1", "order-0", paymentIds[0], "-3.50"],
  );
  const [disputed] = records.filter(({ transactionType }) => transactionType === "DISPUTE");
  assert.deepEqual([disputed?.["transactionId"], disputed?.["transactionRequestId"]], [disputeId, ""]);
});

test("a refund that failed later is a row of its own, on the day of the failure", async () => {
  const failureDay: ReportRequest = { report: "TRANSACTION_DETAIL", fromDay: "2026-11-19" };
  const isReversal = ({ transactionType }: Readonly<Record<string, string>>): boolean =>
    transactionType === "REFUND_REVERSAL";
  const [reversed, ...others] = await recordsOf(failureDay);
  assert.deepEqual(others, []);
  const [settled] = (await recordsOf(ofBatch("SETTLEMENT_DETAIL"))).filter(isReversal);
  for (const record of [reversed, settled])
    assert.partialDeepStrictEqual(record, {
      transactionType: "REFUND_REVERSAL",
      transactionId: failedRefundId,
      transactionRequestId: "refund-2",
      originalTransactionRequestId: "order-2",
      originalTransactionId: paymentIds[2],
      transactionAmountValue: "5.00",
      paymentMethodFeeAmountValue: "-0.05",
      taxFeeAmountValue: "-0.01",
      settlementAmountValue: "4.94",
      settlementBatchId: batchId,
    });
});

test("a request id that begins like a formula gets an apostrophe prefix (CSV injection)", async () => {
  const records = await recordsOf(ofDay);
  const [sold] = records.filter(({ transactionId }) => transactionId === paymentIds[1]);
  const [disputed] = records.filter(({ transactionType }) => transactionType === "DISPUTE");
  assert.equal(sold?.["transactionRequestId"], "'=HYPERLINK(A1)");
  assert.equal(disputed?.["originalTransactionRequestId"], "'=HYPERLINK(A1)");
});

test("the report is the same for every page size", async () => {
  for (const request of [ofDay, ofBatch("SETTLEMENT_DETAIL")])
    for (const limit of [1, 2, 3, 7])
      assert.deepEqual(await recordsOf({ ...request, limit }), await recordsOf(request));
});

test("a summary has the sums of the details, and the last line is the total", async () => {
  const details = await recordsOf(ofBatch("SETTLEMENT_DETAIL"));
  const summary = await recordsOf(ofBatch("SETTLEMENT_SUMMARY"));
  const cents = (record: Readonly<Record<string, string>>): number =>
    Math.round(Number(record["settlementAmountValue"]) * 100);
  assert.deepEqual(
    summary.map(({ summaryType, count }) => [summaryType, count]),
    [
      ["DISPUTE", "1"],
      ["PAYMENT", "5"],
      ["REFUND", "2"],
      ["REFUND_REVERSAL", "1"],
      ["TOTAL", "9"],
    ],
  );
  for (const line of summary) {
    const parts = details.filter(({ transactionType }) =>
      [transactionType, "TOTAL"].includes(line["summaryType"] ?? ""),
    );
    assert.equal(
      cents(line),
      parts.reduce((sum, part) => sum + cents(part), 0),
    );
    assert.equal(line["settlementInitiatedDate"], "2026-11-17");
  }
});

test("a converted batch has its FX rate in each line, and the converted amount in the total", async () => {
  const change = (to: readonly unknown[]) =>
    superuser.query(
      `update settlement_batches set settle_currency = $2, settle_minor = $3, quote_id = $4, quote_price = $5 where batch_id = $1`,
      [batchId, ...to],
    );
  await change(["JPY", 6040, "QUOTE_1", "163.240"]);
  const names = [
    "transactionCurrency",
    "convertedTransactionAmountValue",
    "convertedCurrency",
    "settlementAmountValue",
    "settlementCurrency",
    "quoteCurrencyPair",
    "quotePrice",
  ];
  for (const record of await recordsOf(ofBatch("SETTLEMENT_DETAIL")))
    assert.deepEqual(
      names.map((name) => record[name]),
      ["EUR", "", "", "", "JPY", "EUR/JPY", "163.24"],
    );
  const summary = await recordsOf(ofBatch("SETTLEMENT_SUMMARY"));
  assert.deepEqual(
    summary.map((line) => [line["summaryType"], line["settlementAmountValue"], line["settlementCurrency"]]),
    [
      ["DISPUTE", "", "JPY"],
      ["PAYMENT", "", "JPY"],
      ["REFUND", "", "JPY"],
      ["REFUND_REVERSAL", "", "JPY"],
      ["TOTAL", "6040", "JPY"],
    ],
  );
  await change([undefined, undefined, undefined, undefined]);
});

test("a file has its own name, a header, lines and an end marker", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-reports-"));
  const { lineCount } = await writeReport(operator, { ...ofDay, clientId, folder });
  await writeReport(operator, { ...ofBatch("SETTLEMENT_SUMMARY"), clientId, folder });
  assert.deepEqual((await readdir(folder)).toSorted(), [
    `SETTLEMENT_SUMMARY_${batchId}_20261117.csv`,
    `TRANSACTION_DETAIL_${clientId}_20261116.csv`,
  ]);
  const text = await readFile(join(folder, `TRANSACTION_DETAIL_${clientId}_20261116.csv`), "utf8");
  const lines = text.split("\r\n");
  assert.equal(lines.length, 1 + lineCount + 2);
  assert.deepEqual(lines.slice(-2), [reportEnd, ""]);
  await assert.rejects(
    writeReport(operator, { ...ofBatch("SETTLEMENT_DETAIL"), batchId: "none", clientId, folder }),
    /no such batch/,
  );
});
