import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { givenMember } from "../../accounts/test/test-accounts.ts";
import { importBankStatements } from "../../server/src/reconciliation/import-bank-statement.workflow.ts";
import { reconcile } from "../../server/src/reconciliation/reconcile.workflow.ts";
import { setFeeRule } from "../../server/src/operators/ledger/fee-rules.ts";
import { holdPayouts } from "../../server/src/settlement/payouts/hold-payouts.workflow.ts";
import { exampleStatements } from "../../server/test/examples/example-statement.ts";
import { asSuperuser } from "../../server/test/start/test-database.ts";
import { startTestProcess } from "../../server/test/start/test-process.ts";
import { callPayments, payRequest } from "../../server/test/start/test-stack.ts";
import { checkPageForEvidence, checkPage } from "./check-page.ts";
import { newVisitor, startGatewayFor, startTestPortal } from "./test-portal.ts";

const portal = await startTestPortal();
const { accounts, gatewayUrl, staffUrls } = portal;
const { operatorUrl } = accounts;
const { database, merchant, provider } = await startGatewayFor(portal, {
  TOLLGATE_APPROVAL_RULES: "providers.change",
});
const { page, consoleErrors, requestedOrigins } = await newVisitor(portal);

/** `invited` returns the link that the command prints for the first operator. */
async function invited(): Promise<string> {
  const words = ["accounts/src/main.ts", "staff", "invite", "--email", "grace@pay.example"];
  const { child } = startTestProcess(words, accounts.variables);
  let printed = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  await once(child, "close");
  return printed.trim();
}

/** `act` presses a button and enters the reason in its dialog. */
async function act(on: Page, button: string | RegExp, reason: string): Promise<void> {
  await on.getByRole("button", { name: button }).first().click();
  const dialog = on.getByRole("dialog");
  await dialog.getByLabel("Reason").fill(reason);
  await dialog.getByRole("button").last().click();
}

/** `stepUp` re-authenticates when the page requests it. */
async function stepUp(on: Page): Promise<void> {
  await on.getByRole("button", { name: "Confirm with a passkey" }).click();
}

async function findLastAct(actName: string): Promise<object | undefined> {
  const rows = await asSuperuser<object>(
    "select actor_kind, role, reason from audit where act = $1 order by seq desc limit 1",
    [actName],
    database.superuserUrl,
  );
  return rows[0];
}

async function eventuallyAudited(what: string, reason: string): Promise<void> {
  for (const endMs = Date.now() + 20_000; Date.now() < endMs; await page.waitForTimeout(100)) {
    const found = await findLastAct(what);
    if (!found) continue;
    return assert.deepEqual(found, { actor_kind: "person", role: "staff-admin", reason });
  }
  assert.fail(`There is no ${what} in the audit.`);
}

let paymentId = "";

test("an operator signs in only with an invitation and a passkey", async () => {
  await page.goto(await invited());
  await page.getByLabel("Your name").fill("Grace");
  await page.getByRole("button", { name: "Accept" }).click();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("heading", { name: "Open records" }).waitFor();
  assert.equal(new URL(page.url()).origin, operatorUrl);
  const cookies = await page.context().cookies();
  assert.deepEqual(
    cookies.map(({ name }) => name),
    ["__Host-tollgate-operator"],
  );
  // A browser that is signed in at the console is not signed in at the portal, although both have the same host in this
  // test.
  const elsewhere = await page.context().newPage();
  await elsewhere.goto(portal.url);
  await elsewhere.getByRole("heading", { name: "Sign in" }).waitFor();
  await elsewhere.close();
});

test("the job of a payment is held and released; then the provider is polled, and the payment is paid", async () => {
  const { json } = await callPayments(gatewayUrl, merchant, "pay", payRequest("stuck-order"));
  paymentId = String(json["paymentId"]);
  await provider.fault({ kind: "callback-drop", count: 1_000_000, match: { verb: "callback", paymentId } });
  await page.goto(`${operatorUrl}/sandbox`);
  await act(page, `Hold the job: ${paymentId}`, "the provider looks into it");
  await page.getByRole("button", { name: `Release the job: ${paymentId}` }).waitFor();
  await eventuallyAudited("job hold", "the provider looks into it");
  await provider.control(paymentId, "approve");

  await act(page, `Release the job: ${paymentId}`, "the provider is done");
  await eventuallyAudited("job release", "the provider is done");
  await page.goto(`${operatorUrl}/sandbox/payment?of=stuck-order`);
  await page.locator(".status", { hasText: "SUCCESS" }).first().waitFor({ timeout: 40_000 });
  await page.getByText("None: the payment is final.").waitFor();
});

test("before the first reconciliation, the page shows that none has run", async () => {
  await page.goto(`${operatorUrl}/sandbox/breaks`);
  await page.getByRole("heading", { name: "Not reconciled yet" }).waitFor();
  assert.equal(await page.getByText("No open breaks").count(), 0);
});

