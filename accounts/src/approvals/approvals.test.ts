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

interface ApprovalRequest {
  readonly requester: Member;
  readonly clientId: string;
  readonly approvalId: string;
}

const request = { refundRequestId: "r-1", refundAmount: { currency: "EUR", value: "990000" } };

async function requestRefund(): Promise<ApprovalRequest> {
  const requester = await givenMember(accounts, { role: "owner", steppedUpAgoMs: 0 });
  const { json } = await requester.browser.post("/accounts/clients/sandbox", { name: "Shop" });
  const clientId = String(json["clientId"]);
  const approvalRequest = await requester.browser.post("/accounts/approvals", {
    environment: "sandbox",
    permission: "payments.refund",
    act: "refund",
    clientId,
    request,
    reason: "The buyer got the wrong machine.",
  });
  assert.equal(approvalRequest.status, 200);
  return { requester, clientId, approvalId: String(approvalRequest.json["approvalId"]) };
}

const approve = ({ browser }: Member, approvalId: string): Promise<Answer> =>
  browser.post("/accounts/approvals/confirm", { approvalId });
const tokenOf = ({ browser }: Member, approvalId: string, environment = "sandbox"): Promise<Answer> =>
  browser.post("/accounts/token", { environment, approvalId });

test("a request is approved by another person with the permission, and the requester's token contains the approval", async () => {
  const { requester, clientId, approvalId } = await requestRefund();
  const { organisationId } = requester;
  const finance = await colleague("finance", organisationId);
  assert.equal(refusalOf(await tokenOf(requester, approvalId)), "APPROVAL_NEEDED");
  assert.equal(refusalOf(await approve(requester, approvalId)), "ANOTHER_PERSON_NEEDED");
  assert.equal(
    refusalOf(await approve(await colleague("support", organisationId), approvalId)),
    "NOT_ALLOWED",
  );
  const idle = await givenMember(accounts, { role: "admin", organisationId });
  assert.equal(refusalOf(await approve(idle, approvalId)), "STEP_UP_NEEDED");
  const elsewhere = await givenMember(accounts, { role: "owner", steppedUpAgoMs: 0 });
  assert.equal(refusalOf(await approve(elsewhere, approvalId)), "NOT_FOUND");

  const { json } = await finance.browser.get("/accounts/approvals");
  const [shown] = json["approvals"] as { request: object; mayConfirm: boolean; reason: string }[];
  assert.deepEqual([shown?.request, shown?.mayConfirm], [request, true]);
  assert.equal((await approve(finance, approvalId)).status, 200);
  assert.equal(refusalOf(await approve(idle, approvalId)), "NOT_FOUND");

  const keys = new Map([[kid, accounts.tokenPublicKey]]);
  const issued = await tokenOf(requester, approvalId);
  const nowMs = accounts.now().getTime();
  const token = readPersonToken(String(issued.json["token"]), { audience: "sandbox", keys, nowMs });
  assert(!isTokenProblem(token), JSON.stringify(token));
  assert.equal(token.confirmed?.by, finance.personId);
  assert.ok(isConfirmed(token, "payments.refund", { act: "refund", place: clientId, request }));
  for (const [who, environment] of [
    [finance, "sandbox"],
    [requester, "live"],
  ] as const)
    assert.notEqual((await tokenOf(who, approvalId, environment)).status, 200);
});

test("an approval ends when the approver loses the permission, after one hour, and when it is rejected", async () => {
  const first = await requestRefund();
  const { organisationId } = first.requester;
  const finance = await colleague("finance", organisationId);
  await approve(finance, first.approvalId);
  assert.equal((await tokenOf(first.requester, first.approvalId)).status, 200);
  await accounts.sql("update memberships set role = 'reader' where person_id = $1", [finance.personId]);
  assert.equal(refusalOf(await tokenOf(first.requester, first.approvalId)), "APPROVAL_NEEDED");

  const second = await requestRefund();
  const other = await colleague("owner", second.requester.organisationId);
  assert.equal(
    (await other.browser.post("/accounts/approvals/drop", { approvalId: second.approvalId })).status,
    200,
  );
  assert.equal(refusalOf(await approve(other, second.approvalId)), "NOT_FOUND");

  const third = await requestRefund();
  await approve(await colleague("owner", third.requester.organisationId), third.approvalId);
  accounts.pass(61 * 60_000);
  await accounts.sql("update sessions set seen_at = $1 where person_id = $2", [
    accounts.now(),
    third.requester.personId,
  ]);
  assert.equal(refusalOf(await tokenOf(third.requester, third.approvalId)), "APPROVAL_NEEDED");
});

