import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readPaymentFile } from "../../../test/bank/bank-message.ts";
import {
  ibans,
  ourBank,
  newSettlementFixture,
  statusReport,
} from "../../../test/examples/settlement-fixture.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { prepareTestGateway } from "../../../test/start/test-gateway.ts";
import type { PayoutCrashPoint } from "../../core/crash-point.ts";
import type { Operator } from "../../operator-session/owner-session.ts";
import { approveAccount, requestAccount, endAccount, findAccounts } from "./payout-accounts.workflow.ts";
import { voidFile } from "./approve-payout-file.workflow.ts";
import { resyncFolder } from "./bank-folder.workflow.ts";
import { holdPayouts } from "./hold-payouts.workflow.ts";
import { importBankReports } from "./import-bank-reports.workflow.ts";
import { recoverFile } from "./recover-payout-file.workflow.ts";
import { findPayouts, runPayouts, type PayoutRunResult } from "./run-payouts.workflow.ts";
import { setDebtorAccount } from "../settlement-terms.workflow.ts";
import { closeSettlement } from "../close-settlement.workflow.ts";

/**
 * These tests check the safety of payouts under crashes, races, restores and changed accounts. They use the owner's
 * login in the sandbox, and one database per file.
 */
const { database } = await prepareTestGateway("sandbox");
const fixture = newSettlementFixture(database);
const { operator } = fixture;
const folder = mkdtempSync(join(tmpdir(), "tollgate-payouts-"));
const payoutRun = { bank: ourBank, folder, format: "pain.001.001.09" } as const;
await fixture.openBank();

async function dueMerchant(minor: bigint, day: string): Promise<string> {
  const clientId = await fixture.openMerchant();
  await fixture.postPayment(clientId, minor, `${day}T10:00:00Z`);
  await closeSettlement(operator, { day });
  return clientId;
}

const killedAt = (point: PayoutCrashPoint): Promise<void> =>
  assert.rejects(
    runPayouts(operator, payoutRun, (reached) => {
      if (reached === point) throw new Error("killed");
    }),
    /killed/,
  );
const textOf = ({ files }: PayoutRunResult): string =>
  files.map(({ path }) => readFileSync(path, "utf8")).join("\n");

/** Collects files from the folder as the bank's program does. */
function carry(): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".xml"))
    .map((name) => {
      const text = readFileSync(join(folder, name), "utf8");
      rmSync(join(folder, name));
      return text;
    });
}

test("an account that ends after the approval is not paid: its line is dropped, and the others are paid", async () => {
  const [endedMerchant, stays] = [
    await dueMerchant(4000n, "2026-10-05"),
    await dueMerchant(3000n, "2026-10-06"),
  ];
  await killedAt("after-file-commit");
  const [account] = await findAccounts(operator, { clientId: endedMerchant, inFull: false });
  await endAccount(operator, endedMerchant, account?.accountId ?? "");
  const ran = await runPayouts(operator, payoutRun);
  assert.deepEqual(
    ran.claimed.map(({ clientId }) => clientId),
    [stays],
  );
  assert.deepEqual(
    ran.waiting.filter(({ clientId }) => clientId === endedMerchant).map(({ waitsFor }) => waitsFor),
    ["no bank account"],
  );
  assert.match(textOf(ran), /<CtrlSum>30\.00</);
  assert.equal(await fixture.owedMinor(endedMerchant), 4000n);
  carry();
});

test("a payout whose account ends, or whose merchant is held, after its creation is in no later file", async () => {
  const reasons = {
    ended: async (clientId: string): Promise<void> => {
      const [account] = await findAccounts(operator, { clientId, inFull: false });
      await endAccount(operator, clientId, account?.accountId ?? "");
    },
    held: (clientId: string): Promise<void> =>
      holdPayouts({ ...operator, by: { name: "ada", reason: "case 1" } }, clientId),
  };
  // At the second crash point the copy of the file exists, and the bank's file is not renamed yet.
  for (const point of ["after-payout-commit", "after-file-written"] as const)
    for (const makeUnpayable of Object.values(reasons)) {
      const clientId = await dueMerchant(4050n, "2026-10-06");
      await killedAt(point);
      await makeUnpayable(clientId);
      const ran = await runPayouts(operator, payoutRun);
      assert.deepEqual([ran.claimed, ran.files, carry()], [[], [], []]);
      assert.equal(await fixture.owedMinor(clientId), 4050n);
      assert.equal((await findPayouts(operator, { clientId, limit: 1 }))[0]?.status, "FAILED");
    }
});

