import assert from "node:assert/strict";
import { test } from "node:test";
import { createStaffLogins } from "../../test/start/staff-logins.ts";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";
import type { Break } from "./break.ts";
import { insertBreaks } from "./break.sql.ts";
import { systemScope } from "../postgres/database.ts";
import { approveRequest, findPendingApprovals } from "../operators/audit/approve.ts";
import { actAsOwner, type Operator } from "../operator-session/owner-session.ts";
import {
  breakAgeTable,
  assignBreak,
  breakTable,
  closeBreak,
  findBreaks,
  findReconciliation,
  reopenBreak,
  runSummary,
  writeOffBreak,
} from "./breaks.workflow.ts";
import { reconcile } from "./reconcile.workflow.ts";
import {
  findProviderReceivables,
  receivablesTable,
} from "../operators/reconciliation/provider-receivables.ts";

const [sandbox, live] = [await newTestDatabase("sandbox"), await newTestDatabase("live")];
const operator: Operator = { url: sandbox.ownerUrl, environment: "sandbox" };
const explained = { by: "ada", reason: "the bank's charge" };

/** Two people with the role finance, each with a login of the live database. */
const { urlOf } = await createStaffLogins(live, { ada: "finance", grace: "finance" });

function inLive(person: "ada" | "grace"): Operator {
  return { url: urlOf(person), environment: "live", by: { name: person, reason: explained.reason } };
}

const eur = (minor: bigint) => ({ currency: "EUR", minor });

/** Inserts a break as `reconcile` finds it. The same break with other amounts stays the same row. */
async function givenBreak(where: Operator, found: Partial<Break>, now = new Date()): Promise<number> {
  const completeBreak: Break = {
    kind: "only at the bank",
    connector: undefined,
    subject: "bank b",
    reference: "B-1",
    paymentId: undefined,
    currency: "EUR",
    sums: { bank: eur(-1_200n) },
    at: now,
    ...found,
  };
  await actAsOwner(where, systemScope, async (tx) => {
    await insertBreaks(tx, [completeBreak], now);
    return { value: undefined, audit: undefined };
  });
  const all = await findBreaks(where, 1_000);
  return (
    all.find(({ kind, reference }) => kind === completeBreak.kind && reference === completeBreak.reference)
      ?.breakId ?? 0
  );
}

async function posted(url: string): Promise<readonly string[]> {
  const rows = await asSuperuser<{ said: string }>(
    `select concat_ws(' ', subject_id, effect, debit_account, '<', credit_account, amount_minor) as said
     from ledger_transfers where client_id = 'HOUSE' order by transaction`,
    [],
    url,
  );
  return rows.map(({ said }) => said);
}

test("without a run the list says so; after a run it shows the time and the files", async () => {
  assert.equal(await findReconciliation(operator), undefined);
  assert.match(runSummary(undefined), /^No reconciliation has run yet/);
  await asSuperuser(
    `insert into connectors (name, url, partner_id, public_key, payment_method_types)
       values ('gcash', 'https://w.example', 'us', 'k', '{GCASH}');
     insert into settlement_files (connector, name, sha256, row_count, newest_at, imported_at)
     values ('gcash', 'day-1.csv', '1', 1, '2026-11-17T10:00:00Z', now()), ('gcash', 'day-2.csv', '2', 1, '2026-11-18T10:00:00Z', now())`,
    [],
    sandbox.superuserUrl,
  );
  await reconcile(operator, { connector: undefined, until: undefined });
  const ran = await findReconciliation(operator);
  const gcash = { connector: "gcash", until: "2026-11-18T10:00:00Z", fileCount: 2, newestFile: "day-2.csv" };
  assert.partialDeepStrictEqual(ran, {
    day: undefined,
    providerFiles: [gcash],
    bankFileCount: 0,
    breakCount: 0,
  });
  assert.match(
    runSummary(ran),
    /all connectors, all days\.\nProvider files: gcash until 2026-11-18T10:00:00Z \(files: 2\)/,
  );
  await reconcile(operator, { connector: undefined, until: undefined, day: "2026-11-17" });
  assert.equal((await findReconciliation(operator))?.day, "2026-11-17");
});

test("a break is assigned, reassigned and unassigned", async () => {
  const breakId = await givenBreak(operator, { reference: "mine" });
  assert.equal((await assignBreak(operator, breakId, "ada")).assigned?.to, "ada");
  await assert.rejects(assignBreak(operator, breakId, "ada"), /is already assigned to ada/);
  const [row] = (await findBreaks(operator, 10)).filter((each) => each.breakId === breakId);
  assert.match(breakTable(row ? [row] : [], new Date()), / ada$/m);
  assert.equal((await assignBreak(operator, breakId, undefined)).assigned, undefined);
  await assert.rejects(assignBreak(operator, breakId, undefined), /is not assigned/);
});

