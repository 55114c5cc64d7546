import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { asSuperuser } from "../../../server/test/start/test-database.ts";
import { givenMember, registered, startTestAccounts, stepUp } from "../../test/test-accounts.ts";
import { verifyOwnAudit } from "./verify-own-audit.ts";

const accounts = await startTestAccounts();
const verdict = (): ReturnType<typeof verifyOwnAudit> => verifyOwnAudit(accounts.superuserUrl);

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
  const { entries, broken } = await verdict();
  assert.ok(entries >= 12);
  assert.equal(broken, undefined);
});

test("a row's hash can be computed from outside, as that of an environment's audit", async () => {
  const rows = await accounts.sql<{ fields: (string | null)[]; previous: string; hash: string }>(`
    select array[seq::text, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), actor_kind, actor, role, login,
      act, subject, about_client, reason, before::text, after::text, transaction::text] as fields,
      encode(previous_hash, 'hex') as previous, encode(hash, 'hex') as hash from audit order by seq`);
  assert.ok(rows.length > 6);
  for (const { fields, previous, hash } of rows) {
    const written = fields.map((field) => (field === null ? "-" : `${Buffer.byteLength(field)}:${field}`));
    const computed = createHash("sha256").update(previous, "hex").update(written.join("")).digest("hex");
    assert.equal(computed, hash);
  }
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
    "delete from audit where seq = 6": 7,
    "update audit set seq = seq + 1000 where seq = 3": 4,
    "update audit set after = '{ }' where seq = 1": 1,
  };
  for (const [statement, broken] of Object.entries(tampering)) {
    await accounts.sql("create table kept as select * from audit");
    await accounts.sql("alter table audit disable trigger user");
    await accounts.sql(statement);
    assert.equal((await verdict()).broken, broken, statement);
    await accounts.sql("delete from audit");
    await accounts.sql("insert into audit select * from kept");
    await accounts.sql("alter table audit enable trigger user");
    await accounts.sql("drop table kept");
    assert.equal((await verdict()).broken, undefined);
  }
});
