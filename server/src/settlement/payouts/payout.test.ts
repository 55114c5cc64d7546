import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  bankReport,
  ibans,
  ourBank,
  newSettlementFixture,
  statusReport,
} from "../../../test/examples/settlement-fixture.ts";
import { connectAs, transactionOn } from "../../../test/start/test-connection.ts";
import { eventually } from "../../../test/start/test-process.ts";
import { bucketOf } from "../../core/bucket.ts";
import { reserveBalance } from "../../ledger/reserve.sql.ts";
import { newTestDatabase } from "../../../test/start/test-database.ts";
import { prepareTestGateway, writeTestFile } from "../../../test/start/test-gateway.ts";
import { approveAccount, requestAccount, findAccounts } from "./payout-accounts.workflow.ts";
import { importBankReports } from "./import-bank-reports.workflow.ts";
import { findPayouts, planPayouts, runPayouts } from "./run-payouts.workflow.ts";
import { closeSettlement, checkSettlement, type ClosedBatch } from "../close-settlement.workflow.ts";

const { database } = await prepareTestGateway("sandbox");
const fixture = newSettlementFixture(database);
const { operator } = fixture;
const folder = mkdtempSync(join(tmpdir(), "tollgate-payouts-"));
const payoutRun = { bank: ourBank, folder, format: "pain.001.001.09" } as const;
const close = async (day: string): Promise<readonly ClosedBatch[]> =>
  (await closeSettlement(operator, { day })).closed;
const inTransit = (clientId: string): Promise<bigint> => fixture.balance(`payout in transit ${clientId}`);
await fixture.openBank();

const batchesOf = (clientId: string): Promise<readonly object[]> =>
  fixture.rows(
    `select to_day::text as day, net_minor::int as net, carried_minor::int as carried, reserve_minor::int as reserve, status, waits_for as waits
     from settlement_batches where client_id = $1 order by to_day`,
    clientId,
  );

test("a batch has the movements until midnight UTC+8, each once, and a repeated close does nothing", async () => {
  const clientId = await fixture.openMerchant();
  await fixture.postPayment(clientId, 1000n, "2026-11-10T15:59:59.999Z", 200);
  await fixture.postPayment(clientId, 500n, "2026-11-10T16:00:00Z");
  await fixture.postRefund(clientId, 300n, "2026-11-10T10:00:00Z");
  const closed = (await close("2026-11-10")).filter((batch) => batch.clientId === clientId);
  assert.deepEqual(
    closed.map(({ sums, fromDay, toDay, dueDay }) => ({ sums, fromDay, toDay, dueDay })),
    [
      {
        sums: {
          gross: 1000n,
          refunds: -300n,
          disputes: 0n,
          fees: -20n,
          tax: 0n,
          other: 0n,
          reserve: 0n,
          carried: 0n,
          net: 680n,
          held: 0n,
        },
        fromDay: "2026-11-10",
        toDay: "2026-11-10",
        dueDay: "2026-11-10",
      },
    ],
  );
  assert.deepEqual(await close("2026-11-10"), []);
  // This payment is committed late, on a day that is already closed.
  await fixture.postPayment(clientId, 7n, "2026-11-10T12:00:00Z");
  assert.partialDeepStrictEqual(
    (await checkSettlement(operator)).filter((each) => each.clientId === clientId),
    [{ hasTerms: true, count: 1, minor: 7n }],
  );
  await close("2026-11-11");
  assert.deepEqual(await batchesOf(clientId), [
    { day: "2026-11-10", net: 680, carried: 0, reserve: 0, status: "DUE", waits: null },
    { day: "2026-11-11", net: 507, carried: 0, reserve: 0, status: "DUE", waits: null },
  ]);
  assert.deepEqual(
    (await checkSettlement(operator)).filter((each) => each.clientId === clientId),
    [],
  );
  assert.equal(await fixture.owedMinor(clientId), 680n + 507n);
});