test("the merchant's page shows the applicable fee rule and the fee of a payment of 100", async () => {
  const operator = {
    url: database.ownerUrl,
    environment: "sandbox",
    by: { name: "ada", reason: "contract" },
  } as const;
  const { terms } = await setFeeRule(operator, {
    clientId: merchant.clientId,
    paymentMethodType: undefined,
    currency: "EUR",
    from: new Date().toISOString(),
    terms: {
      rateMillionths: 29_000n,
      fixedMinor: 30n,
      minimumMinor: 0n,
      maximumMinor: undefined,
      taxMillionths: 0n,
      refundPolicy: "keep",
      refundFixedMinor: 0n,
    },
  });
  await page.goto(`${operatorUrl}/sandbox/merchants/${merchant.clientId}`);
  await page.getByText(/2\.9 % \+ EUR.0\.30, tax 0 % · EUR.100\.00 costs EUR.3\.20, tax included/).waitFor();
  await page.getByText(`Rule ${terms.ruleId}, all methods, EUR, since`).waitFor();
  await page.getByText("For payments without a matching fee rule.").waitFor();
  await checkPage(page, "operator-merchant-fees", [390]);
  await page.setViewportSize({ width: 1440, height: 900 });
});

test("a page whose requests are rejected shows the error instead of an empty list", async () => {
  const refusal = { refusal: "NOT_ALLOWED", message: "Your role does not allow this." };
  await page.route("**/accounts/token", (route) => route.fulfill({ status: 403, json: refusal }));
  // The test removes the live gateway from the page's settings, as on a developer's computer, where no live gateway
  // runs.
  const withoutLive = /,\{[^{}]*live[^{}]*\}/;
  await page.route(`${operatorUrl}/live**`, async (route) => {
    const answer = await route.fetch();
    const html = await answer.text();
    assert.match(html, withoutLive);
    await route.fulfill({ response: answer, body: html.replace(withoutLive, "") });
  });
  const some = ["", "/providers", "/breaks"];
  const others = ["/payment?of=stuck-order", "/merchants", `/merchants/${merchant.clientId}`, "/payouts"];
  // CI tests some of the pages; a release tests all of them.
  for (const path of process.env["TOLLGATE_WHOLE"] === "1" ? [...some, ...others] : some) {
    await page.goto(`${operatorUrl}/live${path}`);
    const refused = page.getByRole("alert").getByText("Your role does not allow this.");
    // Each part of a page shows the refusal, so some pages show it twice.
    await refused.nth(["", "/providers"].includes(path) ? 1 : 0).waitFor();
    assert.equal(await page.locator(".empty").count(), 0, path);
  }
  await page.unrouteAll();
});

test("a break is explained and closed after re-authentication", async () => {
  const until = new Date(Date.now() + 60_000).toISOString().replace(/\.\d+Z$/, "Z");
  const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
  const { breaks } = await reconcile(operator, { connector: undefined, until });
  assert.deepEqual(
    breaks.map(({ kind, paymentId: id }) => [kind, id]),
    [["missing at the provider", paymentId]],
  );
  await page.goto(`${operatorUrl}/sandbox/breaks`);
  await page.getByText("missing at the provider").waitFor();
  await page.getByText("all payment providers · all days").waitFor();
  await page.getByText("test-provider: 0 files, compared until").waitFor();
  await act(page, /^Explain and close/, "it is in tomorrow's file");
  await stepUp(page);
  await page.getByText("“it is in tomorrow's file”").waitFor();
  await eventuallyAudited("break close", "it is in tomorrow's file");
  assert.equal((await reconcile(operator, { connector: undefined, until })).breaks.length, 0);
});

test("a break about a bank charge is assigned and written off", async () => {
  const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
  const file = join(mkdtempSync(join(tmpdir(), "tollgate-bank-")), "statement.xml");
  const entries = [{ reference: "CHARGE-1", minor: -1_200, text: "charges of October" }];
  writeFileSync(file, exampleStatements({ id: "S1", day: "2026-11-02", opening: 5_000, entries }));
  await importBankStatements(operator, { bank: "house-bank", file });
  const until = new Date(Date.now() + 60_000).toISOString();
  const found = async (): Promise<readonly string[]> =>
    (await reconcile(operator, { connector: undefined, until })).breaks.map(({ reference }) => reference);
  assert.deepEqual(await found(), ["CHARGE-1"]);
  await page.goto(`${operatorUrl}/sandbox/breaks`);
  await act(page, "Assign to me: CHARGE-1", "I ask the bank");
  await page.getByRole("button", { name: "Unassign: CHARGE-1" }).waitFor();
  await eventuallyAudited("break assign", "I ask the bank");
  await act(page, "Write off: CHARGE-1", "the bank's charges of October");
  await page.getByText("“the bank's charges of October”").waitFor();
  await page.locator(".status", { hasText: "written off" }).waitFor();
  await eventuallyAudited("break write-off", "the bank's charges of October");
  assert.deepEqual(await found(), []);
});

