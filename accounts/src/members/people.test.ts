import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import {
  givenMember,
  linkTokenIn,
  postApproved,
  registerPerson,
  setUpPassword,
  startTestAccounts,
  stepUp,
} from "../../test/test-accounts.ts";
import type { TestBrowser } from "../../test/test-browser.ts";
import { sha256 } from "../../../server/src/core/digest.ts";
import { newId } from "../new-id.ts";
import type { Role } from "../../../server/src/people/role.ts";

const accounts = await startTestAccounts();
const freshStepUp = { steppedUpAgoMs: 0 } as const;

async function invite(browser: TestBrowser, email: string, role: Role): Promise<string> {
  const { status, json } = await browser.post("/accounts/invitations", { email, role });
  assert.equal(status, 200, JSON.stringify(json));
  return linkTokenIn((await accounts.smtp.emailTo(email)).text);
}

const roleOf = async (browser: TestBrowser): Promise<unknown> => {
  const { json } = await browser.get("/accounts/me");
  const organisations = json["organisations"] as { organisationId: string; role: string }[];
  return organisations.find(({ organisationId }) => organisationId === json["organisationId"])?.role;
};

test("an owner invites a colleague, who joins with exactly the invited role", async () => {
  const owner = await registerPerson(accounts, "Ada Byron");
  const email = "grace@colleague.example";
  const early = await owner.browser.post("/accounts/invitations", { email, role: "support" });
  assert.equal(early.json["refusal"], "STEP_UP_NEEDED");
  await stepUp(owner);
  const token = await invite(owner.browser, email, "support");

  const grace = accounts.browser();
  assert.equal(
    (await grace.post("/accounts/invitations/accept", { token, name: "Grace Hopper" })).status,
    200,
  );
  assert.equal((await grace.get("/accounts/people")).json["refusal"], "SET_UP_FIRST");
  await setUpPassword(accounts, grace);
  assert.equal(await roleOf(grace), "support");
  assert.equal((await grace.get("/accounts/people")).json["refusal"], "NOT_ALLOWED");
  const secondAcceptance = await accounts
    .browser()
    .post("/accounts/invitations/accept", { token, name: "Eve" });
  assert.equal(secondAcceptance.json["refusal"], "LINK_INVALID");

  const { json } = await owner.browser.get("/accounts/people");
  const people = json["people"] as { name: string; role: string }[];
  assert.deepEqual(
    people.map(({ name, role }) => [name, role]),
    [
      ["Ada Byron", "owner"],
      ["Grace Hopper", "support"],
    ],
  );
});

test("a person with an account joins only when signed in, and not by the link alone", async () => {
  const [owner, colleague, other] = [
    await givenMember(accounts, { role: "owner", ...freshStepUp }),
    await registerPerson(accounts),
    await registerPerson(accounts),
  ];
  const token = await invite(owner.browser, colleague.email, "finance");
  const accept = { token, name: "Anybody" };
  const byLink = await accounts.browser().post("/accounts/invitations/accept", accept);
  assert.equal(byLink.json["refusal"], "SIGN_IN_FIRST");
  assert.equal(
    (await other.browser.post("/accounts/invitations/accept", accept)).json["refusal"],
    "OTHER_PERSON",
  );
  assert.equal((await colleague.browser.post("/accounts/invitations/accept", accept)).status, 200);
  assert.equal(await roleOf(colleague.browser), "finance");
  const { json } = await colleague.browser.get("/accounts/me");
  assert.equal((json["organisations"] as unknown[]).length, 2);
});

test("a withdrawn, replaced or expired invitation is invalid", async () => {
  const { browser } = await givenMember(accounts, { role: "owner", ...freshStepUp });
  const open = async (token: string): Promise<unknown> =>
    (await accounts.browser().post("/accounts/invitations/accept", { token, name: "Eve" })).json["refusal"];

  const revoked = await invite(browser, "revoked@colleague.example", "reader");
  const { json } = await browser.get("/accounts/people");
  const [{ invitationId } = { invitationId: "" }] = json["invitations"] as { invitationId: string }[];
  assert.equal((await browser.post("/accounts/invitations/revoke", { invitationId })).status, 200);
  assert.equal(await open(revoked), "LINK_INVALID");

  const replaced = await invite(browser, "replaced@colleague.example", "admin");
  const old = await invite(browser, "replaced@colleague.example", "reader");
  assert.equal(await open(replaced), "LINK_INVALID");
  accounts.pass(7 * 24 * 3_600_000 + 1_000);
  assert.equal(await open(old), "LINK_INVALID");
});

test("an invitation can be withdrawn only by its own organisation", async () => {
  const [owner, outsider] = [
    await givenMember(accounts, { role: "owner", ...freshStepUp }),
    await givenMember(accounts, { role: "owner", ...freshStepUp }),
  ];
  const { json } = await owner.browser.post("/accounts/invitations", {
    email: "x@colleague.example",
    role: "reader",
  });
  const { invitationId } = json;
  const denied = await outsider.browser.post("/accounts/invitations/revoke", { invitationId });
  assert.equal(denied.json["refusal"], "NOT_FOUND");
  assert.equal((await owner.browser.post("/accounts/invitations/revoke", { invitationId })).status, 200);
});