test("a too small or negative sum is carried over, and a reserve is released after its days", async () => {
  const clientId = await fixture.openMerchant({
    terms: { minimumMinor: 1000n, reserveBasisPoints: 1000, reserveDays: 3 },
  });
  await fixture.postPayment(clientId, 900n, "2026-11-02T10:00:00Z");
  await fixture.postRefund(clientId, 1500n, "2026-11-03T10:00:00Z");
  await fixture.postPayment(clientId, 5000n, "2026-11-04T10:00:00Z");
  await close("2026-11-08");
  assert.deepEqual(await batchesOf(clientId), [
    { day: "2026-11-02", net: 810, carried: 0, reserve: -90, status: "CARRIED", waits: null },
    { day: "2026-11-03", net: -690, carried: 810, reserve: 0, status: "CARRIED", waits: null },
    { day: "2026-11-04", net: 3810, carried: -690, reserve: -500, status: "DUE", waits: null },
    { day: "2026-11-05", net: 90, carried: 0, reserve: 90, status: "CARRIED", waits: null },
    { day: "2026-11-07", net: 590, carried: 90, reserve: 500, status: "CARRIED", waits: null },
  ]);
  assert.equal(await fixture.balance(`merchant reserve ${clientId}`), 0n);
  assert.equal(await fixture.owedMinor(clientId), 3810n + 590n);
});

test("a payout is claimed, is in one file, and gets the bank's result; a failed one is paid again", async () => {
  const clientId = await fixture.openMerchant();
  await fixture.postPayment(clientId, 4000n, "2026-10-05T10:00:00Z");
  await close("2026-10-05");
  const ours = (each: { readonly clientId: string }): boolean => each.clientId === clientId;
  const plan = await planPayouts(operator, { bank: ourBank });
  assert.partialDeepStrictEqual(plan.payouts.filter(ours), [{ amount: { minor: 4000n } }]);
  assert.equal(await fixture.owedMinor(clientId), 4000n, "a dry run pays nothing");

  const ran = await runPayouts(operator, payoutRun);
  const [payout] = ran.claimed.filter(ours);
  assert.ok(payout);
  assert.deepEqual([await fixture.owedMinor(clientId), await inTransit(clientId)], [0n, -4000n]);
  const [file] = ran.files;
  assert.ok(file);
  const text = readFileSync(file.path, "utf8");
  assert.ok(text.includes(`<EndToEndId>${payout.payoutId}</EndToEndId>`));
  assert.ok(text.includes(`<IBAN>${ibans[0]}</IBAN>`));
  const repeatedRun = await runPayouts(operator, payoutRun);
  assert.deepEqual([repeatedRun.claimed.filter(ours), repeatedRun.files], [[], []]);

  // Rejected by the bank.
  const refused = writeTestFile(
    "refused.xml",
    statusReport(file.fileId, [{ endToEndId: payout.payoutId, status: "RJCT", reason: "AC01" }]),
  );
  assert.partialDeepStrictEqual(await importBankReports(operator, refused), {
    failedCount: 1,
    knownCount: 0,
  });
  assert.partialDeepStrictEqual(await importBankReports(operator, refused), {
    failedCount: 0,
    knownCount: 1,
  });
  assert.deepEqual([await fixture.owedMinor(clientId), await inTransit(clientId)], [4000n, 0n]);

  // Paid again, and executed.
  const second = (await runPayouts(operator, payoutRun)).claimed.find(ours);
  assert.ok(second);
  assert.notEqual(second.payoutId, payout.payoutId);
  const executed = writeTestFile(
    "executed.xml",
    bankReport([
      { endToEndId: second.payoutId, amount: "40.00", isCredit: false },
      { endToEndId: "SOMEBODY-ELSE", amount: "3.00", isCredit: true },
    ]),
  );
  assert.partialDeepStrictEqual(await importBankReports(operator, executed), {
    paidCount: 1,
    foreignCount: 1,
  });
  const clearing = await fixture.balance("clearing");
  assert.deepEqual(await batchesOf(clientId), [
    { day: "2026-10-05", net: 4000, carried: 0, reserve: 0, status: "PAID", waits: null },
  ]);

  // Returned by the merchant's bank.
  const returned = writeTestFile(
    "returned.xml",
    bankReport([{ endToEndId: second.payoutId, amount: "40.00", isCredit: true }]),
  );
  assert.partialDeepStrictEqual(await importBankReports(operator, returned), { returnedCount: 1 });
  assert.equal(await fixture.balance("clearing"), clearing + 4000n);
  assert.deepEqual([await fixture.owedMinor(clientId), await inTransit(clientId)], [4000n, 0n]);
  assert.deepEqual(
    (await findPayouts(operator, { clientId, limit: 10 })).map(({ status, reasonCode }) => [
      status,
      reasonCode,
    ]),
    [
      ["RETURNED", "AC04"],
      ["FAILED", "AC01"],
    ],
  );
});

