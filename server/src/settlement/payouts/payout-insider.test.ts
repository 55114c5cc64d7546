import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { ibans, ourBank, newSettlementFixture } from "../../../test/examples/settlement-fixture.ts";
import { createStaffLogins } from "../../../test/start/staff-logins.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { newMerchant, prepareTestGateway } from "../../../test/start/test-gateway.ts";
import { bucketOf } from "../../core/bucket.ts";
import { approveFile, reviewFile, voidFile } from "./approve-payout-file.workflow.ts";
import { runPayouts } from "./run-payouts.workflow.ts";
import { closeSettlement } from "../close-settlement.workflow.ts";

/**
 * These tests check the insider threat model of payouts in live: Ada has a finance login and runs plain SQL, and the
 * console's login is compromised. No row that they write adds money to a file without another person's approval.
 */
const { database } = await prepareTestGateway("live");
const { clientId } = await newMerchant(database);
const { rows, postPayment: paid, owedMinor: owed } = newSettlementFixture(database);
const bucket = bucketOf(clientId);
const folder = mkdtempSync(join(tmpdir(), "tollgate-insider-"));
const { urlOf } = await createStaffLogins(database, { ada: "finance", grace: "finance" } as const);
const by = (name: "ada" | "grace") => ({ url: urlOf(name), environment: "live", by: { name } }) as const;
const payoutRun = { bank: ourBank, folder, format: "pain.001.001.09" } as const;
const byHand = (statement: string, url = urlOf("ada")): Promise<readonly object[]> =>
  asSuperuser(`select set_config('app.clients', '{${clientId}}', false); ${statement}`, [], url);
const [merchantIban, ourIban, insiderIban] = ibans;

const bankAccount = (id: string, iban: string, currency: string, isApproved: boolean): Promise<unknown> =>
  rows(
    `insert into bank_accounts (bucket, client_id, account_id, currency, holder, iban, iban_shown, wait_hours, asked_by, asked_login,
       asked_at, approved_by, approved_login, approved_at, usable_from)
     select $1, $2, $3, $5, 'Coffee Lab', $4, left($4, 4) || ' … ' || right($4, 4), 0, 'a', 'a', now(),
       case when $6 then 'b' end, case when $6 then 'b' end, case when $6 then now() end, case when $6 then now() end`,
    bucket,
    clientId,
    id,
    iban,
    currency,
    isApproved,
  );

before(async () => {
  await rows("insert into banks values ($1, 'EUR', 'Gateway SA', $2, 'BNPAFRPP')", ourBank, ourIban);
  await rows(
    `insert into settlement_terms (bucket, client_id, currency, from_day, cycle, days_after, minimum_minor, reserve_basis_points,
       reserve_days) values ($1, $2, 'EUR', '2026-01-01', 'D', 0, 0, 0, 0)`,
    bucket,
    clientId,
  );
  await bankAccount("merchants", merchantIban, "EUR", true);
  await bankAccount("insiders", insiderIban, "EUR", false);
  await paid(clientId, 12_345n, "2026-11-10T10:00:00Z");
  await closeSettlement(by("ada"), { day: "2026-11-10" });
});

const payout = (change: Readonly<Record<string, string>> = {}): string => {
  const fields: Record<string, string> = {
    bucket: String(bucket),
    client_id: `'${clientId}'`,
    payout_id: "'by-hand'",
    batch_id: "'no-batch'",
    currency: "'EUR'",
    amount_minor: "99999999",
    account_id: "'insiders'",
    bank: `'${ourBank}'`,
    end_to_end_id: "'by-hand'",
    status: "'CREATED'",
    created_at: "now()",
    ...change,
  };
  return `insert into payouts (${Object.keys(fields).join(", ")}) values (${Object.values(fields).join(", ")})`;
};
const unapproved = { constraint: "payouts_are_approved" };
const forbidden = /permission denied/;

test("a payout that is in no approved file is rejected, whichever column is forged", async () => {
  await assert.rejects(byHand(payout()), unapproved);
  await assert.rejects(byHand(payout({ file_id: "'no-file'" })), unapproved);
  const [due] = await rows<{ batch_id: string }>("select batch_id from settlement_batches");
  await assert.rejects(
    byHand(payout({ batch_id: `'${due?.batch_id}'`, amount_minor: "12345", account_id: "'merchants'" })),
    unapproved,
  );
  await assert.rejects(byHand(payout(), database.staffUrl), forbidden);
  await assert.rejects(byHand(payout({ sent_at: "now()" })), forbidden);
  await assert.rejects(
    runPayouts(by("ada"), { ...payoutRun, bank: ourBank }),
    /another person must approve payouts, and nothing is paid yet/,
  );
  assert.deepEqual(readdirSync(folder), []);
});

