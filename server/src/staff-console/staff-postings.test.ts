import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { settlementCsv } from "../../test/examples/settlement-csv.ts";
import { exampleStatements } from "../../test/examples/example-statement.ts";
import {
  dailyTerms,
  ourBank,
  newSettlementFixture,
  statusReport,
} from "../../test/examples/settlement-fixture.ts";
import { createStaffLogins } from "../../test/start/staff-logins.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { newKeyPair, prepareTestGateway, writeTestFile } from "../../test/start/test-gateway.ts";
import { importBankStatements } from "../reconciliation/import-bank-statement.workflow.ts";
import { addConnector } from "../operators/providers/connector-settings.ts";
import { bookDeal, setQuote } from "../operators/ledger/fx.ts";
import { importBankReports } from "../settlement/payouts/import-bank-reports.workflow.ts";
import { runPayouts } from "../settlement/payouts/run-payouts.workflow.ts";
import { closeSettlement } from "../settlement/close-settlement.workflow.ts";
import { importSettlementFile } from "../reconciliation/import-settlement-file.workflow.ts";

/**
 * This test makes every posting of finance's commands with a login of tollgate_finance. PostgreSQL must find the record
 * that belongs to each posting.
 */
const { database } = await prepareTestGateway("sandbox");
const { openBank, openMerchant, postPayment, rows } = newSettlementFixture(database);
const { loginOf, urlOf } = await createStaffLogins(database, { fay: "finance" } as const);
// An import needs the privilege to create temporary tables, because it copies its file into one.
await asSuperuser(
  `grant temporary on database ${new URL(database.ownerUrl).pathname.slice(1)} to ${loginOf("fay")}`,
);
const finance = { url: urlOf("fay"), environment: "sandbox", by: { name: "fay" } } as const;
const folder = mkdtempSync(join(tmpdir(), "tollgate-postings-"));

const effects = async (): Promise<readonly string[]> =>
  (
    await rows<{ effect: string }>(
      "select distinct effect from ledger_transfers where effect <> 'payment' order by 1",
    )
  ).map(({ effect }) => effect);

test("finance can post the movements of a provider's file and of a bank statement", async () => {
  const { publicKeyFile } = await newKeyPair("provider");
  const provider = { url: "http://127.0.0.1:9", partnerId: "us", publicKeyFile, paymentMethodTypes: ["*"] };
  await addConnector(database.ownerUrl, "sandbox", { name: "gcash", simulator: true, ...provider });
  const lines = [
    "fee,,F-1,,EUR,25,2026-11-16T10:00:00Z",
    "fee,,F-2,,EUR,-5,2026-11-16T10:00:00Z",
    "payout,,P 1,,EUR,900,2026-11-16T10:00:00Z",
    "adjustment,,A-1,,EUR,7,2026-11-16T10:00:00Z",
    "adjustment,,A-2,,EUR,-3,2026-11-16T10:00:00Z",
  ];
  const file = writeTestFile("settlement.csv", settlementCsv(lines));
  await importSettlementFile(finance, { connector: "gcash", file });
  const entries = [
    { reference: "B-1", minor: 900 },
    { reference: "B 2", minor: -12 },
  ];
  const statement = { id: "S1", day: "2026-11-17", opening: -500, entries };
  await importBankStatements(finance, {
    bank: "b",
    file: writeTestFile("s.xml", exampleStatements(statement)),
  });
  assert.deepEqual(await effects(), [
    "bank entry",
    "bank opening",
    "provider adjustment",
    "provider fee",
    "provider payout",
  ]);
  assert.equal((await rows("select from ledger_transfers")).length, 8);
});

test("finance can post batches with a reserve or another currency, payouts, and their results", async () => {
  await openBank();
  await openBank("USD");
  const euro = await openMerchant({ terms: { ...dailyTerms, reserveBasisPoints: 1_000, reserveDays: 1 } });
  const dollar = await openMerchant({ terms: { ...dailyTerms, settleIn: "USD" } });
  await setQuote(finance, {
    pair: "EUR/USD",
    price: "1.25",
    marginMillionths: 0n,
    from: "2026-01-01",
    until: "2099-01-01",
  });
  for (const clientId of [euro, dollar]) await postPayment(clientId, 10_000n, "2026-11-10T10:00:00Z");
  await closeSettlement(finance, { day: "2026-11-10" });
  await postPayment(euro, 5_000n, "2026-11-12T10:00:00Z");
  await closeSettlement(finance, { day: "2026-11-12" });
  await bookDeal(finance, { pair: "EUR/USD", reference: "FX-1", soldMinor: 4_000n, boughtMinor: 5_050n });
  const { claimed } = await runPayouts(finance, {
    bank: ourBank,
    day: "2026-11-17",
    folder,
    format: "pain.001.001.09",
  });
  assert.ok(claimed.length >= 2, "payouts were claimed");
  const [first, second] = claimed;
  const importStatus = async (endToEndId: string, status: string): Promise<void> => {
    const [sent] = await rows<{ file_id: string }>(
      "select file_id from payouts where payout_id = $1",
      endToEndId,
    );
    const text = statusReport(sent?.file_id ?? "", [{ endToEndId, status }]);
    await importBankReports(finance, writeTestFile(`${endToEndId}.xml`, text));
  };
  await importStatus(first?.payoutId ?? "", "ACSC");
  await importStatus(second?.payoutId ?? "", "RJCT");
  const found = await effects();
  for (const effect of [
    "exchange",
    "exchange bought",
    "exchange difference",
    "exchange sold",
    "payout",
    "payout failed",
    "payout paid",
    "reserve hold",
    "reserve release",
  ])
    assert.ok(found.includes(effect), `${effect}: ${found.join(", ")}`);
  const audited = await rows("select from audit where login = $1 and actor_kind = 'sql'", loginOf("fay"));
  assert.ok(audited.length > 0, "steps of a command without an act of their own are in the audit");
});
