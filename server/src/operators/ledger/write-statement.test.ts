import assert from "node:assert/strict";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { bucketOf } from "../../core/bucket.ts";
import { pdfText, popplerMissing, textLines } from "../../../test/documents/pdf-text.ts";
import { connectAs, transactionOn } from "../../../test/start/test-connection.ts";
import { newTestDatabase } from "../../../test/start/test-database.ts";
import { insertEffect } from "../../ledger/transfer.sql.ts";
import { payableAccount, receivableAccount, refundEffect, type Effect } from "../../ledger/transfer.ts";
import { writeStatement } from "./write-statement.ts";

const database = await newTestDatabase("sandbox");
const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
const clientId = "SANDBOX_COFFEE";
const connection = await connectAs(clientId, database.appUrl);
const sale: Effect = {
  name: "payment",
  transfers: [
    {
      debit: receivableAccount("w"),
      credit: payableAccount(clientId),
      amount: { currency: "EUR", minor: 1250n },
    },
    { debit: payableAccount(clientId), credit: "fee revenue", amount: { currency: "EUR", minor: 36n } },
  ],
};
const times: readonly (readonly [Effect, string])[] = [
  [sale, "2026-10-31T15:59:59.999Z"],
  [sale, "2026-10-31T16:00:00Z"],
  [refundEffect(clientId, "w", { currency: "EUR", minor: 5000n }), "2026-11-02T10:00:00Z"],
  [sale, "2026-11-30T16:00:00Z"],
];
for (const [index, [effect, at]] of times.entries()) {
  const tx = transactionOn(connection);
  insertEffect(
    tx,
    { bucket: bucketOf(clientId), clientId, subjectId: `subject-${index}` },
    effect,
    new Date(at),
  );
  await Promise.all(tx.written);
}
const folder = await mkdtemp(join(tmpdir(), "tollgate-statement-"));
const request = { clientId, currency: "EUR", month: "2026-11" } as const;

test("a monthly statement has each movement from the opening to the closing balance", async () => {
  const file = join(folder, "november.csv");
  assert.equal((await writeStatement(operator, { ...request, format: "csv", file })).lineCount, 2);
  assert.deepEqual((await readFile(file, "utf8")).trimEnd().split("\r\n").slice(1), [
    ",,,opening,,,,,12.14,EUR",
    "2026-11-01,2026-10-31T16:00:00.000Z,subject-1,payment,12.50,-0.36,0.00,12.14,24.28,EUR",
    "2026-11-02,2026-11-02T10:00:00.000Z,subject-2,refund,-50.00,0.00,0.00,-50.00,-25.72,EUR",
    ",,,closing,,,,,-25.72,EUR",
  ]);
});

test("the PDF is byte-identical each time and has the same amounts", async () => {
  const [firstFile, secondFile] = ["first.pdf", "again.pdf"].map((name) => join(folder, name)) as [
    string,
    string,
  ];
  await writeStatement(operator, { ...request, format: "pdf", file: firstFile });
  await writeStatement(operator, { ...request, format: "pdf", file: secondFile });
  const pdf = await readFile(firstFile);
  assert.ok(pdf.equals(await readFile(secondFile)));
  assert.match(pdf.toString("latin1"), /^%PDF-1\.5\n/);
});

test(
  "an independent PDF reader finds the same data as in the database",
  { skip: popplerMissing },
  async () => {
    const file = join(folder, "read.pdf");
    await writeStatement(operator, { ...request, format: "pdf", file });
    assert.deepEqual(textLines(pdfText(await readFile(file))), [
      "Statement of account 2026-11",
      "Merchant: SANDBOX_COFFEE",
      "Currency: EUR",
      "Days end at midnight UTC+8.",
      "day gross fees tax net balance",
      "opening 12.14",
      "2026-11-01 12.50 -0.36 0.00 12.14 24.28",
      "2026-11-02 -50.00 0.00 0.00 -50.00 -25.72",
      "closing -25.72",
    ]);
  },
);