test("a planned file cannot be changed, extended, approved by its planner, or released without approval", async () => {
  const [file] = await rows<{ file_id: string }>("select file_id from payout_files where status = 'PLANNED'");
  const fileId = file?.file_id ?? "";
  const line = `insert into payout_file_lines (bucket, client_id, file_id, batch_id, attempt, payout_id, currency, amount_minor, account_id)
    values (${bucket}, '${clientId}', '${fileId}', 'forged', 1, 'forged', 'EUR', 99999999, 'insiders')`;
  await assert.rejects(byHand(line), { constraint: "payout_file_lines_planned_with_their_file" });
  await assert.rejects(byHand(line, database.staffUrl), forbidden);
  await assert.rejects(byHand("update payout_file_lines set amount_minor = 99999999"), forbidden);
  await assert.rejects(byHand("update payout_file_lines set account_id = 'insiders'"), forbidden);
  await assert.rejects(byHand("delete from payout_file_lines"), forbidden);
  await assert.rejects(byHand("update payout_files set sha256 = '\\x00'"), forbidden);
  await assert.rejects(byHand("update payout_files set planned_login = 'grace'"), forbidden);
  await assert.rejects(byHand("update payout_files set approved_login = 'grace'"), forbidden);
  const digest = `payout_file_digest('${fileId}')`;
  await assert.rejects(
    byHand(`update payout_files set status = 'APPROVED', approved_by = 'grace', approved_digest = ${digest}`),
    { constraint: "payout_files_approved_by_another_login" },
  );
  await assert.rejects(byHand("update payout_files set status = 'RELEASED'"), {
    constraint: "payout_file_follows_its_lifecycle",
  });
  await assert.rejects(byHand("update payout_files set status = 'HANDED_OVER', handed_over_at = now()"), {
    constraint: "payout_file_follows_its_lifecycle",
  });
});

test("another person's file whose bytes differ from its lines is not approved", async () => {
  const forged = `insert into payout_files (file_id, bank, currency, format, sha256, payout_count, sum_minor, created_at, execution_day,
      from_holder, from_iban, from_bic, planned_by)
    values ('forged', 'second', 'EUR', 'pain.001.001.09', '\\x00', 1, 12345, now(), current_date, 'Gateway SA', '${ourIban}', 'BNPAFRPP', 'ada');
    insert into payout_file_lines (bucket, client_id, file_id, batch_id, attempt, payout_id, currency, amount_minor, account_id)
    select ${bucket}, '${clientId}', 'forged', batch_id, 1, 'forged', 'EUR', 12345, 'merchants' from settlement_batches`;
  await byHand(`begin; ${forged}; commit`);
  const { digest } = await reviewFile(by("grace"), "forged");
  await assert.rejects(
    approveFile(by("grace"), "forged", digest),
    /Payout file forged differs from its lines/,
  );
  assert.equal(await voidFile(by("grace"), "forged"), "dropped");
});

test("a file pays exactly what two people approved, and no row that was inserted later", async () => {
  const [file] = await rows<{ file_id: string }>("select file_id from payout_files where status = 'PLANNED'");
  const fileId = file?.file_id ?? "";
  await assert.rejects(byHand(payout({ file_id: `'${fileId}'` })), unapproved);
  await approveFile(by("grace"), fileId, (await reviewFile(by("grace"), fileId)).digest);
  // Even with an approved file, the database rejects a payout that is inserted by hand: it compares amount, account,
  // batch and ledger transfer.
  await assert.rejects(byHand(payout({ file_id: `'${fileId}'` })), unapproved);
  await assert.rejects(
    runPayouts(by("ada"), payoutRun, (point) => {
      if (point === "after-payout-commit") throw new Error("killed");
    }),
    /killed/,
  );
  await assert.rejects(
    byHand(
      `update payout_files set status = 'HANDED_OVER', sent_sha256 = sha256, sent_count = 1, sent_minor = 12345 where file_id = '${fileId}'`,
    ),
    { constraint: "payout_files_handed_over_is_audited" },
  );
  await assert.rejects(
    byHand(
      `update payout_files set status = 'HANDED_OVER', sent_sha256 = '\\x00', sent_count = 1, sent_minor = 12345 where file_id = '${fileId}'`,
    ),
    { constraint: "payout_files_handed_over_as_approved" },
  );
  const ran = await runPayouts(by("ada"), payoutRun);
  assert.equal(ran.files.length, 1);
  const text = readFileSync(ran.files[0]?.path ?? "", "utf8");
  assert.deepEqual([text.includes(merchantIban), text.includes(insiderIban)], [true, false]);
  assert.deepEqual(/<CtrlSum>([^<]+)/.exec(text)?.[1], "123.45");
  assert.equal(await owed(clientId), 0n);
});

