import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  bankReport,
  ourBank,
  newSettlementFixture,
  statusReport,
  type ExampleBookedEntry,
} from "../../../test/examples/settlement-fixture.ts";
import { prepareTestGateway, writeTestFile } from "../../../test/start/test-gateway.ts";
import { reconcile } from "../../reconciliation/reconcile.workflow.ts";
import { importBankReports, type ImportedReports } from "./import-bank-reports.workflow.ts";
import { findPayouts, runPayouts } from "./run-payouts.workflow.ts";
import { closeSettlement } from "../close-settlement.workflow.ts";

const { database } = await prepareTestGateway("sandbox");
const fixture = newSettlementFixture(database);
const { operator } = fixture;
const folder = mkdtempSync(join(tmpdir(), "tollgate-bank-events-"));
const payoutRun = { bank: ourBank, folder, format: "pain.001.001.09" } as const;
await fixture.openBank();

interface Given {
  readonly clientId: string;
  readonly payoutId: string;
  /** The payout's end-to-end id. */
  readonly endToEndId: string;
  readonly fileId: string;
}

/** Creates a payout of EUR 40.00 whose file the bank has. */
async function givenSent(): Promise<Given> {
  const clientId = await dueMerchant();
  await runPayouts(operator, payoutRun);
  return sentOf(clientId);
}

async function dueMerchant(): Promise<string> {
  const clientId = await fixture.openMerchant();
  await fixture.postPayment(clientId, 4000n, "2026-10-05T10:00:00Z");
  await closeSettlement(operator, { day: "2026-10-05" });
  return clientId;
}

async function sentOf(clientId: string): Promise<Given> {
  const [row] = await fixture.rows<{ payout_id: string; end_to_end_id: string; file_id: string }>(
    "select payout_id, end_to_end_id, file_id from payouts where client_id = $1 and status = 'SENT'",
    clientId,
  );
  assert.ok(row);
  return { clientId, payoutId: row.payout_id, endToEndId: row.end_to_end_id, fileId: row.file_id };
}

let files = 0;
const importText = (text: string): Promise<ImportedReports> =>
  importBankReports(operator, writeTestFile(`bank-${(files += 1)}.xml`, text));

const statusOf = async (clientId: string): Promise<string | undefined> =>
  (await findPayouts(operator, { clientId, limit: 1 }))[0]?.status;

/** Runs payouts again; returns the merchant's balance before the run, and the number of payouts. */
async function dueAgain(clientId: string): Promise<readonly [owedMinor: bigint, payoutCount: number]> {
  const owed = await fixture.owedMinor(clientId);
  const repeatedPayouts = (await runPayouts(operator, payoutRun)).claimed.filter(
    (each) => each.clientId === clientId,
  );
  return [owed, repeatedPayouts.length];
}

async function breaksOf({ endToEndId }: Given): Promise<readonly string[]> {
  const { breaks } = await reconcile(operator, { connector: undefined, until: undefined });
  return breaks.filter(({ reference }) => reference === endToEndId).map(({ kind }) => kind);
}

const audited = async (act: string): Promise<number> => {
  const [row] = await fixture.rows<{ count: number }>(
    "select count(*)::int as count from audit where act = $1",
    act,
  );
  return row?.count ?? 0;
};

for (const reason of ["DU01", "DU02", "DU03", "DU04", "DU05", "AM05"])
  test(`${reason}: a message that the bank rejects as a duplicate makes no payout due again`, async () => {
    const payout = await givenSent();
    const before = await audited("payout import");
    const report = statusReport(payout.fileId, [], "RJCT", reason);
    const imported = await importText(report);
    assert.equal(imported.duplicateCount, 1);
    assert.equal(imported.failedCount, 0);
    assert.equal(await statusOf(payout.clientId), "SENT");
    assert.deepEqual(await dueAgain(payout.clientId), [0n, 0]);
    assert.equal(await audited("payout import"), before + 1, "the audit has it");
    await importText(report);
    assert.equal(await audited("payout import"), before + 1, "the same report again changes nothing");
  });

test("a transaction that the bank rejects as a duplicate is not due again", async () => {
  const { clientId, endToEndId, fileId } = await givenSent();
  const imported = await importText(statusReport(fileId, [{ endToEndId, status: "RJCT", reason: "AM05" }]));
  assert.partialDeepStrictEqual(imported, { duplicateCount: 1, failedCount: 0 });
  assert.equal(await statusOf(clientId), "SENT");
});