test("a rejection that the bank reports before the handover is stored does not block the file", async () => {
  const [rejectedMerchant, paidMerchant] = [
    await dueMerchant(4060n, "2026-10-06"),
    await dueMerchant(3060n, "2026-10-06"),
  ];
  await killedAt("after-file-renamed");
  const [sent = ""] = carry();
  const { messageId, instructions } = readPaymentFile(sent);
  assert.equal(instructions.length, 2);
  const report = statusReport(
    messageId,
    instructions.map(({ endToEndId, minor }) =>
      minor === 4060n ? { endToEndId, status: "RJCT", reason: "AC04" } : { endToEndId, status: "ACSC" },
    ),
  );
  const reportFile = join(folder, "report.txt");
  writeFileSync(reportFile, report);
  await importBankReports(operator, reportFile);

  await runPayouts(operator, payoutRun);
  const carried = carry();
  assert.ok(carried.includes(sent), "the file has the bytes that the bank has");
  const statusesFor = async (clientId: string): Promise<readonly string[]> =>
    (await findPayouts(operator, { clientId, limit: 9 })).map(({ status }) => status).toSorted();
  // The batch of the rejected payout is due again.
  assert.deepEqual(await statusesFor(rejectedMerchant), ["FAILED", "SENT"]);
  assert.deepEqual(await statusesFor(paidMerchant), ["PAID"]);
});

test("the rest of an interrupted file is paid, and its copy is what the bank receives", async () => {
  const [endedMerchant, stays] = [
    await dueMerchant(4051n, "2026-10-06"),
    await dueMerchant(3051n, "2026-10-06"),
  ];
  await killedAt("after-file-written");
  const [account] = await findAccounts(operator, { clientId: endedMerchant, inFull: false });
  await endAccount(operator, endedMerchant, account?.accountId ?? "");
  const ran = await runPayouts(operator, payoutRun);
  assert.equal(await fixture.owedMinor(endedMerchant), 4051n);
  assert.equal(await fixture.owedMinor(stays), 0n);
  const [received] = carry();
  assert.match(received ?? "", /<CtrlSum>30\.51</);
  const copy = join(folder, "handed-over", ourBank, `${ran.files[0]?.fileId}.xml`);
  assert.equal(readFileSync(copy, "utf8"), received);
});

test("a payout in a file that the bank may have is kept, although its account has ended", async () => {
  const clientId = await dueMerchant(4060n, "2026-10-06");
  await killedAt("after-file-renamed");
  assert.equal(carry().length, 1);
  const [account] = await findAccounts(operator, { clientId, inFull: false });
  await endAccount(operator, clientId, account?.accountId ?? "");
  await runPayouts(operator, payoutRun);
  assert.equal((await findPayouts(operator, { clientId, limit: 1 }))[0]?.status, "SENT");
  assert.equal(await fixture.owedMinor(clientId), 0n);
  carry();
});

test("a replacement of the planned account is not paid before its cooling-off period ends", async () => {
  const clientId = await dueMerchant(4100n, "2026-10-07");
  await killedAt("after-file-commit");
  const accountRequest = {
    currency: "EUR",
    holder: "Coffee Lab",
    iban: ibans[2],
    bic: undefined,
    waitHours: undefined,
  };
  const { accountId } = await requestAccount(operator, clientId, accountRequest);
  await approveAccount(operator, clientId, accountId);
  const ran = await runPayouts(operator, payoutRun);
  assert.deepEqual(ran.files, []);
  assert.deepEqual(
    ran.waiting.filter((each) => each.clientId === clientId).map(({ waitsFor }) => waitsFor),
    ["cooling-off"],
  );
});

test("if the balance does not cover all batches, the first due batch is paid", async () => {
  const clientId = await fixture.openMerchant();
  const days = ["2026-09-01", "2026-09-02", "2026-09-03", "2026-09-04"];
  for (const day of days) await fixture.postPayment(clientId, 100n, `${day}T10:00:00Z`);
  await closeSettlement(operator, { day: "2026-09-04" });
  await fixture.postRefund(clientId, 250n, "2026-09-05T10:00:00Z");
  const { claimed } = await runPayouts(operator, payoutRun);
  const paid = claimed
    .filter((each) => each.clientId === clientId)
    .map(({ payoutId }) => payoutId.slice(0, 8));
  assert.deepEqual(paid, ["20260901"]);
  carry();
});

test("two concurrent runs hand over one file", async () => {
  const carried: string[] = [];
  for (let nth = 1; nth <= 4; nth += 1) {
    await dueMerchant(1000n + BigInt(nth), `2026-10-1${nth}`);
    if (nth > 2) await killedAt("after-payout-commit");
    const timer = setInterval(() => carried.push(...carry()), 1);
    const bothRuns = Promise.all([runPayouts(operator, payoutRun), runPayouts(operator, payoutRun)]);
    const ran = await bothRuns.finally(() => clearInterval(timer));
    carried.push(...carry());
    assert.equal(ran.flatMap(({ files }) => files).length, 1);
  }
  assert.equal(carried.length, 4);
  assert.ok(carried.every((text) => text.trimEnd().endsWith("</Document>")));
});

test("a file keeps the debtor account with which it was approved", async () => {
  await dueMerchant(900n, "2026-10-16");
  await killedAt("after-file-commit");
  const otherAccount = {
    bank: ourBank,
    currency: "EUR",
    holder: "Gateway SA",
    iban: ibans[2],
    bic: "BNPAFRPP",
  };
  await setDebtorAccount(operator, otherAccount);
  const text = textOf(await runPayouts(operator, payoutRun));
  assert.ok(text.includes(`<DbtrAcct><Id><IBAN>${ibans[1]}</IBAN>`));
  await setDebtorAccount(operator, { ...otherAccount, iban: ibans[1] });
});

