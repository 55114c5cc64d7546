import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { beforeEach, test } from "node:test";
import { ourBank, newSettlementFixture } from "../../../test/examples/settlement-fixture.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { prepareTestGateway } from "../../../test/start/test-gateway.ts";
import type { Operator } from "../../operator-session/owner-session.ts";
import { voidFile } from "./approve-payout-file.workflow.ts";
import { resyncFolder } from "./bank-folder.workflow.ts";
import { holdPayouts, releasePayouts } from "./hold-payouts.workflow.ts";
import { recoverFile } from "./recover-payout-file.workflow.ts";
import { runPayouts } from "./run-payouts.workflow.ts";
import { closeSettlement } from "../close-settlement.workflow.ts";

/** These tests restore databases that lose payout files, and check that the bank never receives a payment twice. */
const { database } = await prepareTestGateway("sandbox");
const fixture = newSettlementFixture(database);
const operator: Operator = { ...fixture.operator, by: { name: "ada", reason: "restored" } };
await fixture.openBank();
let folder = "";
const payoutRun = (day?: string) => ({ bank: ourBank, folder, format: "pain.001.001.09", day }) as const;
let restores = 0;

/** Each test has its own bank folder, with one file that the bank has collected. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-recover-"));
  for (const _ of ["requested", "confirmed"])
    await resyncFolder(operator, { bank: ourBank, folder, newest: "none" });
  await dueMerchant(10n, "2026-10-01");
  await paidBy(operator);
});

async function dueMerchant(minor: bigint, day: string): Promise<string> {
  const clientId = await fixture.openMerchant();
  await fixture.postPayment(clientId, minor, `${day}T10:00:00Z`);
  await closeSettlement(operator, { day });
  return clientId;
}

const asAdmin = (text: string): Promise<unknown> => {
  const admin = new URL(database.superuserUrl);
  admin.pathname = "/postgres";
  return asSuperuser(text, [], admin.href);
};

/** Copies the database; returns the operator of the copy, which is later used as the restored database. */
async function backUp(): Promise<Operator> {
  const name = new URL(database.superuserUrl).pathname.slice(1);
  const copy = `${name}_${(restores += 1)}`;
  await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  await asAdmin(`create database "${copy}" template "${name}"`);
  await asAdmin(`grant connect on database "${copy}" to public`);
  const url = new URL(operator.url);
  url.pathname = `/${copy}`;
  return { environment: operator.environment, by: { name: "ada", reason: "restored" }, url: url.href };
}

/** Collects files as the bank's program does; returns the end-to-end ids of each file. */
function carry(): readonly (readonly string[])[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".xml"))
    .map((name) => {
      const text = readFileSync(join(folder, name), "utf8");
      rmSync(join(folder, name));
      return [...text.matchAll(/<EndToEndId>(\d+)</g)].map(([, id = ""]) => id);
    });
}

interface Paid {
  readonly copy: string;
  readonly payoutIds: readonly string[];
}

/** Pays due batches; returns the file and the payouts that the bank receives. */
async function paidBy(by: Operator, day?: string): Promise<Paid> {
  const { files } = await runPayouts(by, payoutRun(day));
  assert.equal(files.length, 1);
  const [payoutIds = []] = carry();
  return { copy: join(folder, "handed-over", ourBank, `${files[0]?.fileId}.xml`), payoutIds };
}

const claimedBy = async (by: Operator, day?: string): Promise<readonly string[]> =>
  (await runPayouts(by, payoutRun(day))).claimed.map(({ payoutId }) => payoutId);

test("if more is due after the restore, the recovered file is kept, and only the rest goes to the bank", async () => {
  const heldMerchant = await dueMerchant(500n, "2026-10-05");
  await holdPayouts(operator, heldMerchant);
  await dueMerchant(4000n, "2026-10-06");
  const restored = await backUp();
  const { copy, payoutIds } = await paidBy(operator);
  await releasePayouts(restored, heldMerchant);
  await recoverFile(restored, ourBank, copy);
  const [recovered, ...rest] = await claimedBy(restored);
  assert.deepEqual([recovered], payoutIds);
  assert.equal(rest.length, 1);
  assert.deepEqual(carry(), [rest], "the bank has the recovered file already");
  assert.deepEqual(await claimedBy(restored), []);
});

