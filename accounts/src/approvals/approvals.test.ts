import assert from "node:assert/strict";
import { test } from "node:test";
import { isTokenProblem, readPersonToken } from "../../../server/src/people/person-token.ts";
import { isConfirmed } from "../../../server/src/people/approval-rules.ts";
import { givenMember, startTestAccounts } from "../../test/test-accounts.ts";
import type { Answer } from "../../test/test-browser.ts";
import { readTokenKey } from "../tokens/token-key.ts";

const accounts = await startTestAccounts({ ACCOUNTS_APPROVAL_RULES: "people.invite" });
const { kid } = await readTokenKey(accounts.variables["ACCOUNTS_TOKEN_KEY_FILE"] ?? "");
const refusalOf = ({ json }: Answer): unknown => json["refusal"];

type Member = Awaited<ReturnType<typeof givenMember>>;
const colleague = (
  role: "owner" | "admin" | "finance" | "support",
  organisationId: string,
): Promise<Member> => givenMember(accounts, { role, organisationId, steppedUpAgoMs: 0 });

interface Asking {
  readonly asker: Member;
  readonly clientId: string;
  readonly approvalId: string;
}

const request = { refundRequestId: "r-1", refundAmount: { currency: "EUR", value: "990000" } };

async function askForRefund(): Promise<Asking> {
  const asker = await givenMember(accounts, { role: "owner", steppedUpAgoMs: 0 });
  const { json } = await asker.browser.post("/accounts/clients/sandbox", { name: "Shop" });
  const clientId = String(json["clientId"]);
  const asked = await asker.browser.post("/accounts/approvals", {
    environment: "sandbox",
    permission: "payments.refund",
    act: "refund",
    clientId,
    request,
    reason: "The buyer got the wrong machine.",
  });
  assert.equal(asked.status, 200);
  return { asker, clientId, approvalId: String(asked.json["approvalId"]) };
}

const confirm = ({ browser }: Member, approvalId: string): Promise<Answer> =>
  browser.post("/accounts/approvals/confirm", { approvalId });
const tokenOf = ({ browser }: Member, approvalId: string, environment = "sandbox"): Promise<Answer> =>
  browser.post("/accounts/token", { environment, approvalId });

test("a request is approved by another person with the permission, and the requester's token contains the approval", async () => {
  const { asker, clientId, approvalId } = await askForRefund();
  const { organisationId } = asker;
  const finance = await colleague("finance", organisationId);
  assert.equal(refusalOf(await tokenOf(asker, approvalId)), "APPROVAL_NEEDED");
  assert.equal(refusalOf(await confirm(asker, approvalId)), "ANOTHER_PERSON_NEEDED");
  assert.equal(
    refusalOf(await confirm(await colleague("support", organisationId), approvalId)),
    "NOT_ALLOWED",
  );
  const idle = await givenMember(accounts, { role: "admin", organisationId });
  assert.equal(refusalOf(await confirm(idle, approvalId)), "STEP_UP_NEEDED");
  const elsewhere = await givenMember(accounts, { role: "owner", steppedUpAgoMs: 0 });
  assert.equal(refusalOf(await confirm(elsewhere, approvalId)), "NOT_FOUND");

  const { json } = await finance.browser.get("/accounts/approvals");
  const [shown] = json["approvals"] as { request: object; mayConfirm: boolean; reason: string }[];
  assert.deepEqual([shown?.request, shown?.mayConfirm], [request, true]);
  assert.equal((await confirm(finance, approvalId)).status, 200);
  assert.equal(refusalOf(await confirm(idle, approvalId)), "NOT_FOUND");

  const keys = new Map([[kid, accounts.tokenPublicKey]]);
  const issued = await tokenOf(asker, approvalId);
  const nowMs = accounts.now().getTime();
  const token = readPersonToken(String(issued.json["token"]), { audience: "sandbox", keys, nowMs });
  assert(!isTokenProblem(token), JSON.stringify(token));
  assert.equal(token.confirmed?.by, finance.personId);
  assert.ok(isConfirmed(token, "payments.refund", { act: "refund", place: clientId, request }));
  for (const [who, environment] of [
    [finance, "sandbox"],
    [asker, "live"],
  ] as const)
    assert.notEqual((await tokenOf(who, approvalId, environment)).status, 200);
});

test("an approval ends when the approver loses the permission, after one hour, and when it is rejected", async () => {
  const first = await askForRefund();
  const { organisationId } = first.asker;
  const finance = await colleague("finance", organisationId);
  await confirm(finance, first.approvalId);
  assert.equal((await tokenOf(first.asker, first.approvalId)).status, 200);
  await accounts.sql("update memberships set role = 'reader' where person_id = $1", [finance.personId]);
  assert.equal(refusalOf(await tokenOf(first.asker, first.approvalId)), "APPROVAL_NEEDED");

  const second = await askForRefund();
  const other = await colleague("owner", second.asker.organisationId);
  assert.equal(
    (await other.browser.post("/accounts/approvals/drop", { approvalId: second.approvalId })).status,
    200,
  );
  assert.equal(refusalOf(await confirm(other, second.approvalId)), "NOT_FOUND");

  const third = await askForRefund();
  await confirm(await colleague("owner", third.asker.organisationId), third.approvalId);
  accounts.pass(61 * 60_000);
  await accounts.sql("update sessions set seen_at = $1 where person_id = $2", [
    accounts.now(),
    third.asker.personId,
  ]);
  assert.equal(refusalOf(await tokenOf(third.asker, third.approvalId)), "APPROVAL_NEEDED");
});

