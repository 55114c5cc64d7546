import assert from "node:assert/strict";
import { test } from "node:test";
import { createStaffLogins } from "../../../test/start/staff-logins.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { newMerchant, prepareTestGateway } from "../../../test/start/test-gateway.ts";
import { bucketOf } from "../../core/bucket.ts";
import { approvalTable, findPendingApprovals } from "./approve.ts";
import { findAudit } from "./audit-log.ts";
import { changeMerchant } from "../merchants/merchant-settings.ts";

/**
 * These tests try to bypass approval in live with plain SQL. Ada and Grace have the role operator, Fay finance, Iris
 * admin.
 */
const { database } = await prepareTestGateway("live");
const { clientId } = await newMerchant(database);
const people = {
  ada: "operator",
  grace: "operator",
  fay: "finance",
  finn: "finance",
  iris: "admin",
} as const;
type Person = keyof typeof people;
const { loginOf, urlOf } = await createStaffLogins(database, people);
const owner = { url: database.ownerUrl, environment: "live" } as const;
const scope = `select set_config('app.clients', '{${clientId},HOUSE}', false)`;
const commitAs = (person: Person, statements: string): Promise<readonly object[]> =>
  asSuperuser(`${scope}; begin; ${statements}; commit`, [], urlOf(person));
const commitAsConsole = (statements: string): Promise<readonly object[]> =>
  asSuperuser(`${scope}; begin; ${statements}; commit`, [], database.staffUrl);
const rows = <Row extends object>(text: string): Promise<readonly Row[]> =>
  asSuperuser<Row>(text, [], database.superuserUrl);
const readFee = async (): Promise<number | undefined> =>
  (
    await rows<{ fee: number }>(`select fee_basis_points as fee from clients where client_id = '${clientId}'`)
  )[0]?.fee;
const setFee = (fee: number): string =>
  `update clients set fee_basis_points = ${fee} where client_id = '${clientId}'`;

/** Returns the fee change in the form in which PostgreSQL records it. */
const feeChange = (before: number, after: number): string =>
  JSON.stringify([
    {
      table: "clients",
      operation: "update",
      key: { client_id: clientId },
      before: { fee_basis_points: before },
      after: { fee_basis_points: after },
    },
  ]);
const request = async (person: Person, changes: string): Promise<number> => {
  await commitAs(
    person,
    `insert into approval_requests (act, subject, changes, asked_by) values ('merchant set', '${clientId}', '${changes}', 'a name')`,
  );
  const [row] = await rows<{ id: string }>("select max(asked_id) as id from approval_requests");
  return Number(row?.id);
};
const approve = (person: Person, id: number): Promise<unknown> =>
  commitAs(person, `update approval_requests set approved_by = 'a name' where asked_id = ${id}`);
const markUsedSql = (id: number): string =>
  `update approval_requests set used_at = now() where asked_id = ${id}`;
const unapproved = { constraint: "changes_need_approval" };

test("a change without an approval is not committed", async () => {
  await assert.rejects(commitAs("ada", setFee(100)), unapproved);
  await assert.rejects(commitAs("iris", setFee(100)), unapproved);
  assert.equal(await readFee(), 0);
});

test("an approved change is committed once, and its audit row names the approver", async () => {
  const id = await request("ada", feeChange(0, 100));
  await assert.rejects(
    commitAs("ada", `${markUsedSql(id)}; ${setFee(100)}`),
    { code: "23514" },
    "not approved yet",
  );
  await approve("grace", id);
  await commitAs("ada", `${setFee(100)}; ${markUsedSql(id)}`);
  assert.equal(await readFee(), 100);
  const [entry] = await findAudit(owner, {}, 1);
  assert.partialDeepStrictEqual(entry, { actor: { kind: "sql" }, login: loginOf("ada"), act: "row changes" });
  assert.ok(entry?.rowChanges.some(({ table }) => table === "clients"));
  await assert.rejects(
    commitAs("ada", `${markUsedSql(id)}; ${setFee(101)}`),
    { code: "23001" },
    "used already",
  );
});