test("a run hands over only files of its own bank", async () => {
  carry();
  const otherBankAccount = {
    bank: "second",
    currency: "EUR",
    holder: "Gateway SA",
    iban: ibans[2],
    bic: "BNPAFRPP",
  };
  await setDebtorAccount(operator, otherBankAccount);
  await dueMerchant(650n, "2026-10-17");
  const kill = runPayouts(operator, { ...payoutRun, bank: "second" }, (reached) => {
    if (reached === "after-payout-commit") throw new Error("killed");
  });
  await assert.rejects(kill, /killed/);
  assert.deepEqual((await runPayouts(operator, payoutRun)).files, []);
  assert.equal((await runPayouts(operator, { ...payoutRun, bank: "second" })).files.length, 1);
  carry();
});

test("the database rejects a handover with other bytes than those approved", async () => {
  await dueMerchant(660n, "2026-10-18");
  await killedAt("after-payout-commit");
  const byHand = fixture.rows(
    `update payout_files set status = 'HANDED_OVER', sent_sha256 = '\\x00', sent_count = payout_count, sent_minor = sum_minor
     where status = 'RELEASED'`,
  );
  await assert.rejects(byHand, { constraint: "payout_files_handed_over_as_approved" });
  assert.equal((await runPayouts(operator, payoutRun)).files.length, 1);
  carry();
});

test("after a restore nothing is paid again: the run is rejected until the file that the bank has is recovered", async () => {
  carry();
  const clientId = await dueMerchant(4200n, "2026-10-20");
  const name = new URL(database.superuserUrl).pathname.slice(1);
  const admin = new URL(database.superuserUrl);
  admin.pathname = "/postgres";
  const asAdmin = (text: string): Promise<unknown> => asSuperuser(text, [], admin.href);
  await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  await asAdmin(`create database "${name}_restored" template "${name}"`);
  await asAdmin(`grant connect on database "${name}_restored" to public`);
  const ran = await runPayouts(operator, payoutRun);
  const [sent] = carry();
  const paid = ran.claimed.find((each) => each.clientId === clientId);

  const url = new URL(operator.url);
  url.pathname = `/${name}_restored`;
  const restored: Operator = { environment: operator.environment, by: { name: "ada" }, url: url.href };
  const fileId = ran.files[0]?.fileId ?? "";
  await assert.rejects(
    runPayouts(restored, payoutRun),
    new RegExp(`does not know \\(${fileId}\\), so the database was restored`),
  );
  const copy = join(folder, "handed-over", ourBank, `${fileId}.xml`);
  assert.equal(readFileSync(copy, "utf8"), sent);
  await recoverFile(restored, ourBank, copy);
  const recovered = await runPayouts(restored, payoutRun);
  assert.deepEqual(carry(), [], "the bank is not given the file again");
  assert.deepEqual(
    recovered.claimed.map(({ payoutId, amount }) => [payoutId, amount.minor]),
    ran.claimed.map(({ payoutId, amount }) => [payoutId, amount.minor]),
  );
  const [restoredPayout] = await findPayouts(restored, { clientId, limit: 1 });
  assert.deepEqual([restoredPayout?.payoutId, restoredPayout?.status], [paid?.payoutId, "SENT"]);
  assert.deepEqual((await runPayouts(restored, payoutRun)).files, [], "and the next run pays nothing again");
  await asAdmin(`drop database "${name}_restored" with (force)`);
});

test("a folder without the newest file is rejected until people state it", async () => {
  const clientId = await dueMerchant(700n, "2026-10-22");
  const otherFolder = mkdtempSync(join(tmpdir(), "tollgate-other-folder-"));
  const otherFolderRun = { ...payoutRun, folder: otherFolder };
  await assert.rejects(
    runPayouts(operator, otherFolderRun),
    /no copy of \d{35}, the last payout file that was handed over/,
  );
  const statement = { bank: ourBank, folder: otherFolder, newest: "none" };
  await assert.rejects(
    resyncFolder(operator, { ...statement, newest: "1".repeat(35) }),
    /newest copy in the folder is none/,
  );
  assert.equal(await resyncFolder(operator, statement), "requested");
  assert.equal(await resyncFolder(operator, statement), "confirmed");
  const ran = await runPayouts(operator, otherFolderRun);
  assert.deepEqual(
    ran.claimed.map((each) => each.clientId),
    [clientId],
  );
  await assert.rejects(runPayouts(operator, payoutRun), /no copy of/);

  const fileId = ran.files[0]?.fileId ?? "";
  assert.equal(await voidFile(operator, fileId), "requested");
  assert.equal(await voidFile(operator, fileId), "voided");
  assert.equal(await fixture.owedMinor(clientId), 700n);
  const repeatedPayouts = (await runPayouts(operator, otherFolderRun)).claimed;
  assert.deepEqual(
    repeatedPayouts.map((each) => [each.clientId, each.payoutId > (ran.claimed[0]?.payoutId ?? "")]),
    [[clientId, true]],
  );
});