test("a rejected message does not change an executed payout: the contradiction is listed", async () => {
  const payout = await givenSent();
  const { clientId, endToEndId, fileId } = payout;
  await importText(statusReport(fileId, [{ endToEndId, status: "ACSC" }]));
  const rejected = await importText(statusReport(fileId, [], "RJCT", "FF01"));
  assert.equal(rejected.returnedCount, 0);
  assert.deepEqual(
    rejected.contradictions.map((each) => each.payoutId),
    [payout.payoutId],
  );
  assert.equal(await statusOf(clientId), "PAID");
  assert.deepEqual(await dueAgain(clientId), [0n, 0]);
  assert.deepEqual(await breaksOf(payout), ["payout contradiction"]);
});

test("a group status does not override a transaction's own status, even if that is only accepted", async () => {
  const clientIds = [await dueMerchant(), await dueMerchant()];
  await runPayouts(operator, payoutRun);
  const [ownPayout, otherPayout] = await Promise.all([
    sentOf(clientIds[0] ?? ""),
    sentOf(clientIds[1] ?? ""),
  ]);
  assert.equal(ownPayout.fileId, otherPayout.fileId);
  await importText(
    statusReport(ownPayout.fileId, [{ endToEndId: ownPayout.endToEndId, status: "ACSP" }], "RJCT", "FF01"),
  );
  assert.equal(await statusOf(ownPayout.clientId), "SENT");
  assert.equal(await statusOf(otherPayout.clientId), "FAILED");
});

const fullDebit = { amount: "40.00", isCredit: false, reference: "D-1", day: "2026-11-16" } as const;
const back = { amount: "40.00", isCredit: true, reference: "C-1", day: "2026-11-17" } as const;

/** Cases of bank entries with the reference of a payout of EUR 40.00, with the payout's expected status. */
const cases: readonly (readonly [
  string,
  readonly Omit<ExampleBookedEntry, "endToEndId">[],
  { readonly status: string; readonly breaks: readonly string[]; readonly due?: bigint },
])[] = [
  ["a debit", [fullDebit], { status: "PAID", breaks: [] }],
  ["a debit and its return", [fullDebit, back], { status: "RETURNED", breaks: [], due: 4000n }],
  ["a return, and then its debit", [back, fullDebit], { status: "RETURNED", breaks: [], due: 4000n }],
  [
    "a return known by its bank transaction code",
    [fullDebit, { ...back, returnReason: null, subFamily: "RRTN" }],
    { status: "RETURNED", breaks: [], due: 4000n },
  ],
  [
    "the full amount without a return code",
    [fullDebit, { ...back, returnReason: null }],
    { status: "PAID", breaks: ["payout discrepancy"] },
  ],
  [
    "a charge that is given back",
    [fullDebit, { ...back, amount: "1.50", returnReason: null }],
    { status: "PAID", breaks: ["payout discrepancy"] },
  ],
  [
    "a charge",
    [fullDebit, { ...fullDebit, amount: "1.50", reference: "D-2" }],
    { status: "PAID", breaks: ["payout discrepancy"] },
  ],
  [
    "a charge, and the same charge given back",
    [
      fullDebit,
      { ...fullDebit, amount: "1.50", reference: "D-2" },
      { ...back, amount: "1.50", returnReason: null },
    ],
    { status: "PAID", breaks: [] },
  ],
  [
    "a return with charges deducted",
    [fullDebit, { ...back, amount: "38.50" }],
    { status: "PAID", breaks: ["payout discrepancy"] },
  ],
  [
    "a return in another currency",
    [fullDebit, { ...back, currency: "USD" }],
    { status: "PAID", breaks: ["payout discrepancy"] },
  ],
  ["another amount", [{ ...fullDebit, amount: "39.99" }], { status: "SENT", breaks: ["payout discrepancy"] }],
  [
    "a debit, its reversal, and the debit again",
    [
      fullDebit,
      { ...back, isReversal: true, returnReason: null },
      { ...fullDebit, reference: "D-2", day: "2026-11-18" },
    ],
    { status: "PAID", breaks: [] },
  ],
  [
    "a debit and its reversal",
    [fullDebit, { ...back, isReversal: true, returnReason: null }],
    { status: "PAID", breaks: ["payout discrepancy"] },
  ],
  [
    "two debits",
    [fullDebit, { ...fullDebit, reference: "D-2" }],
    { status: "PAID", breaks: ["payout discrepancy"] },
  ],
];