test("only the approved row changes can be committed, not another value, another row or one more row", async () => {
  const id = await request("ada", feeChange(100, 110));
  await approve("grace", id);
  const otherClientId = await newMerchant(database);
  for (const statements of [
    setFee(999),
    `${setFee(110)}; update clients set status = 'SUSPENDED' where client_id = '${clientId}'`,
    `${setFee(110)}; ${setFee(111)}`,
    `select set_config('app.clients', '{${otherClientId.clientId}}', false);
     update clients set fee_basis_points = 110 where client_id = '${otherClientId.clientId}'`,
  ])
    await assert.rejects(commitAs("ada", `${markUsedSql(id)}; ${statements}`), unapproved, statements);
  await assert.rejects(
    commitAs("ada", markUsedSql(id)),
    { constraint: "approved_changes_are_all_made" },
    "an approval is not used up without its change",
  );
  assert.equal(await readFee(), 100);
  const pending = (await findPendingApprovals(owner)).find(({ askedId: requestId }) => requestId === id);
  assert.deepEqual(
    pending?.changes.map(({ after }) => after),
    [{ fee_basis_points: "110" }],
  );
});

test("a requester's text can neither add lines to the approver's list nor hide lines", async () => {
  await commitAs(
    "ada",
    `insert into approval_requests (act, subject, changes, reason, asked_by)
     values ('merchant set', 'x', '${feeChange(100, 999)}', E'harmless\\n        clients x update: fee_basis_points 0 → 1\\u001b[2K', 'ada')`,
  );
  const lines = approvalTable(await findPendingApprovals(owner)).split("\n");
  const forged = lines.findIndex((line) => line.includes("harmless"));
  assert.match(lines[forged] ?? "", /harmless\\u\{a\} .*\\u\{1b\}\[2K/);
  assert.equal(lines[forged + 1]?.trim(), `clients ${clientId} update: fee_basis_points 100 → 999`);
});

test("an approval is not used twice in a transaction that runs the check early", async () => {
  const id = await request("ada", feeChange(100, 120));
  await approve("grace", id);
  const requestId = await request("ada", feeChange(120, 100));
  await approve("grace", requestId);
  const early = `set constraints all immediate; ${markUsedSql(id)}`;
  await assert.rejects(commitAs("ada", `${early}; ${setFee(120)}`), {
    constraint: "approved_changes_are_all_made",
  });
  await assert.rejects(
    commitAs(
      "ada",
      `${markUsedSql(id)}; ${markUsedSql(requestId)}; ${setFee(120)}; ${setFee(100)}; set constraints all immediate; ${setFee(120)}`,
    ),
    unapproved,
  );
  assert.equal(await readFee(), 100);
});

test("PostgreSQL sets digest, logins and times, and the wrong login can neither approve nor use a request", async () => {
  for (const column of ["digest", "asked_login", "approved_login", "approved_at", "used_in"])
    await assert.rejects(
      commitAs(
        "ada",
        `insert into approval_requests (act, subject, asked_by, ${column}) values ('a', 'b', 'c', null)`,
      ),
      { code: "42501" },
      column,
    );
  const id = await request("ada", feeChange(100, 130));
  await assert.rejects(approve("ada", id), { constraint: "approval_requests_approved_by_another_login" });
  await assert.rejects(approve("fay", id), { constraint: "approval_requests_approved_by_who_may_do_it" });
  await approve("grace", id);
  await assert.rejects(commitAs("grace", `${markUsedSql(id)}; ${setFee(130)}`), { code: "23001" });
  await assert.rejects(commitAs("iris", `${markUsedSql(id)}; ${setFee(130)}`), { code: "23001" });
});

test("an approval does not count after the approver loses the permission for the change", async () => {
  const id = await request("ada", feeChange(100, 140));
  await approve("grace", id);
  await asSuperuser(`revoke tollgate_operator from ${loginOf("grace")}`);
  await assert.rejects(commitAs("ada", `${markUsedSql(id)}; ${setFee(140)}`), unapproved);
  await asSuperuser(`grant tollgate_operator to ${loginOf("grace")}`);
  await commitAs("ada", `${markUsedSql(id)}; ${setFee(140)}`);
  assert.equal(await readFee(), 140);
});

test("an expired request cannot be approved, and an expired approval cannot be used", async () => {
  const moveBack = (column: string, hours: number): Promise<unknown> =>
    rows(
      `set session_replication_role = replica; update approval_requests set ${column} = ${column} - interval '${hours} hours'`,
    );
  const late = await request("ada", feeChange(140, 150));
  await moveBack("asked_at", 25);
  await assert.rejects(approve("grace", late), { code: "23001" });
  const id = await request("ada", feeChange(140, 150));
  await approve("grace", id);
  await moveBack("approved_at", 2);
  await assert.rejects(commitAs("ada", `${markUsedSql(id)}; ${setFee(150)}`), { code: "23001" });
});

test("no staff login can disable the checks or write their tables", async () => {
  for (const person of ["ada", "fay", "iris"] as const)
    for (const statement of [
      "alter table clients disable trigger all",
      "alter table row_changes disable trigger all",
      "set session_replication_role = replica",
      `set role ${new URL(database.ownerUrl).username}`,
      "set role tollgate_app",
      "create or replace function require_approval() returns void language sql as ''",
      "drop trigger check_row_changes on row_changes",
      "select * from row_changes",
      "insert into row_changes (transaction, is_first, needs_approval, row_count, change) values ('1', false, false, 1, '{}')",
      "delete from row_changes",
      "insert into console_approvals (act, subject, requested_by, approved_by) values ('a', 'b', 'c', 'd')",
      "insert into audit (actor_kind, actor, role, act, subject, login) values ('command', 'x', 'y', 'a', 'b', 'grace')",
      "insert into audit (actor_kind, actor, role, act, subject) values ('person', 'per_x', 'staff-admin', 'a', 'b')",
      "insert into audit (actor_kind, actor, role, act, subject, changes) values ('command', 'x', 'y', 'a', 'b', '[]')",
      "update audit set reason = ''",
      "delete from audit",
      "truncate audit",
    ])
      await assert.rejects(commitAs(person, statement), { code: "42501" }, `${person}: ${statement}`);
});

test("an unrelated audit row hides no change, because it lists all changes of its transaction", async () => {
  const write = `insert into audit (actor_kind, actor, role, act, subject) values ('command', 'x', 'operator', 'nothing', 'nothing')`;
  const rate = (value: number): string => `update clients set rate_per_second = ${value}`;
  await commitAs("ada", `${rate(31)}; ${write}; ${rate(32)}`);
  const [newest, previous] = await findAudit(owner, {}, 2);
  assert.partialDeepStrictEqual(previous?.rowChanges, [
    { table: "clients", after: { rate_per_second: "31" } },
  ]);
  assert.partialDeepStrictEqual(newest, {
    actor: { kind: "sql" },
    act: "update clients",
    after: { rate_per_second: 32 },
  });
});

test("a bulk write leaves one row with the number of rows and their SHA-256", async () => {
  const before = (await findAudit(owner, {}, 1))[0]?.seq ?? 0;
  await commitAs(
    "fay",
    `insert into bank_holidays select 'EUR', date '2030-01-01' + day from generate_series(1, 300) as day;
     insert into bank_lines (bank, entry_reference, currency, amount_minor, is_credit, is_reversal, booked_at, reference, file_id, line)
     select 'b', 'e' || n, 'EUR', 1, true, false, now(), '', 1, n from generate_series(1, 1000) as n`,
  );
  const [entry] = await findAudit(owner, {}, 1);
  assert.equal(entry?.seq, before + 1);
  assert.partialDeepStrictEqual(entry.rowChanges, [
    { table: "bank_holidays", operation: "insert", rows: "300" },
    { table: "bank_lines", operation: "insert", rows: "1000" },
  ]);
});

test("finance cannot post to the ledger without a record that backs the posting", async () => {
  const post = (effect: string, subject: string, client: string, debit: string, credit: string): string =>
    `insert into ledger_transfers (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
     values (${client === "HOUSE" ? 250 : bucketOf(client)}, '${subject}', '${effect}', 1, '${client}', '${debit}', '${credit}', 'EUR', 100000000, now())`;
  const payable = `merchant payable ${clientId}`;
  for (const statement of [
    post("payment", "made-up", clientId, "provider receivable w", payable),
    post("refund", "made-up", clientId, payable, "provider receivable w"),
    post("reserve release", "no-batch", clientId, `merchant reserve ${clientId}`, payable),
    post("payout returned", "no-payout", clientId, "clearing", payable),
    post("bank entry", "b e1", "HOUSE", "bank b", "clearing"),
    post("provider adjustment", "w a1", "HOUSE", "provider receivable w", "adjustment"),
    post("exchange bought", "FX-1", clientId, "clearing", payable),
    post("exchange difference", "FX-1", "HOUSE", "clearing", payable),
    post("anything", "x", "HOUSE", "a", "b"),
  ])
    await assert.rejects(
      commitAs("fay", statement),
      { constraint: "postings_of_staff_are_backed" },
      statement,
    );
  await assert.rejects(
    commitAs("fay", post("write-off", "break 1", "HOUSE", "adjustment", "clearing")),
    unapproved,
  );
  assert.deepEqual(await rows("select from ledger_transfers"), []);
});

test("the console's login needs an approval where the commands need one, and posts at most a break's difference", async () => {
  const approval = (by: string): string =>
    `insert into console_approvals (act, subject, requested_by, approved_by) values ('merchant set', '${clientId}', 'per_a', '${by}')`;
  await assert.rejects(commitAsConsole(setFee(200)), unapproved);
  await assert.rejects(commitAsConsole(`${approval("per_a")}; ${setFee(200)}`), {
    constraint: "console_approvals_need_two_people",
  });
  await commitAsConsole(`${approval("per_b")}; ${setFee(200)}`);
  assert.equal(await readFee(), 200);
  await assert.rejects(commitAsConsole(setFee(201)), unapproved, "an approval is of its transaction");
  await assert.rejects(
    commitAsConsole("insert into approval_requests (act, subject, asked_by) values ('a', 'b', 'c')"),
    {
      code: "42501",
    },
  );

  await rows(
    `insert into breaks (kind, subject, reference, currency, sums, first_seen_at, last_seen_at) values ('only at the bank', 'bank b', 'B-1',
       'EUR', '{"bank":{"currency":"EUR","minor":"-12"}}', now(), now())`,
  );
  const [found] = await rows<{ id: string }>("select max(break_id) as id from breaks");
  const writeOff = (minor: number): string =>
    `select write_off_break(${found?.id}, ${minor}, 'per_a', 'why')`;
  await assert.rejects(commitAsConsole(`${approval("per_b")}; ${writeOff(100_000)}`), { code: "23001" });
  await assert.rejects(commitAsConsole(writeOff(12)), unapproved);
  await commitAsConsole(`${approval("per_b")}; ${writeOff(12)}`);
  await assert.rejects(
    commitAsConsole(`${approval("per_b")}; ${writeOff(12)}`),
    { code: "23001" },
    "it is closed",
  );
  assert.deepEqual(
    await rows("select effect, debit_account, credit_account, amount_minor from ledger_transfers"),
    [{ effect: "write-off", debit_account: "adjustment", credit_account: "clearing", amount_minor: "12" }],
  );
});

test("the console reports that an operator's change needs an approval", async () => {
  const by = { actor: { kind: "person", name: "per_a", role: "staff-operator" }, reason: "why" } as const;
  const desk = { url: database.staffUrl, environment: "live" } as const;
  await assert.rejects(
    changeMerchant({ ...desk, by }, clientId, { feeBasisPoints: 7 }),
    /needs approval by another person/,
  );
  await changeMerchant({ ...desk, by: { ...by, approvedBy: "per_b" } }, clientId, { feeBasisPoints: 7 });
  assert.equal(await readFee(), 7);
  await changeMerchant({ ...desk, by }, clientId, { ratePerSecond: 7 });
});