test("a bank file with unknown payouts is rejected as a whole; a contradiction excludes one payout", async () => {
  const [merchant, otherMerchant] = [await fixture.openMerchant(), await fixture.openMerchant()];
  for (const clientId of [merchant, otherMerchant])
    await fixture.postPayment(clientId, 1000n, "2026-10-06T10:00:00Z");
  await close("2026-10-06");
  const { claimed, files } = await runPayouts(operator, payoutRun);
  const [first, second] = [merchant, otherMerchant].map(
    (id) => claimed.find(({ clientId }) => clientId === id)?.payoutId ?? "",
  );
  const fileId = files[0]?.fileId ?? "";
  const refusedFor = async (text: string, problem: RegExp): Promise<void> => {
    await assert.rejects(importBankReports(operator, writeTestFile("bad.xml", text)), problem);
    const payouts = await findPayouts(operator, { clientId: merchant, limit: 1 });
    assert.equal(payouts[0]?.status, "SENT");
  };
  const isPaid = { endToEndId: first ?? "", status: "ACSC" };
  const nobodys = (first ?? "").replace(/.$/, (digit) => String((Number(digit) + 1) % 10));
  await refusedFor(
    statusReport(fileId, [isPaid, { endToEndId: nobodys, status: "ACSC" }]),
    /were never sent: payout \d/,
  );
  await refusedFor(statusReport("NO-SUCH-FILE", [], "RJCT"), /were never sent: file NO-SUCH-FILE/);
  await refusedFor(
    statusReport(fileId, [isPaid, { endToEndId: second ?? "", status: "WHAT" }]),
    /unknown code: "WHAT"/,
  );
  // An entry with another amount than the payout's does not execute it.
  const otherReport = bankReport([{ endToEndId: first ?? "", amount: "9.99", isCredit: false }]);
  assert.partialDeepStrictEqual(await importBankReports(operator, writeTestFile("other.xml", otherReport)), {
    paidCount: 0,
    contradictions: [{ payoutId: first }],
  });
  // Accepted is not executed.
  const noted = statusReport(fileId, [{ endToEndId: first ?? "", status: "ACCP" }]);
  assert.partialDeepStrictEqual(await importBankReports(operator, writeTestFile("noted.xml", noted)), {
    notedCount: 1,
  });
  // The bank rejects the whole file, except for one executed payout.
  const rejectedFile = statusReport(fileId, [isPaid], "RJCT");
  await importBankReports(operator, writeTestFile("whole.xml", rejectedFile));
  assert.equal((await findPayouts(operator, { clientId: merchant, limit: 1 }))[0]?.status, "PAID");
  assert.equal((await findPayouts(operator, { clientId: otherMerchant, limit: 1 }))[0]?.status, "FAILED");
  const late = statusReport(fileId, [{ endToEndId: second ?? "", status: "ACSC" }]);
  assert.partialDeepStrictEqual(await importBankReports(operator, writeTestFile("late.xml", late)), {
    paidCount: 0,
    contradictions: [{ payoutId: second, problem: "is FAILED, but the bank reports executed" }],
  });
});