test("a merchant of a recovered file that is now on hold is stored as paid, because the bank has the file", async () => {
  const clientId = await dueMerchant(4100n, "2026-10-07");
  const restored = await backUp();
  const { copy, payoutIds } = await paidBy(operator);
  await recoverFile(restored, ourBank, copy);
  await holdPayouts(restored, clientId);
  assert.deepEqual(await claimedBy(restored), payoutIds);
  assert.deepEqual(await claimedBy(restored), []);
  assert.deepEqual(carry(), []);
});

test("one person cannot give up a recovered file", async () => {
  await dueMerchant(4200n, "2026-10-08");
  const restored = await backUp();
  const { copy, payoutIds } = await paidBy(operator);
  const { fileId } = await recoverFile(restored, ourBank, copy);
  await assert.rejects(voidFile(restored, fileId), /was recovered/);
  assert.deepEqual(await claimedBy(restored), payoutIds);
});

test("two lost files of one currency are recovered one after the other", async () => {
  await dueMerchant(4300n, "2026-10-09");
  await dueMerchant(900n, "2026-10-12");
  const restored = await backUp();
  const first = await paidBy(operator, "2026-10-09");
  const second = await paidBy(operator, "2026-10-12");
  await recoverFile(restored, ourBank, first.copy);
  await assert.rejects(
    recoverFile(restored, ourBank, second.copy),
    /Payout file \d{35} in the same currency is open/,
  );
  await assert.rejects(runPayouts(restored, payoutRun()), /does not know/, "it has stored the first one");
  await recoverFile(restored, ourBank, second.copy);
  assert.deepEqual(await claimedBy(restored), second.payoutIds);
  assert.deepEqual(await claimedBy(restored), []);
  assert.deepEqual(carry(), []);
});

test("a file that is only planned in the restored database is not replaced by another one", async () => {
  await dueMerchant(4400n, "2026-10-13");
  await dueMerchant(800n, "2026-10-14");
  const kill = runPayouts(operator, payoutRun("2026-10-13"), (point) => {
    if (point === "after-file-commit") throw new Error("killed");
  });
  await assert.rejects(kill, /killed/);
  const restored = await backUp();
  const { payoutIds } = await paidBy(operator, "2026-10-13");
  await runPayouts(restored, payoutRun("2026-10-14"));
  const files = carry().toSorted((a, b) => Number(b[0] === payoutIds[0]) - Number(a[0] === payoutIds[0]));
  assert.deepEqual(files[0], payoutIds, "the same message, which the bank rejects as a duplicate");
  assert.ok(
    files
      .slice(1)
      .flat()
      .every((id) => !payoutIds.includes(id)),
  );
});

test("a plan that one person drops after the restore is not paid again, because the bank folder has its file", async () => {
  await dueMerchant(4500n, "2026-10-15");
  const kill = runPayouts(operator, payoutRun("2026-10-15"), (point) => {
    if (point === "after-file-commit") throw new Error("killed");
  });
  await assert.rejects(kill, /killed/);
  const restored = await backUp();
  const { copy } = await paidBy(operator, "2026-10-15");
  const fileId = basename(copy, ".xml");
  assert.equal(await voidFile(restored, fileId), "dropped");
  await assert.rejects(runPayouts(restored, payoutRun("2026-10-15")), /has dropped/);
  assert.deepEqual(carry(), []);
});

test("a statement by two people is valid for all later runs", async () => {
  await dueMerchant(4600n, "2026-10-16");
  const restored = await backUp();
  const { copy } = await paidBy(operator);
  await assert.rejects(runPayouts(restored, payoutRun()), /does not know/);
  for (const _ of ["requested", "confirmed"])
    await resyncFolder(restored, { bank: ourBank, folder, newest: basename(copy, ".xml") });
  assert.equal((await claimedBy(restored)).length, 1, "the bank never received that file, they say");
  carry();
  assert.deepEqual(await claimedBy(restored), []);
});