test("an admin can neither create nor change an owner", async () => {
  const owner = await givenMember(accounts, { role: "owner", ...freshStepUp });
  const { organisationId } = owner;
  const admin = await givenMember(accounts, { role: "admin", organisationId, ...freshStepUp });
  const reader = await givenMember(accounts, { role: "reader", organisationId });
  const tries: readonly (readonly [string, object])[] = [
    ["/accounts/invitations", { email: "eve@colleague.example", role: "owner" }],
    ["/accounts/people/change-role", { personId: admin.personId, role: "owner" }],
    ["/accounts/people/change-role", { personId: reader.personId, role: "owner" }],
    ["/accounts/people/change-role", { personId: owner.personId, role: "reader" }],
    ["/accounts/people/end", { personId: owner.personId }],
  ];
  for (const [path, body] of tries)
    assert.equal((await admin.browser.post(path, body)).json["refusal"], "NOT_ALLOWED", JSON.stringify(body));
  const change = { personId: reader.personId, role: "developer" };
  const path = "/accounts/people/change-role";
  assert.equal((await admin.browser.post(path, change)).json["refusal"], "APPROVAL_NEEDED");
  const both = { requester: admin.browser, approver: owner.browser };
  assert.equal((await postApproved(both, "people.change", path, change)).status, 200);
  assert.equal(await roleOf(reader.browser), "developer");
});

test("staff cannot get a merchant role, and merchants cannot get a staff role", async () => {
  const owner = await givenMember(accounts, { role: "owner", ...freshStepUp });
  const operator = await givenMember(accounts, { role: "staff-admin", ...freshStepUp });
  const email = "mixed@colleague.example";
  const tries: readonly (readonly [TestBrowser, Role])[] = [
    [owner.browser, "staff-admin"],
    [operator.browser, "owner"],
  ];
  for (const [browser, role] of tries)
    assert.equal(
      (await browser.post("/accounts/invitations", { email, role })).json["refusal"],
      "INVALID_REQUEST",
    );
  const change = { personId: owner.personId, role: "staff-support" };
  assert.equal(
    (await owner.browser.post("/accounts/people/change-role", change)).json["refusal"],
    "INVALID_REQUEST",
  );
});

test("an organisation keeps an owner, also when two owners remove each other at once (race)", async () => {
  for (let round = 0; round < 5; round += 1) {
    const first = await givenMember(accounts, { role: "owner", ...freshStepUp });
    const { organisationId } = first;
    const second = await givenMember(accounts, { role: "owner", organisationId, ...freshStepUp });
    const results = await Promise.all([
      first.browser.post("/accounts/people/end", { personId: second.personId }),
      second.browser.post("/accounts/people/change-role", { personId: first.personId, role: "reader" }),
    ]);
    assert.equal(results.filter(({ status }) => status === 200).length, 1);
    const [left] = await accounts.sql<{ owners: string }>(
      "select count(*) as owners from memberships where organisation_id = $1 and role = 'owner'",
      [organisationId],
    );
    assert.equal(left?.owners, "1");
  }
  const alone = await givenMember(accounts, { role: "owner", ...freshStepUp });
  const leave = await alone.browser.post("/accounts/people/end", { personId: alone.personId });
  assert.equal(leave.json["refusal"], "LAST_OWNER");
});

test("a change of role and the end of a membership apply to the next request", async () => {
  const owner = await givenMember(accounts, { role: "owner", ...freshStepUp });
  const { organisationId } = owner;
  const admin = await givenMember(accounts, { role: "admin", organisationId });
  const { personId } = admin;
  assert.equal((await admin.browser.get("/accounts/people")).status, 200);
  await owner.browser.post("/accounts/people/change-role", { personId, role: "support" });
  assert.equal((await admin.browser.get("/accounts/people")).json["refusal"], "NOT_ALLOWED");
  await owner.browser.post("/accounts/people/end", { personId });
  assert.equal((await admin.browser.get("/accounts/people")).json["refusal"], "ORGANISATION_NEEDED");
  const token = await admin.browser.post("/accounts/token", { environment: "sandbox" });
  assert.equal(token.json["refusal"], "ORGANISATION_NEEDED");
});

