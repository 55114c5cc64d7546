import assert from "node:assert/strict";
import { test } from "node:test";
import { asSuperuser } from "../../../server/test/start/test-database.ts";
import { givenMember, registerPerson, startTestAccounts, stepUp } from "../../test/test-accounts.ts";
import { verifyChain, type VerifiedChain } from "../../../server/src/operators/audit/verify-chain.ts";
import type { TestBrowser } from "../../test/test-browser.ts";
import { runAsOwner } from "../run-as-owner.ts";
import type { Person } from "../people/person.ts";

const accounts = await startTestAccounts();
const verifyAuditChain = (): Promise<VerifiedChain> =>
  runAsOwner(accounts.superuserUrl, (tx) => verifyChain(tx, []));
const findFirstBroken = async (): Promise<number | undefined> => (await verifyAuditChain()).problems[0]?.seq;

interface AuditEntryView {
  readonly seq: number;
  readonly act: string;
  readonly subject: string;
  readonly person?: { readonly personId: string; readonly role: string };
  readonly actor?: { readonly name: string; readonly role: string };
  readonly organisation?: string;
  readonly reason?: string;
  readonly changes: readonly object[];
}

async function readEntries(
  { browser }: { readonly browser: TestBrowser },
  path: string,
): Promise<AuditEntryView[]> {
  const { status, json } = await browser.get(path);
  assert.equal(status, 200, JSON.stringify(json));
  return json["entries"] as AuditEntryView[];
}

test("actions are audited with person and role, and the organisation can read them", async () => {
  const owner = await registerPerson(accounts);
  await stepUp(owner);
  await owner.browser.post("/accounts/invitations", { email: "g@colleague.example", role: "support" });
  const { organisationId } = (await owner.browser.get("/accounts/me")).json;
  const reader = await givenMember(accounts, { role: "reader", organisationId: String(organisationId) });
  const { personId } = reader;
  await owner.browser.post("/accounts/people/change-role", { personId, role: "finance" });
  await owner.browser.post("/accounts/people/end", { personId });

  const entries = (await readEntries(owner, "/accounts/audit")).toReversed();
  assert.deepEqual(
    entries.map(({ act }) => act),
    [
      "registration.verify",
      "password.set",
      "step-up",
      "invitation.send",
      "membership.change",
      "membership.end",
    ],
  );
  assert.ok(entries.every(({ person }) => person?.role === "owner"));
  const [changed] = entries.filter(({ act }) => act === "membership.change");
  assert.deepEqual(changed?.changes, [{ field: "role", before: "reader", after: "finance" }]);
  const older = await readEntries(owner, `/accounts/audit?cursor=${entries[2]?.seq}`);
  assert.equal(older.length, 2);

  // A former member still has a name; people of other organisations have none.
  const { people } = (await owner.browser.get("/accounts/audit/people")).json as { people: Person[] };
  assert.deepEqual(
    people.map((each) => each.personId).toSorted(),
    [changed?.person?.personId ?? "", personId].toSorted(),
  );
  const outsider = await givenMember(accounts, { role: "owner" });
  assert.deepEqual(await readEntries(outsider, "/accounts/audit"), []);
  const foundPeople = await outsider.browser.get(`/accounts/audit/people?ids=${personId}`);
  assert.deepEqual(
    (foundPeople.json["people"] as Person[]).map((each) => each.personId),
    [outsider.personId],
  );
});

test("the audit log is filtered by person, act and time, page by page", async () => {
  const owner = await givenMember(accounts, { role: "owner", steppedUpAgoMs: 0 });
  const { organisationId } = owner;
  const admin = await givenMember(accounts, { role: "admin", organisationId, steppedUpAgoMs: 0 });
  const begunAt = new Date(Date.now() - 1_000).toISOString().replace(/\.\d+Z$/, "+00:00");
  const approvalRequest = {
    environment: "live",
    permission: "people.invite",
    act: "POST x",
    reason: "Joins on Monday.",
  };
  for (const { browser } of [owner, owner, admin, admin])
    await browser.post("/accounts/approvals", { ...approvalRequest, request: {} });
  const counts = {
    "": 4,
    [`actor=${admin.personId}`]: 2,
    "actor=provider": 0,
    "act=approval.ask": 4,
    "act=approval.drop": 0,
    [`createdFrom=${encodeURIComponent(begunAt)}`]: 4,
    [`createdUntil=${encodeURIComponent(begunAt)}`]: 0,
  };
  for (const [query, count] of Object.entries(counts))
    assert.equal((await readEntries(owner, `/accounts/audit?${query}`)).length, count, query);
  for (const query of ["createdFrom=2026-13-01T00:00:00%2B00:00", "cursor=x", "before=7"])
    assert.equal((await owner.browser.get(`/accounts/audit?${query}`)).status, 400, query);

  await accounts.sql(
    `insert into audit (actor_kind, actor, role, act, subject, about_client)
     select 'person', $1, 'owner', 'sign-in', $1, $2 from generate_series(1, 60)`,
    [owner.personId, organisationId],
  );
  const { json } = await owner.browser.get("/accounts/audit");
  const first = json["entries"] as AuditEntryView[];
  const rest = await readEntries(owner, `/accounts/audit?cursor=${String(json["nextCursor"])}`);
  assert.deepEqual([first.length, rest.length], [50, 14]);
  assert.ok((first.at(-1)?.seq ?? 0) > (rest[0]?.seq ?? 0));
});