test("a payout can only change its progress, and no payout exceeds the merchant's balance", async () => {
  for (const column of ["amount_minor = 1", "account_id = 'insiders'", "file_id = 'other'", "batch_id = 'x'"])
    await assert.rejects(byHand(`update payouts set ${column}`), forbidden);
  for (const column of ["net_minor = 99999999", "gross_minor = 1", "settle_minor = 1"])
    await assert.rejects(byHand(`update settlement_batches set ${column}`), forbidden);
  // An invented batch: two people release its payout, and the database finds that the merchant's balance does not cover
  // it.
  await byHand(
    `insert into settlement_batches (bucket, client_id, batch_id, currency, from_day, to_day, due_day, gross_minor, refunds_minor,
       disputes_minor, fees_minor, tax_minor, other_minor, reserve_minor, carried_minor, net_minor, held_minor, status, closed_at)
     values (${bucket}, '${clientId}', 'invented', 'EUR', '2026-11-12', '2026-11-12', '2026-11-12', 5000, 0, 0, 0, 0, 0, 0, 0, 5000, 0,
       'DUE', now())`,
  ).catch((error: Error) => assert.match(error.message, /batch/));
  const waiting = await runPayouts(by("ada"), payoutRun);
  assert.deepEqual(waiting.files, []);
  const released = `insert into payout_files (file_id, bank, currency, format, sha256, payout_count, sum_minor, created_at, execution_day,
      from_holder, from_iban, from_bic, planned_by)
    values ('invented', '${ourBank}', 'EUR', 'pain.001.001.09', '\\x00', 1, 5000, now(), current_date, 'Gateway SA', '${ourIban}', 'BNPAFRPP', 'ada');
    insert into payout_file_lines (bucket, client_id, file_id, batch_id, attempt, payout_id, currency, amount_minor, account_id)
    values (${bucket}, '${clientId}', 'invented', 'invented', 1, 'invented', 'EUR', 5000, 'merchants')`;
  await byHand(`begin; ${released}; commit`);
  await byHand(
    "update payout_files set status = 'APPROVED', approved_by = 'grace', approved_digest = payout_file_digest('invented') where file_id = 'invented'",
    urlOf("grace"),
  );
  const claim = (transfer: string, accountId = "merchants"): Promise<unknown> =>
    byHand(`begin; update payout_files set status = 'RELEASED' where file_id = 'invented';
      update settlement_batches set status = 'PAYING', payout_id = 'invented', bank = '${ourBank}' where batch_id = 'invented';
      ${payout({ payout_id: "'invented'", end_to_end_id: "'invented'", batch_id: "'invented'", amount_minor: "5000", account_id: `'${accountId}'`, file_id: "'invented'" })};
      ${transfer}; commit`);
  await assert.rejects(claim("select", "insiders"), unapproved);
  await assert.rejects(claim("select"), { constraint: "payouts_are_booked" });
  await assert.rejects(
    claim(`insert into ledger_transfers (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
      values (${bucket}, 'invented', 'payout', 1, '${clientId}', 'merchant payable ${clientId}', 'payout in transit ${clientId}', 'EUR', 5000, now())`),
    { constraint: "payouts_are_covered" },
  );
});

test("no file is handed over by hand without its audit row, and none is voided by one person", async () => {
  const [file] = await rows<{ file_id: string }>(
    "select file_id from payout_files where status = 'HANDED_OVER'",
  );
  const fileId = file?.file_id ?? "";
  assert.equal(await voidFile(by("ada"), fileId), "requested");
  await assert.rejects(voidFile(by("ada"), fileId), /another person must confirm it/);
  await assert.rejects(
    byHand(`update payout_files set status = 'VOIDED', voided_by = 'grace' where file_id = '${fileId}'`),
    { constraint: "payout_files_voided_by_another_login" },
  );
  assert.equal(await voidFile(by("grace"), fileId), "voided");
  assert.equal(await owed(clientId), 12_345n, "what never reached the bank is owed again");
  const [payoutRow] = await rows<{ status: string; reason_code: string }>(
    "select status, reason_code from payouts",
  );
  assert.deepEqual(payoutRow, { status: "FAILED", reason_code: "VOID" });
});