test("the list of people shows passkeys, sessions of this organisation, and the last sign-in", async () => {
  const owner = await givenMember(accounts, { role: "owner", ...freshStepUp });
  const { organisationId, personId } = owner;
  const elsewhere = await givenMember(accounts, { role: "reader" });
  await accounts.sql(
    `insert into passkeys (credential_id, person_id, public_key, counter, transports, name, created_at, door)
     values ('at-the-portal', $1, '', 0, '{}', 'one', now(), 'portal'), ('elsewhere', $1, '', 0, '{}', 'two', now(), 'operator')`,
    [personId],
  );
  await accounts.sql(
    `insert into audit (actor_kind, actor, role, act, subject, about_client)
     values ('person', $1, 'none', 'sign-in', $1, $2), ('person', $1, 'none', 'sign-in', $1, $3)`,
    [personId, organisationId, elsewhere.organisationId],
  );
  await accounts.sql("update sessions set organisation_id = $1 where person_id = $2", [
    organisationId,
    elsewhere.personId,
  ]);
  await givenMember(accounts, { role: "reader", organisationId });
  const { json } = await owner.browser.get("/accounts/people");
  const [own, reader] = json["people"] as Readonly<Record<string, unknown>>[];
  assert.partialDeepStrictEqual(own, { personId, passkeyCount: 1, sessionCount: 1 });
  assert.ok(Math.abs(Date.parse(String(own?.["signedInAt"])) - Date.now()) < 60_000);
  assert.partialDeepStrictEqual(reader, { passkeyCount: 0, sessionCount: 1 });
  assert.equal(reader?.["signedInAt"], undefined);
});

test("the last staff-admin cannot be removed", async () => {
  await accounts.sql("delete from memberships where role like 'staff-%'");
  const first = await givenMember(accounts, { role: "staff-admin", ...freshStepUp });
  const second = await givenMember(accounts, { role: "staff-operator" });
  const { personId } = first;
  const leave = await first.browser.post("/accounts/people/end", { personId });
  assert.equal(leave.json["refusal"], "LAST_OWNER");
  const newStaffAdmin = { personId: second.personId, role: "staff-admin" };
  const path = "/accounts/people/change-role";
  const alone = await first.browser.post(path, newStaffAdmin);
  assert.equal(alone.json["refusal"], "APPROVAL_NEEDED");
  assert.match(String(alone.json["message"]), /staff invite/);
  const third = await givenMember(accounts, { role: "staff-admin", ...freshStepUp });
  const both = { requester: first.browser, approver: third.browser };
  assert.equal((await postApproved(both, "people.change", path, newStaffAdmin)).status, 200);
  assert.equal((await first.browser.post("/accounts/people/end", { personId })).status, 200);
});

test("people of one organisation cannot find people of another", async () => {
  const [owner, outsider] = [
    await givenMember(accounts, { role: "owner", ...freshStepUp }),
    await givenMember(accounts, { role: "owner", ...freshStepUp }),
  ];
  const { personId, organisationId } = outsider;
  const { browser } = owner;
  const tries: readonly (readonly [string, object])[] = [
    ["/accounts/people/change-role", { personId, role: "reader" }],
    ["/accounts/people/end", { personId }],
    ["/accounts/organisations/choose", { organisationId }],
  ];
  for (const [path, body] of tries) {
    const foreign = await browser.post(path, body);
    const nowhere = await browser.post(
      path,
      JSON.parse(JSON.stringify(body).replaceAll(/(per|org)_[\w-]{20}/g, "$1_AAAAAAAAAAAAAAAAAAAA")),
    );
    assert.deepEqual([foreign.status, foreign.json], [404, nowhere.json], path);
  }
});

test("removing or demoting a person withdraws and returns the invitations that the person sent", async () => {
  for (const [path, change] of [
    ["/accounts/people/end", {}],
    ["/accounts/people/change-role", { role: "support" }],
  ] as const) {
    const owner = await givenMember(accounts, { role: "owner", ...freshStepUp });
    const { organisationId } = owner;
    const admin = await givenMember(accounts, { role: "admin", organisationId, ...freshStepUp });
    const { personId } = admin;
    const email = `${personId.toLowerCase()}@another.example`;
    // The test inserts the invitation by SQL, because an invitation through the API needs approval if two people can
    // invite.
    const token = randomBytes(32).toString("base64url");
    await accounts.sql(
      `insert into invitations (invitation_id, organisation_id, link_hash, email, role, invited_by, created_at, expires_at)
       values ($1, $2, $3, $4, 'admin', $5, now(), now() + interval '7 days')`,
      [newId("inv"), organisationId, sha256(token), email, personId],
    );
    const { status, json } = await owner.browser.post(path, { personId, ...change });
    assert.equal(status, 200, JSON.stringify(json));
    assert.partialDeepStrictEqual(json["endedInvitations"], [{ email, role: "admin" }]);
    const accepted = await accounts.browser().post("/accounts/invitations/accept", { token, name: "Again" });
    assert.equal(accepted.json["refusal"], "LINK_INVALID", path);
    const { json: audit } = await owner.browser.get("/accounts/audit");
    assert.match(JSON.stringify(audit["entries"]), new RegExp(email), "the audit names it");
  }
});

test("PostgreSQL deletes the invitations of a person whose membership is deleted", async () => {
  const { personId, organisationId } = await givenMember(accounts, { role: "admin" });
  await accounts.sql(
    `insert into invitations (invitation_id, organisation_id, link_hash, email, role, invited_by, created_at, expires_at)
     values ($1, $2, $3, 'left@another.example', 'admin', $4, now(), now() + interval '7 days')`,
    [newId("inv"), organisationId, randomBytes(32), personId],
  );
  await accounts.sql("delete from memberships where person_id = $1", [personId]);
  assert.equal((await accounts.sql("select from invitations where invited_by = $1", [personId])).length, 0);
});