test("a merchant sees actions of the operator without person and reason, and does not see views", async () => {
  const { browser, organisationId, personId } = await givenMember(accounts, { role: "owner" });
  await accounts.sql(
    `insert into audit (actor_kind, actor, role, act, subject, about_client, reason) values
       ('person', 'per_staff', 'staff-admin', 'review.see', $1, $1, null),
       ('person', 'per_staff', 'staff-admin', 'review.approve', $1, $1, 'the register agrees'),
       ('command', 'ada', 'owner', 'review.refuse', $1, $1, 'a tip of the police'),
       ('person', $2, 'owner', 'review.withdraw', $1, $1, 'not yet')`,
    [organisationId, personId],
  );
  const entries = await readEntries({ browser }, "/accounts/audit");
  assert.deepEqual(
    entries.map(({ act, person, reason }) => [act, person?.personId, reason]),
    [
      ["review.withdraw", personId, "not yet"],
      ["review.refuse", undefined, undefined],
      ["review.approve", undefined, undefined],
    ],
  );
  assert.doesNotMatch(JSON.stringify(entries), /per_staff|ada|police|register/);
  const actsOf = async (actor: string): Promise<readonly string[]> =>
    (await readEntries({ browser }, `/accounts/audit?actor=${actor}`)).map(({ act }) => act);
  assert.deepEqual(await actsOf("provider"), ["review.refuse", "review.approve"]);
  // A filter with a guessed name must not confirm that the name exists.
  assert.deepEqual([await actsOf("ada"), await actsOf("per_staff")], [[], []]);

  const staff = await givenMember(accounts, { role: "staff-operator" });
  const fullAudit = await readEntries(staff, `/accounts/audit/all?organisationId=${organisationId}`);
  assert.deepEqual(
    fullAudit.map(({ act, actor, reason }) => [act, actor?.name, reason]),
    [
      ["review.withdraw", personId, "not yet"],
      ["review.refuse", "ada", "a tip of the police"],
      ["review.approve", "per_staff", "the register agrees"],
      ["review.see", "per_staff", undefined],
    ],
  );
  assert.ok(fullAudit.every(({ organisation }) => organisation === "Shop"));
  const { json } = await staff.browser.get(`/accounts/audit/people?ids=${personId}`);
  assert.ok((json["people"] as Person[]).some((each) => each.personId === personId));
});

test("a view of the whole audit log by staff is audited once in ten minutes", async () => {
  const staff = await givenMember(accounts, { role: "staff-admin" });
  const countViews = async (): Promise<number> => {
    const path = `/accounts/audit/all?act=audit.see&actor=${staff.personId}`;
    return (await readEntries(staff, path)).length;
  };
  assert.deepEqual([await countViews(), await countViews()], [1, 1]);
});

test("concurrent actions form one hash chain", async () => {
  const members = await Promise.all(
    Array.from({ length: 12 }, () => givenMember(accounts, { role: "owner", steppedUpAgoMs: 0 })),
  );
  await Promise.all(
    members.map(({ browser }, index) =>
      browser.post("/accounts/invitations", { email: `n${index}@colleague.example`, role: "reader" }),
    ),
  );
  const { head, problems } = await verifyAuditChain();
  assert.ok(head.count >= 12);
  assert.deepEqual(problems, []);
});

test("the process's database login cannot change or delete a row", async () => {
  for (const statement of ["update audit set actor = 'x'", "delete from audit", "truncate audit"])
    await assert.rejects(asSuperuser(statement, [], accounts.appUrl), /permission denied/);
  await assert.rejects(accounts.sql("delete from audit"), /append-only/);
});

test("a changed, deleted or inserted row is detected", async () => {
  const tampering = {
    "update audit set role = 'reader' where seq = 4": 4,
    "update audit set at = at + interval '1 microsecond' where seq = 5": 5,
    "delete from audit where seq = 6": 6,
    "update audit set seq = seq + 1000 where seq = 3": 3,
    "update audit set after = '{ }' where seq = 1": 1,
  };
  for (const [statement, broken] of Object.entries(tampering)) {
    await accounts.sql("create table kept as select * from audit");
    await accounts.sql("alter table audit disable trigger user");
    await accounts.sql(statement);
    assert.equal(await findFirstBroken(), broken, statement);
    await accounts.sql("delete from audit");
    await accounts.sql("insert into audit select * from kept");
    await accounts.sql("alter table audit enable trigger user");
    await accounts.sql("drop table kept");
    assert.equal(await findFirstBroken(), undefined);
  }
});