test("a merchant's documents are reviewed, and the merchant is approved for live", async () => {
  const owner = await givenMember(accounts, { role: "owner", steppedUpAgoMs: 0 });
  const business = {
    legalName: "Coffee Lab GmbH",
    registrationNumber: "HRB 4711",
    country: "DE",
    address: "Kantstrasse 1\n10623 Berlin",
    owner: "Ada Byron",
    website: "https://coffee.example",
    sells: "Roasted coffee, and courses about it",
  };
  assert.equal((await owner.browser.post("/accounts/review/business", business)).status, 200);
  const content = Buffer.from("%PDF-1.7\na paper").toString("base64");
  for (const shows of ["registration", "identity"])
    await owner.browser.post("/accounts/review/documents", { shows, name: `${shows}.pdf`, content });
  assert.equal((await owner.browser.post("/accounts/review/submit", {})).status, 200);

  await page.goto(`${operatorUrl}/reviews`);
  await page.getByText("pending review").waitFor();
  await page.getByRole("link", { name: "Shop" }).first().click();
  await page.getByText("HRB 4711").waitFor();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download: identity.pdf" }).click();
  assert.equal((await saved).suggestedFilename(), "identity.pdf");
  await act(page, /^Approve for live/, "register and passport fit");
  await page.locator(".status", { hasText: "approved" }).waitFor();
  const { json } = await owner.browser.get("/accounts/me");
  assert.partialDeepStrictEqual(json["organisations"], [{ isLive: true }]);
});

/** The second staff-admin, who approves. */
const kurt = await givenMember(accounts, { role: "staff-admin", steppedUpAgoMs: 0 });

/** Approves the one open request, as a person who has just re-authenticated. */
async function approveAsKurt(): Promise<string> {
  const { personId, browser } = kurt;
  await accounts.sql("update sessions set stepped_up_at = $1, seen_at = $1 where person_id = $2", [
    accounts.now(),
    personId,
  ]);
  const { json } = await browser.get("/accounts/approvals");
  const [approval] = json["approvals"] as { approvalId: string; reason: string }[];
  const confirmed = await browser.post("/accounts/approvals/confirm", { approvalId: approval?.approvalId });
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.json));
  return approval?.reason ?? "";
}

test("payouts on hold are listed with reason and release command, on the payouts page and the merchant's page", async () => {
  const { clientId } = merchant;
  const by = { name: "ada", reason: "Suspected fraud, case 4711" };
  await holdPayouts({ url: database.ownerUrl, environment: "sandbox", by }, clientId);
  await page.goto(`${operatorUrl}/sandbox/payouts`);
  const hold = page.getByRole("listitem").filter({ hasText: by.reason });
  await hold.getByText("by ada").waitFor();
  await hold.getByText(`tollgate payout release ${clientId}`).waitFor();
  await checkPage(page, "operator-payouts-on-hold", [390]);
  await page.setViewportSize({ width: 1440, height: 900 });
  await hold.getByRole("link", { name: clientId }).click();
  await page.getByText(by.reason).waitFor();
  await checkPageForEvidence(page, "operator-merchant-on-hold");
  await page.setViewportSize({ width: 1440, height: 900 });
});

test("a connector is disabled with approval, and the audit log names both people", async () => {
  await page.goto(`${operatorUrl}/sandbox/providers`);
  await act(page, /^Disable/, "it answers twice");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Request approval" }).click();
  await dialog.getByText("Everyone who can approve was notified by email.").waitFor();
  assert.equal(await approveAsKurt(), "it answers twice");
  await dialog.getByRole("link", { name: "Approvals" }).click();
  await page.getByText("Approved. Complete the action").waitFor();
  await checkPageForEvidence(page, "operator-approval-confirmed");
  await page.getByRole("button", { name: "Complete the action" }).click();
  await page.getByRole("heading", { name: "No pending approvals" }).waitFor();
  await eventuallyAudited("connector disable", `it answers twice Confirmed by ${kurt.personId}.`);

  await page.getByRole("link", { name: "Audit log" }).click();
  const row = page.getByRole("listitem").filter({ hasText: "Disabled a connector" });
  await row.getByText("“it answers twice Confirmed by Eve.”").waitFor();
  await row.getByText("grace@pay.example").waitFor();
  await page.getByRole("alert").getByText("Live did not respond").waitFor();
  await page
    .getByRole("listitem")
    .filter({ hasText: "Approved the request to go live" })
    .getByText("Accounts")
    .waitFor();
  await page.getByLabel("Place", { exact: true }).selectOption("Accounts");
  await page.waitForURL(/where=accounts/);
  await row.waitFor({ state: "detached" });
});