for (const [name, entries, expected] of cases)
  test(`${name}: ${expected.status}, with each entry in a separate file`, async () => {
    const payout = await givenSent();
    const { clientId, endToEndId } = payout;
    for (const [index, entry] of entries.entries()) {
      const text = bankReport([{ ...entry, endToEndId }], { id: `${endToEndId}-${index}` });
      await importText(text);
      await importText(text);
    }
    assert.equal(await statusOf(clientId), expected.status);
    assert.deepEqual(await breaksOf(payout), expected.breaks);
    assert.equal((await dueAgain(clientId))[0], expected.due ?? 0n);
  });

test("a payout is executed if the account reverses its entry and books it again in one file", async () => {
  const { clientId, endToEndId } = await givenSent();
  const reversed = { ...back, isReversal: true, returnReason: null };
  const rebooked = { ...fullDebit, reference: "D-2" };
  await importText(bankReport([fullDebit, reversed, rebooked].map((each) => ({ ...each, endToEndId }))));
  assert.equal(await statusOf(clientId), "PAID");
  assert.deepEqual(await dueAgain(clientId), [0n, 0]);
});

test("an executed payout that the bank reverses on the account and rejects in a report is returned, in any order", async () => {
  for (const isReportFirst of [true, false]) {
    const { clientId, endToEndId, fileId } = await givenSent();
    const reversed = { ...back, isReversal: true, returnReason: null, endToEndId };
    const account = (): Promise<unknown> => importText(bankReport([reversed], { id: `R-${endToEndId}` }));
    const report = (): Promise<unknown> =>
      importText(statusReport(fileId, [{ endToEndId, status: "RJCT", reason: "AC04" }]));
    await importText(bankReport([{ ...fullDebit, endToEndId }]));
    for (const step of isReportFirst ? [report, account] : [account, report]) await step();
    assert.equal(await statusOf(clientId), "RETURNED");
  }
});

test("an entry in both camt.054 and camt.053 counts once", async () => {
  const payout = await givenSent();
  const entries = [{ ...fullDebit, endToEndId: payout.endToEndId }];
  await importText(bankReport(entries));
  await importText(bankReport(entries, { kind: "camt.053", id: `S-${payout.endToEndId}` }));
  assert.equal(await statusOf(payout.clientId), "PAID");
  assert.deepEqual(await breaksOf(payout), []);
});

test("a debit after the payout failed is listed, and the other payouts of the statement are imported", async () => {
  const [failed, fine] = [await givenSent(), await givenSent()];
  const { endToEndId, fileId } = failed;
  await importText(statusReport(fileId, [{ endToEndId, status: "RJCT", reason: "AC01" }]));
  const text = bankReport([
    { ...fullDebit, endToEndId },
    { ...fullDebit, endToEndId: fine.endToEndId, reference: "D-9" },
  ]);
  for (const paidCount of [1, 0]) {
    const imported = await importText(text);
    assert.equal(imported.paidCount, paidCount, "the same file again changes nothing");
    assert.deepEqual(
      imported.contradictions.map((each) => each.payoutId),
      [failed.payoutId],
    );
  }
  assert.deepEqual([await statusOf(failed.clientId), await statusOf(fine.clientId)], ["FAILED", "PAID"]);
  assert.deepEqual(await breaksOf(failed), ["payout contradiction"]);
});

test("a status report with executed for a failed payout is listed, and its other payouts are imported", async () => {
  const [failed, fine] = [await givenSent(), await givenSent()];
  await importText(
    statusReport(failed.fileId, [{ endToEndId: failed.endToEndId, status: "RJCT", reason: "AC01" }]),
  );
  const { paidCount, contradictions } = await importText(
    statusReport(failed.fileId, [
      { endToEndId: failed.endToEndId, status: "ACSC" },
      { endToEndId: fine.endToEndId, status: "ACSC" },
    ]),
  );
  assert.deepEqual([paidCount, contradictions.length], [1, 1]);
  assert.deepEqual(await breaksOf(failed), ["payout contradiction"]);
});

test("an unknown end-to-end id belongs to another party's entry", async () => {
  const imported = await importText(bankReport([{ ...fullDebit, endToEndId: "INVOICE-7" }]));
  assert.partialDeepStrictEqual(imported, { foreignCount: 1, paidCount: 0 });
  await assert.rejects(
    importText(statusReport("MESSAGE-OF-ANOTHER", [{ endToEndId: "INVOICE-7", status: "ACSC" }])),
    /MESSAGE-OF-ANOTHER|INVOICE-7/,
  );
});