test("an action of accounts requires approval if the operator configured it, and each approval is valid once", async () => {
  const requester = await givenMember(accounts, { role: "owner", steppedUpAgoMs: 0 });
  const invitation = { email: "new@colleague.example", role: "owner" };
  const path = "/accounts/invitations";
  const invite = (body: object, approval?: string): Promise<Answer> =>
    requester.browser.post(path, body, approval === undefined ? {} : { approval });
  assert.equal(refusalOf(await invite(invitation)), "APPROVAL_NEEDED");
  const approvalRequest = await requester.browser.post("/accounts/approvals", {
    environment: "live",
    permission: "people.invite",
    act: `POST ${path}`,
    request: invitation,
    reason: "She joins on Monday.",
  });
  const approvalId = String(approvalRequest.json["approvalId"]);
  assert.equal(refusalOf(await invite(invitation, approvalId)), "APPROVAL_NEEDED");
  await approve(await colleague("admin", requester.organisationId), approvalId);
  assert.equal((await invite(invitation, approvalId)).status, 200);
  assert.equal(refusalOf(await invite(invitation, approvalId)), "APPROVAL_NEEDED");
});

test("an approval for a weaker permission does not allow a stronger act", async () => {
  const requester = await givenMember(accounts, { role: "owner", steppedUpAgoMs: 0 });
  const invitation = { email: "new@colleague.example", role: "owner" };
  const approvalRequest = await requester.browser.post("/accounts/approvals", {
    environment: "live",
    permission: "payments.cancel",
    act: "POST /accounts/invitations",
    request: invitation,
    reason: "Looks harmless.",
  });
  const approvalId = String(approvalRequest.json["approvalId"]);
  assert.equal((await approve(await colleague("support", requester.organisationId), approvalId)).status, 200);
  const tried = await requester.browser.post("/accounts/invitations", invitation, { approval: approvalId });
  assert.equal(refusalOf(tried), "APPROVAL_NEEDED");
});

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** `givenColleague` creates a colleague who joined this long ago, with an open session. */
const givenColleague = (
  organisationId: string,
  joinedAgoMs: number,
  role: "admin" | "reader" = "admin",
): Promise<Member> => givenMember(accounts, { role, organisationId, steppedUpAgoMs: 0, joinedAgoMs });

test("a new member approves nothing in the first 24 hours, and nothing that was requested before", async () => {
  const { requester, approvalId } = await requestRefund();
  const { organisationId } = requester;
  const newcomer = await givenColleague(organisationId, dayMs - hourMs);
  assert.equal(refusalOf(await approve(newcomer, approvalId)), "APPROVER_TOO_NEW");
  const { json } = await newcomer.browser.get("/accounts/approvals");
  assert.deepEqual(
    (json["approvals"] as { mayConfirm: boolean }[]).map(({ mayConfirm }) => mayConfirm),
    [false],
  );
  assert.equal((await approve(await givenColleague(organisationId, dayMs), approvalId)).status, 200);

  // The request is older than the membership, and the membership is older than one day.
  const old = await requestRefund();
  await accounts.sql(
    "update approvals set asked_at = asked_at - interval '30 hours' where approval_id = $1",
    [old.approvalId],
  );
  const later = await givenColleague(old.requester.organisationId, dayMs + hourMs);
  assert.equal(refusalOf(await approve(later, old.approvalId)), "APPROVER_TOO_NEW");
});

test("a change of role starts the 24 hours again", async () => {
  const { requester, approvalId } = await requestRefund();
  const { organisationId } = requester;
  const raised = await givenColleague(organisationId, 10 * dayMs, "reader");
  await accounts.sql("update memberships set role = 'admin' where person_id = $1", [raised.personId]);
  assert.equal(refusalOf(await approve(raised, approvalId)), "APPROVER_TOO_NEW");
});

test("PostgreSQL refuses an approval by a new member, or by a person of another organisation", async () => {
  const { requester, approvalId } = await requestRefund();
  const newcomer = await givenColleague(requester.organisationId, hourMs);
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
