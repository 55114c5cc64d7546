import assert from "node:assert/strict";
import { test } from "node:test";
import { asSuperuser } from "../../../server/test/start/test-database.ts";
import { givenMember, registered, startTestAccounts, stepUp } from "../../test/test-accounts.ts";
import { verifyChain, type VerifiedChain } from "../../../server/src/commands/verify-chain.ts";
import { asOwner } from "../as-owner.ts";

const accounts = await startTestAccounts();
const verified = (): Promise<VerifiedChain> => asOwner(accounts.superuserUrl, (tx) => verifyChain(tx, []));
const firstBroken = async (): Promise<number | undefined> => (await verified()).problems[0]?.seq;

interface Shown {
  readonly seq: number;
  readonly act: string;
  readonly actor: { readonly name: string; readonly role: string };
  readonly before?: object;
  readonly after?: object;
}

test("what was done is written down, with person and role, for the organisation to read", async () => {
  const owner = await registered(accounts);
  await stepUp(owner);
  await owner.browser.post("/accounts/invitations", { email: "g@colleague.example", role: "support" });
  const { organisationId } = (await owner.browser.get("/accounts/me")).json;
  const reader = await givenMember(accounts, { role: "reader", organisationId: String(organisationId) });
  const { personId } = reader;
  await owner.browser.post("/accounts/people/change-role", { personId, role: "finance" });
  await owner.browser.post("/accounts/people/end", { personId });

  const { json } = await owner.browser.get("/accounts/audit");
  const entries = (json["entries"] as Shown[]).toReversed();
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
  assert.ok(entries.every(({ actor }) => actor.role === "owner"));
  const [changed] = entries.filter(({ act }) => act === "membership.change");
  assert.deepEqual([changed?.before, changed?.after], [{ role: "reader" }, { role: "finance" }]);
  const older = await owner.browser.get(`/accounts/audit?before=${entries[2]?.seq}`);
  assert.equal((older.json["entries"] as unknown[]).length, 2);

  const stranger = await givenMember(accounts, { role: "owner" });
  assert.deepEqual((await stranger.browser.get("/accounts/audit")).json["entries"], []);
});

test("many acts at once make one chain", async () => {
  const members = await Promise.all(
    Array.from({ length: 12 }, () => givenMember(accounts, { role: "owner", steppedUpAgoMs: 0 })),
  );
  await Promise.all(
    members.map(({ browser }, index) =>
      browser.post("/accounts/invitations", { email: `n${index}@colleague.example`, role: "reader" }),
    ),
  );
  const { head, problems } = await verified();
  assert.ok(head.count >= 12);
  assert.deepEqual(problems, []);
});

test("the process itself can neither change nor remove a row", async () => {
  for (const statement of ["update audit set actor = 'x'", "delete from audit", "truncate audit"])
    await assert.rejects(asSuperuser(statement, [], accounts.appUrl), /permission denied/);
  await assert.rejects(accounts.sql("delete from audit"), /only ever added to/);
});

test("a row that was changed, removed, or put in between behind the log's back is found", async () => {
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
    assert.equal(await firstBroken(), broken, statement);
    await accounts.sql("delete from audit");
    await accounts.sql("insert into audit select * from kept");
    await accounts.sql("alter table audit enable trigger user");
    await accounts.sql("drop table kept");
    assert.equal(await firstBroken(), undefined);
  }
});