test("a write-off is posted once and closes the break; after a later change only the rest is posted", async () => {
  const breakId = await givenBreak(operator, {});
  const written = await writeOffBreak(operator, breakId, explained);
  assert.deepEqual([written.closed?.reason, written.writtenOffMinor], [explained.reason, 1_200n]);
  await assert.rejects(writeOffBreak(operator, breakId, explained), /is already closed: the bank's charge/);
  await reopenBreak(operator, breakId);
  await assert.rejects(writeOffBreak(operator, breakId, explained), /Nothing is left to write off/);
  await givenBreak(operator, { sums: { bank: eur(-1_201n) } });
  await writeOffBreak(operator, breakId, explained);
  await givenBreak(operator, { sums: { bank: eur(-1_000n) } });
  await writeOffBreak(operator, breakId, explained);
  assert.deepEqual(await posted(sandbox.superuserUrl), [
    `break ${breakId} write-off adjustment < clearing 1200`,
    `break ${breakId}/2 write-off rounding < clearing 1`,
    `break ${breakId}/3 write-off clearing < adjustment 201`,
  ]);
});

test("breaks that money cannot correct are not written off", async () => {
  const breakId = await givenBreak(operator, {
    kind: "statement gap",
    sums: { written: eur(1n), expected: eur(2n) },
  });
  await assert.rejects(writeOffBreak(operator, breakId, explained), /"statement gap" cannot be written off/);
});

test("in live a write-off needs two people of finance, and an explanation one", async () => {
  const owner: Operator = { url: live.ownerUrl, environment: "live" };
  const breakId = await givenBreak(owner, {});
  await assert.rejects(
    writeOffBreak(inLive("ada"), breakId, explained),
    /^Error: In live this needs an approval/,
  );
  assert.deepEqual(await posted(live.superuserUrl), []);
  const [approvalRequest] = await findPendingApprovals(owner);
  assert.partialDeepStrictEqual(approvalRequest, { act: "break write-off", subject: `break ${breakId}` });
  const askedId = approvalRequest?.askedId ?? 0;
  await assert.rejects(approveRequest(inLive("ada"), askedId), /Another person must approve it/);
  await approveRequest(inLive("grace"), askedId);
  await writeOffBreak(inLive("ada"), breakId, explained);
  assert.deepEqual(await posted(live.superuserUrl), [
    `break ${breakId} write-off adjustment < clearing 1200`,
  ]);
  const otherBreak = await givenBreak(owner, { reference: "B-2" });
  assert.equal((await closeBreak(inLive("ada"), otherBreak, explained)).closed?.by, "ada");
});

test("open breaks are summed by age, without closed ones", async () => {
  const now = new Date("2026-11-17T12:00:00Z");
  await asSuperuser("delete from breaks", [], sandbox.superuserUrl);
  for (const [reference, day] of [
    ["new", "2026-11-16"],
    ["old", "2026-11-01"],
    ["closed", "2026-11-01"],
  ] as const)
    await givenBreak(operator, { reference, at: new Date(`${day}T12:00:00Z`) });
  const closedId =
    (await findBreaks(operator, 10)).find(({ reference }) => reference === "closed")?.breakId ?? 0;
  await closeBreak(operator, closedId, explained);
  const [head, row] = breakAgeTable(await findBreaks(operator, 10), now).split("\n");
  assert.match(head ?? "", /^currency +0–1 days +2–7 days +8–30 days +over 30 days$/);
  assert.match(row ?? "", /^EUR +EUR 12\.00 \(1\) +EUR 12\.00 \(1\) *$/);
});

test("a provider owes its payments minus fees and payouts, and the oldest amount is paid first", async () => {
  const now = new Date("2026-11-17T12:00:00Z");
  const postEffect = async (
    id: string,
    sides: readonly string[],
    minor: number,
    day: string,
  ): Promise<void> => {
    await asSuperuser(
      `insert into ledger_transfers (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
       values (1, $1, 'payment', 1, 'M', $2, $3, 'EUR', $4, $5)`,
      [id, ...sides, minor, `${day}T12:00:00Z`],
      sandbox.superuserUrl,
    );
  };
  const paymentAccounts = ["provider receivable gcash", "merchant payable M"];
  await postEffect("1", paymentAccounts, 1_000, "2026-10-01");
  await postEffect("2", paymentAccounts, 100, "2026-11-01");
  await postEffect("3", paymentAccounts, 20, "2026-11-17");
  await postEffect("4", ["clearing", "provider receivable gcash"], 1_010, "2026-11-17");
  const owed = await findProviderReceivables([operator], now);
  assert.deepEqual(
    owed.map(({ connector, minor, aged }) => [connector, minor, ...aged.map((part) => part.minor)]),
    [["gcash", 110n, 20n, 0n, 90n, 0n]],
  );
  assert.match(receivablesTable(owed), /gcash +EUR 1\.10 +EUR 0\.20 +EUR 0\.90/);
});