test("staff see who they are, invite a colleague with approval, and keep their last admin", async () => {
  await page.getByRole("link", { name: "Staff" }).click();
  const grace = page.getByRole("listitem").filter({ hasText: "grace@pay.example" });
  await grace.getByText("Passkeys: 1").waitFor();
  await grace.getByText("Open sessions: 1").waitFor();
  await page.getByRole("button", { name: "Invite a person" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Email").fill("night@pay.example");
  await dialog.getByLabel("Staff: operator").check();
  await dialog.getByRole("button", { name: "Send invitation" }).click();
  await dialog.getByLabel("Reason for the request").fill("For the nights.");
  await dialog.getByRole("button", { name: "Request approval" }).click();
  await dialog.getByText("Everyone who can approve was notified by email.").waitFor();
  assert.equal(await approveAsKurt(), "For the nights.");
  await dialog.getByRole("link", { name: "Approvals" }).click();
  await page.getByRole("button", { name: "Complete the action" }).click();
  await page.getByRole("heading", { name: "No pending approvals" }).waitFor();
  await page.getByRole("link", { name: "Staff" }).click();
  await page.getByRole("heading", { name: "Pending invitations" }).waitFor();
  assert.match((await accounts.smtp.emailTo("night@pay.example")).text, new RegExp(operatorUrl));
  await checkPageForEvidence(page, "operator-people-invited");

  // The test removes the other admin, and then checks that the last admin cannot be removed.
  const remove = async (name: string): Promise<void> => {
    await page.getByRole("button", { name: `Remove ${name}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  };
  await remove("Eve");
  await page.getByRole("button", { name: "Remove Eve" }).waitFor({ state: "detached" });
  await remove("Grace");
  await page.getByRole("alert").getByText("staff need at least one admin").waitFor();
});

test("two staff members vouch for a merchant's member, and the recovery can be stopped for 24 hours", async () => {
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Go to a page, or type the id of a payment").fill("account rec");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "No open account recovery" }).waitFor();
  // Grace has just joined, and a new member may not vouch.
  await accounts.sql("update memberships set role_since = role_since - interval '2 days'");
  const { personId } = await givenMember(accounts, { role: "owner" });
  await page.getByLabel("Email").fill(`${personId.toLowerCase()}@shop.example`);
  await page.getByLabel("How you verified the identity").fill("Called her at home.");
  await page.getByRole("button", { name: "I vouch for this person" }).click();
  await page.getByText("A second staff member must now vouch").waitFor();
  await page.getByText("needs one more person to vouch").waitFor();
  await checkPageForEvidence(page, "operator-recovery-waits");
  await page.getByRole("button", { name: "Stop the account recovery of Eve" }).click();
  await page.getByRole("heading", { name: "No open account recovery" }).waitFor();
});

test("an announcement is shown on merchants' pages until it is removed", async () => {
  await page.goto(`${operatorUrl}/announcement`);
  await page.getByLabel("Message").fill("Refunds by GCash are late today.");
  await page.getByRole("button", { name: "Publish" }).click();
  await page.getByRole("status").getByText("Refunds by GCash are late today.").waitFor();
  const outsider = await newVisitor(portal);
  await outsider.page.goto(`${portal.url}/sign-in`);
  await outsider.page.getByText("Refunds by GCash are late today.").waitFor();
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByText("There is no announcement.").waitFor();
});

test("every page is accessible in light and dark mode, on a phone, and with a screen reader", async () => {
  const here = ["", "/payment?of=stuck-order", "/merchants", `/merchants/${merchant.clientId}`, "/providers"];
  const all = [
    ...[...here, "/breaks"].map((path) => `/sandbox${path}`),
    "/audit",
    "/people",
    "/approvals",
    "/recoveries",
    "/reviews",
    "/announcement",
  ];
  // CI checks two of the pages; a release checks all of them.
  for (const path of process.env["TOLLGATE_WHOLE"] === "1" ? all : all.slice(0, 2)) {
    await page.goto(`${operatorUrl}${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    assert.ok((await checkPage(page, `operator${path.replaceAll(/[^a-z]+/g, "-")}`)) > 20, path);
  }
});

test("no page logs an error or sends a request to a host other than accounts and gateway", () => {
  assert.deepEqual(
    // The browser's console also reports: a person who is not signed in (401), the invitation that needs approval (403), the last admin
    // (409), and the live gateway, which is not started here.
    consoleErrors.filter((text) => !/status of 40[139]|ERR_CONNECTION_REFUSED/.test(text)),
    [],
  );
  assert.deepEqual(
    [...requestedOrigins].toSorted(),
    [staffUrls.sandbox, operatorUrl, staffUrls.live].toSorted(),
  );
});
