import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { givenMember } from "../../accounts/test/test-accounts.ts";
import {
  addConnector,
  changeConnector,
  findConnector,
} from "../../server/src/operators/providers/connector-settings.ts";
import { findProviderAccounts } from "../../server/src/operators/providers/provider-accounts.ts";
import { eventually, startTestProcess } from "../../server/test/start/test-process.ts";
import { callPayments, payRequest } from "../../server/test/start/test-stack.ts";
import { checkPage } from "./check-page.ts";
import { newVisitor, startGatewayFor, startTestPortal } from "./test-portal.ts";

/** An operator sets a merchant's account at acquirers, with approval, as in live, and finds a payment by card. */
const portal = await startTestPortal();
const { accounts } = portal;
const { database, merchant, provider } = await startGatewayFor(portal, {
  TOLLGATE_APPROVAL_RULES: "merchants.change",
});
const { clientId } = merchant;
const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
const second = {
  name: "second-acquirer",
  url: provider.url,
  partnerId: "tollgate",
  publicKeyFile: provider.publicKeyFile,
  paymentMethodTypes: ["CARD"],
  simulator: true,
};
await addConnector(operator.url, "sandbox", { ...second, terms: { accounts: "required", priority: 200 } });
await addConnector(operator.url, "sandbox", { ...second, name: "first-acquirer" });
const { name: sandboxConnector } = await findConnector(operator, "test-provider");
await changeConnector(operator, sandboxConnector, { terms: { accounts: "optional" } });
const { page } = await newVisitor(portal);
/** The second staff-admin, who approves. */
const kurt = await givenMember(accounts, { role: "staff-admin", steppedUpAgoMs: 0 });

async function signIn(): Promise<void> {
  const words = ["accounts/src/main.ts", "staff", "invite", "--email", "grace@pay.example"];
  const { child } = startTestProcess(words, accounts.variables);
  let printed = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  await once(child, "close");
  await page.goto(printed.trim());
  await page.getByLabel("Your name").fill("Grace");
  await page.getByRole("button", { name: "Accept" }).click();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("heading", { name: "Open records" }).waitFor();
}

/** Approves the one open request, as a person who has just re-authenticated. */
async function approveAsKurt(): Promise<void> {
  const { personId, browser } = kurt;
  await accounts.sql("update sessions set stepped_up_at = $1, seen_at = $1 where person_id = $2", [
    accounts.now(),
    personId,
  ]);
  const { json } = await browser.get("/accounts/approvals");
  const [approval] = json["approvals"] as { approvalId: string }[];
  const confirmed = await browser.post("/accounts/approvals/confirm", { approvalId: approval?.approvalId });
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.json));
}

test("the page of the providers shows accounts, priorities and the methods that connectors share", async () => {
  await signIn();
  await page.goto(`${accounts.operatorUrl}/sandbox/providers`);
  await page.getByText("Order of the connectors for CARD: first-acquirer, second-acquirer").first().waitFor();
  await page.getByText("Merchant accounts required · Priority 200").waitFor();
  await checkPage(page, "operator-providers-shared");
});

test("a merchant's account is set on its page after another person's approval", async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${accounts.operatorUrl}/sandbox/merchants/${clientId}`);
  const section = page.locator("section").filter({ hasText: "Accounts at payment providers" });
  await section.getByText("None.").waitFor();
  await section.getByLabel("Connector").selectOption("second-acquirer");
  await section.getByLabel("Account reference").fill("acct_1A2b3C");
  await section.getByLabel("Reason", { exact: false }).first().fill("contract 4711");
  await section.getByRole("button", { name: "Set account" }).click();
  const confirm = page.getByRole("button", { name: "Confirm with a passkey" });
  const request = page.getByRole("button", { name: "Request approval" });
  await confirm.or(request).first().waitFor();
  if (await confirm.isVisible()) await confirm.click();
  await request.click();
  await page.getByText("Everyone who can approve was notified by email.").waitFor();
  await checkPage(page, "operator-account-approval");
  const accountsNow = (): ReturnType<typeof findProviderAccounts> =>
    findProviderAccounts(operator, { clientId, connector: undefined, limit: 10 });
  assert.deepEqual(await accountsNow(), []);

  await approveAsKurt();
  await page.goto(`${accounts.operatorUrl}/approvals`);
  await page.getByRole("button", { name: "Complete the action" }).click();
  await page.getByRole("heading", { name: "No pending approvals" }).waitFor();
  const [account] = await accountsNow();
  assert.partialDeepStrictEqual(account, { connector: "second-acquirer", account: "acct_1A2b3C" });
  await page.goto(`${accounts.operatorUrl}/sandbox/merchants/${clientId}`);
  await section.getByText("acct_1A2b3C").waitFor();
  await section.getByRole("button", { name: "Remove account: second-acquirer acct_1A2b3C" }).waitFor();
  await checkPage(page, "operator-merchant-accounts");
});

test("a text that looks like a key is rejected with the reason", async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const section = page.locator("section").filter({ hasText: "Accounts at payment providers" });
  await section.getByLabel("Account reference").fill("sk_live_51H8abcdEXAMPLE");
  await section.getByLabel("Reason", { exact: false }).first().fill("contract 4711");
  await section.getByRole("button", { name: "Set account" }).click();
  await page.getByText(/looks like a key/).waitFor();
});

test("the page of a payment by card shows the card, the provider's fee and the value date", async () => {
  const paymentMethod = { paymentMethodType: "CARD" };
  const { json } = await callPayments(
    portal.gatewayUrl,
    merchant,
    "pay",
    payRequest("by-card", { paymentMethod }),
  );
  const approve = (): Promise<{ readonly status: number }> =>
    provider.control(String(json["paymentId"]), "approve");
  await eventually(30_000, approve, ({ status }) => status === 200);
  await eventually(
    15_000,
    () => callPayments(portal.gatewayUrl, merchant, "inquiryPayment", { paymentRequestId: "by-card" }),
    (answer) => answer.json["paymentStatus"] === "SUCCESS",
  );
  await page.goto(`${accounts.operatorUrl}/sandbox/payment?of=by-card`);
  await page.getByText("MASTERCARD ···· 0004").waitFor();
  await page
    .getByText("2.2.0 · authenticated without a question · liability shifted to the issuer")
    .waitFor();
  const facts = await page.locator("dl.facts").innerText();
  assert.match(facts, /Payment provider's fee\s+EUR\s0\.25\s+Value date\s+\d{4}-\d{2}-\d{2}/);
  await checkPage(page, "operator-payment-by-card");
});