test("nothing is paid without an account, in its cooling-off period, or beyond the balance", async () => {
  const clientId = await fixture.openMerchant({ hasAccount: false });
  await fixture.postPayment(clientId, 2000n, "2026-10-07T10:00:00Z");
  await close("2026-10-07");
  const waits = async (): Promise<string | undefined> => {
    const ran = await runPayouts(operator, payoutRun);
    return ran.waiting.find((each) => each.clientId === clientId)?.waitsFor;
  };
  assert.equal(await waits(), "no bank account");
  const accountRequest = {
    currency: "EUR",
    holder: "Coffee Lab",
    iban: ibans[0],
    bic: undefined,
    waitHours: undefined,
  };
  const first = await requestAccount(operator, clientId, accountRequest);
  assert.equal(await waits(), "no bank account", "asked for is not approved");
  await approveAccount(operator, clientId, first.accountId);

  // A second bank account waits 72 hours after its approval. During this time the first account is no longer paid.
  const next = await requestAccount(operator, clientId, { ...accountRequest, iban: ibans[2] });
  assert.equal(next.waitHours, 72);
  await approveAccount(operator, clientId, next.accountId);
  assert.equal(await waits(), "cooling-off");
  assert.deepEqual(
    (await findAccounts(operator, { clientId, inFull: false })).map(({ iban }) => iban),
    ["GB29 … 6819"],
  );
  await fixture.rows("alter table bank_accounts disable trigger bank_account_is_of_two");
  await fixture.rows("update bank_accounts set usable_from = now() where account_id = $1", next.accountId);
  await fixture.rows("alter table bank_accounts enable trigger bank_account_is_of_two");

  // With an open refund, its amount is reserved in the merchant's balance.
  await fixture.rows(
    "insert into reserves (bucket, client_id, currency, open_refunds_minor) select bucket, client_id, 'EUR', 1 from clients where client_id = $1 on conflict (bucket, client_id, currency) do update set open_refunds_minor = 1",
    clientId,
  );
  assert.equal(await waits(), "not covered");
  assert.partialDeepStrictEqual(await batchesOf(clientId), [{ status: "DUE", waits: "not covered" }]);
  await fixture.rows("update reserves set open_refunds_minor = 0 where client_id = $1", clientId);
  assert.equal(await waits(), undefined);
  assert.equal(await inTransit(clientId), -2000n);
});

test("a refund and a payout never spend the same money: the second one waits for the lock and sees the first one's reservation", async () => {
  const clientId = await fixture.openMerchant();
  await fixture.postPayment(clientId, 1000n, "2026-10-08T10:00:00Z");
  await close("2026-10-08");
  const key = { bucket: bucketOf(clientId), clientId, currency: "EUR" };
  const refunder = await connectAs(clientId, database.appUrl);
  const tx = transactionOn(refunder);
  await refunder.query("begin");
  assert.equal(await reserveBalance(tx, key, 1n), true);
  await Promise.all(tx.written);
  const ran = runPayouts(operator, payoutRun);
  await eventually(
    10_000,
    () =>
      fixture.rows(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      ),
    (waiting) => waiting.length > 0,
  );
  await refunder.query("commit");
  assert.deepEqual(
    (await ran).waiting.filter((each) => each.clientId === clientId).map(({ waitsFor }) => waitsFor),
    ["not covered"],
  );
  await fixture.rows("update reserves set open_refunds_minor = 0 where client_id = $1", clientId);
  await runPayouts(operator, payoutRun);
  assert.equal(
    await reserveBalance(transactionOn(refunder), key, 1n),
    false,
    "what is paid out is not refunded",
  );
});

test("the database itself rejects a second payout of a batch, and a changed account", async () => {
  const [payout] = await fixture.rows<{ payout_id: string }>(
    "select payout_id from payouts where status in ('CREATED', 'SENT', 'PAID') limit 1",
  );
  await assert.rejects(
    fixture.rows(
      `insert into payouts (bucket, client_id, payout_id, batch_id, currency, amount_minor, account_id, bank, end_to_end_id, status, created_at)
       select bucket, client_id, 'again', batch_id, currency, amount_minor, account_id, bank, 'again', 'CREATED', now()
       from payouts where payout_id = $1`,
      payout?.payout_id,
    ),
    { constraint: "payouts_one_for_a_batch" },
  );
  await assert.rejects(fixture.rows("update bank_accounts set holder = 'Somebody else'"), { code: "23001" });
});

test("the database itself rejects a movement in two batches, so two concurrent closes pay a merchant once", async () => {
  await assert.rejects(
    fixture.rows(
      `insert into settlement_items (bucket, client_id, subject_id, effect, batch_id)
       select bucket, client_id, subject_id, effect, 'another' from settlement_items limit 1`,
    ),
    { constraint: "settlement_items_pkey" },
  );
});

test("no file is partially written, and each has its copy", () => {
  const names = readdirSync(folder).filter((name) => name !== "handed-over");
  assert.deepEqual(
    names.filter((name) => !/^\d{35}\.xml$/.test(name)),
    [],
  );
  assert.deepEqual(readdirSync(join(folder, "handed-over", ourBank)), names);
});

test("a sandbox database is rejected in live", async () => {
  const liveDatabase = await newTestDatabase("live");
  await assert.rejects(
    closeSettlement({ url: liveDatabase.ownerUrl, environment: "sandbox" }, { day: "2026-10-05" }),
    /is for live/,
  );
});