test("an action of accounts requires approval if the operator configured it, and each approval is valid once", async () => {
  const asker = await givenMember(accounts, { role: "owner", steppedUpAgoMs: 0 });
  const invitation = { email: "new@colleague.example", role: "owner" };
  const path = "/accounts/invitations";
  const invite = (body: object, approval?: string): Promise<Answer> =>
    asker.browser.post(path, body, approval === undefined ? {} : { approval });
  assert.equal(refusalOf(await invite(invitation)), "APPROVAL_NEEDED");
  const asked = await asker.browser.post("/accounts/approvals", {
    environment: "live",
    permission: "people.invite",
    act: `POST ${path}`,
    request: invitation,
    reason: "She joins on Monday.",
  });
  const approvalId = String(asked.json["approvalId"]);
  assert.equal(refusalOf(await invite(invitation, approvalId)), "APPROVAL_NEEDED");
  await confirm(await colleague("admin", asker.organisationId), approvalId);
  assert.equal((await invite(invitation, approvalId)).status, 200);
  assert.equal(refusalOf(await invite(invitation, approvalId)), "APPROVAL_NEEDED");
});

test("an approval for a weaker permission does not allow a stronger act", async () => {
  const asker = await givenMember(accounts, { role: "owner", steppedUpAgoMs: 0 });
  const invitation = { email: "new@colleague.example", role: "owner" };
  const asked = await asker.browser.post("/accounts/approvals", {
    environment: "live",
    permission: "payments.cancel",
    act: "POST /accounts/invitations",
    request: invitation,
    reason: "ViewAuditBuffer harmless.",
  });
  const approvalId = String(asked.json["approvalId"]);
  assert.equal((await confirm(await colleague("support", asker.organisationId), approvalId)).status, 200);
  const tried = await asker.browser.post("/accounts/invitations", invitation, { approval: approvalId });
  assert.equal(refusalOf(tried), "APPROVAL_NEEDED");
});

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** `joined` creates a colleague who joined this long ago, with an open session. */
const joined = (
  organisationId: string,
  joinedAgoMs: number,
  role: "admin" | "reader" = "admin",
): Promise<Member> => givenMember(accounts, { role, organisationId, steppedUpAgoMs: 0, joinedAgoMs });

test("a new member approves nothing in the first 24 hours, and nothing that was requested before", async () => {
  const { asker, approvalId } = await askForRefund();
  const { organisationId } = asker;
  const newcomer = await joined(organisationId, dayMs - hourMs);
  assert.equal(refusalOf(await confirm(newcomer, approvalId)), "APPROVER_TOO_NEW");
  const { json } = await newcomer.browser.get("/accounts/approvals");
  assert.deepEqual(
    (json["approvals"] as { mayConfirm: boolean }[]).map(({ mayConfirm }) => mayConfirm),
    [false],
  );
  assert.equal((await confirm(await joined(organisationId, dayMs), approvalId)).status, 200);

  // The request is older than the membership, and the membership is older than one day.
  const old = await askForRefund();
  await accounts.sql(
    "update approvals set asked_at = asked_at - interval '30 hours' where approval_id = $1",
    [old.approvalId],
  );
  const later = await joined(old.asker.organisationId, dayMs + hourMs);
  assert.equal(refusalOf(await confirm(later, old.approvalId)), "APPROVER_TOO_NEW");
});

test("a change of role starts the 24 hours again", async () => {
  const { asker, approvalId } = await askForRefund();
  const { organisationId } = asker;
  const raised = await joined(organisationId, 10 * dayMs, "reader");
  await accounts.sql("update memberships set role = 'admin' where person_id = $1", [raised.personId]);
  assert.equal(refusalOf(await confirm(raised, approvalId)), "APPROVER_TOO_NEW");
});

test("PostgreSQL refuses an approval by a new member, or by a person of another organisation", async () => {
  const { asker, approvalId } = await askForRefund();
  const newcomer = await joined(asker.organisationId, hourMs);
  const elsewhere = await givenMember(accounts, { role: "owner" });
  for (const { personId } of [newcomer, elsewhere])
    await assert.rejects(
      accounts.sql("update approvals set confirmed_by = $1, confirmed_at = $2 where approval_id = $3", [
        personId,
        accounts.now(),
        approvalId,
      ]),
      /cannot approve/,
    );
});
