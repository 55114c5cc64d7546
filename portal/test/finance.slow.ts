import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { accountingDayOf, nextAccountingDay } from "../../server/src/core/accounting-day.ts";
import { pdfText } from "../../server/test/documents/pdf-text.ts";
import { exampleStatements } from "../../server/test/examples/example-statement.ts";
import { ibans, ourBank, statusReport } from "../../server/test/examples/settlement-fixture.ts";
import { asSuperuser } from "../../server/test/start/test-database.ts";
import { newOperatorProcess } from "../../server/test/start/operator-process.ts";
import { writeTestFile } from "../../server/test/start/test-gateway.ts";
import { eventually, startTestProcess } from "../../server/test/start/test-process.ts";
import { checkPageForEvidence, checkPage } from "./check-page.ts";
import { openShop, pay, readDownload } from "./register-merchant.ts";
import { linkTo, newVisitor, startGatewayFor, startTestPortal } from "./test-portal.ts";

/**
 * The test follows the money from a buyer's payment to the bank statement and back to the payment. The finance team's
 * commands run with a clock one day ahead. The provider has paid EUR 0.35 less than its settlement file says.
 */
const portal = await startTestPortal();
const { accounts } = portal;
const { database, variables, provider } = await startGatewayFor(portal, {
  TOLLGATE_APPROVAL_RULES: "breaks.write-off",
});
const dayMs = 24 * 3600 * 1000;
const operator = newOperatorProcess({
  ...variables,
  TOLLGATE_OWNER_DATABASE_URL: database.ownerUrl,
  CLOCK_SHIFT_MS: String(dayMs),
});
const clockShift = fileURLToPath(new URL("../../proof/installation/shifted-clock.ts", import.meta.url));
const missingMinor = 35;

/** `nextDay` runs a command with the clock one day ahead. */
async function nextDay<Told>(
  command: string,
  ...args: readonly string[]
): Promise<[code: number | null, Told]> {
  const { code, stdout, stderr } = await operator.runWith(
    ["--import", clockShift],
    command,
    ...args,
    "--json",
  );
  assert.ok(stdout.startsWith("{") || stdout.startsWith("["), stderr);
  return [code, JSON.parse(stdout) as Told];
}

/** `by` returns the options of a command with the person who runs it. */
function by(person: string, options: Readonly<Record<string, string>> = {}): readonly string[] {
  const all = { ...options, as: person, reason: "the books of the day" };
  return Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
}

const euros = (minor: number): RegExp => new RegExp(`EUR.${(minor / 100).toFixed(2).replace(".", "\\.")}`);

const shop = await openShop(portal, "Coffee Lab", "ada@coffee.example");
const clientId = shop.settings["TOLLGATE_CLIENT_ID"] ?? "";
/** The book day of all payments, and the day on which it is settled. */
const day = accountingDayOf(new Date());
const settledOn = nextAccountingDay(day);
let paymentIds: readonly string[] = [];
let payoutId = "";
let batchId = "";
let payoutMinor = 0;

test("fee, payout terms and bank account are set; one person requests the account and another approves it", async () => {
  const fee = { "client-id": clientId, rate: "2.9", fixed: "30", currency: "EUR", tax: "19" };
  const account = { currency: "EUR", iban: ibans[0], holder: "Coffee Lab" };
  const own = { currency: "EUR", iban: ibans[1], bic: "BNPAFRPP", holder: "Gateway SA" };
  const [pending] = await Promise.all([
    operator.jsonOf<{ accountId: string }>("payout account set", clientId, ...by("ada", account)),
    operator.stdoutOf("fee set", ...by("ada", { ...fee, from: new Date().toISOString() })),
  ]);
  await Promise.all([
    operator.stdoutOf("payout account approve", clientId, pending.accountId, ...by("grace")),
    operator.stdoutOf("payout bank set", ourBank, ...by("ada", own)),
  ]);
  const terms = { currency: "EUR", cycle: "D", days: "0", from: day };
  await operator.stdoutOf("payout terms set", clientId, ...by("ada", terms));
});

test("buyers pay, one gets a partial refund, and one disputes", async () => {
  const { client } = shop;
  paymentIds = await Promise.all(["order-1", "order-2", "order-3"].map((name) => pay(client, name)));
  const [first = "", , third = ""] = paymentIds;
  await Promise.all(paymentIds.map((paymentId) => provider.control(paymentId, "approve")));
  const readStatus = async (paymentId: string): Promise<unknown> =>
    (await client.payments.inquiryPayment({ paymentId })).paymentStatus;
  const arePaid = async (): Promise<boolean> =>
    (await Promise.all(paymentIds.map(readStatus))).every((status) => status === "SUCCESS");
  await eventually(20_000, arePaid, Boolean);
  const refundAmount = { currency: "EUR", value: "350" };
  await client.payments.refund({ refundRequestId: "refund-1", paymentId: first, refundAmount });
  await provider.control(third, "dispute");
  await eventually(
    20_000,
    () => provider.dispute(third, "accept"),
    (status) => status === 200,
  );
  const moved = async (): Promise<string> => provider.settlement();
  await eventually(20_000, moved, (file) => /^refund/m.test(file) && /^chargeback/m.test(file));
  const owed = async (): Promise<string | undefined> =>
    (await client.tollgate.inquiryBalance({})).balances?.[0]?.owed;
  // 19.13 = three payments of 12.50 minus a refund of 3.50, a chargeback of 12.50, and three fees of 0.66 + 0.13 tax.
  await eventually(20_000, owed, (sum) => sum === "1913");
});

/** The output of `payout run`. */
interface Ran {
  readonly claimed: readonly { readonly payoutId: string; readonly amount: { readonly minor: string } }[];
  readonly files: readonly { readonly fileId: string }[];
}

test("settlement file and bank statement are imported, the batch is closed, and its payout is made", async () => {
  const file = await providerFile();
  const imported = { connector: "test-provider", file: writeTestFile("provider.csv", file.text) };
  await nextDay("settlement import", ...by("ada", imported));
  const [, { closed }] = await nextDay<{ closed: readonly { batchId: string }[] }>(
    "settlement close",
    ...by("ada", { day }),
  );
  batchId = closed[0]?.batchId ?? "";
  const [, ran] = await nextDay<Ran>("payout run", ...by("ada", { bank: ourBank, folder: operator.folder }));
  const [claimed, [sent]] = [ran.claimed[0], ran.files];
  payoutId = claimed?.payoutId ?? "";
  payoutMinor = Number(claimed?.amount.minor);
  const answer = statusReport(sent?.fileId ?? "", [{ endToEndId: payoutId, status: "ACSC" }]);
  await nextDay("payout import", writeTestFile("answer.xml", answer), ...by("ada"));
  const statement = exampleStatements({
    id: "S-1",
    day: settledOn,
    opening: 100_000,
    entries: [
      { reference: "IN-1", minor: file.payoutMinor - missingMinor, text: `Provider ${file.payoutReference}` },
      { reference: "OUT-1", minor: -payoutMinor, endToEndId: payoutId, text: `Settlement ${payoutId}` },
    ],
  });
  await nextDay("bank import", writeTestFile("statement.xml", statement), ...by("ada", { bank: ourBank }));
  const [code, { breaks }] = await nextDay<{ breaks: { kind: string; reference: string }[] }>("reconcile");
  assert.deepEqual(
    [code, breaks.map(({ kind, reference }) => [kind, reference])],
    [1, [["other amount at the bank", file.payoutReference]]],
  );
});

/**
 * `providerFile` returns the provider's settlement file of the day and the amount of its payout: captures minus refunds
 * and fees.
 */
async function providerFile(): Promise<{ text: string; payoutReference: string; payoutMinor: number }> {
  const text = await provider.settlement(150);
  const rows = text
    .trimEnd()
    .split("\r\n")
    .slice(1)
    .map((line) => line.split(","));
  const netOf = ([kind, , , , , minor, , , fee]: readonly string[]): number =>
    Number(minor) * (kind === "payment" ? 1 : -1) - Number(fee);
  const sum = rows.reduce((all, row) => all + netOf(row), 0);
  const payoutReference = `payout-${day}`;
  const at = new Date(Date.now() + 60_000).toISOString().replace("Z", "+00:00");
  return {
    text: `${text}payout,,${payoutReference},,EUR,${sum},${at},,,,,\r\n`,
    payoutReference,
    payoutMinor: sum,
  };
}

test("partially refunded and charged-back payments have their own status, and are found by order number", async () => {
  const { page } = shop;
  await page.goto(`${portal.url}/sandbox/payments`);
  const row = (name: string) => page.getByRole("listitem").filter({ hasText: `ORD-${name}` });
  await row("order-1").getByText("Partially refunded").waitFor();
  await row("order-1").getByText(euros(900)).waitFor();
  await row("order-2").getByText("Paid", { exact: true }).waitFor();
  await row("order-3").getByText("Lost to a dispute").waitFor();
  await checkPageForEvidence(page, "payments-left");
  await page.setViewportSize({ width: 1440, height: 900 });

  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download CSV" }).click();
  const csv = await readDownload(await saving);
  for (const cells of ["order-1.*PARTLY_REFUNDED.*9\\.00", "order-2.*PAID", "order-3.*DISPUTE_LOST.*0\\.00"])
    assert.match(csv, new RegExp(`"ORD-${cells}`));

  await page.getByLabel("Search", { exact: true }).fill("ORD-order-3");
  await page.getByRole("search").getByRole("button").click();
  await row("order-1").waitFor({ state: "detached" });
  await row("order-3").click();
  await page.getByText(/EUR.12\.50 paid · EUR.12\.50 lost to a dispute · EUR.0\.00 remaining/).waitFor();
  assert.equal(await page.locator("dl.facts dt").first().innerText(), "Your order number");
  await page.getByText("No amount is left to cancel.").waitFor();
  await checkPage(page, "payment-lost", [390]);

  await page.goto(`${portal.url}/sandbox/payments`);
  await page.getByLabel("Status").selectOption("Partially refunded");
  await row("order-2").waitFor({ state: "detached" });
  await row("order-1").click();
  await page.getByText(/EUR.12\.50 paid · EUR.3\.50 refunded · EUR.9\.00 remaining/).waitFor();
  // The fee is 2.9 % of 12.50 plus 0.30, which is 0.66. The tax is 19 % of the fee, which is 0.13.
  await page.locator("dl.facts > div", { hasText: "Fee with tax" }).getByText(euros(79)).waitFor();
  await page.locator("dl.facts > div", { hasText: "Net amount" }).getByText(euros(821)).waitFor();
  await page.setViewportSize({ width: 1440, height: 900 });
});

test("the reference on a bank statement leads to the payout, its movements, and one of its payments", async () => {
  const page = await invitedToFinance();
  await page.keyboard.press("Control+k");
  const inGroups = payoutId.replaceAll(/(.{4})/g, "$1 ");
  await page.getByPlaceholder("Go to a page, or type the id of a payment or payout").fill(inGroups);
  await page.getByText(`Find the payout ${payoutId}`).waitFor();
  await page.keyboard.press("Enter");
  const calculation = page.getByRole("table", { name: "Calculation of the sum" });
  await calculation.waitFor();
  const parts = await calculation.locator("tbody td").allInnerTexts();
  const parseMinor = (text: string): number => Math.round(Number(text.replaceAll(/[^\d.-]/g, "")) * 100);
  assert.deepEqual(parts.map(parseMinor), [3750, -350, -1250, -198, -39]);
  assert.equal(parseMinor(await calculation.locator("tfoot td").innerText()), payoutMinor);
  assert.equal(
    parts.map(parseMinor).reduce((sum, minor) => sum + minor),
    payoutMinor,
  );
  const items = page.getByRole("region", { name: "Movements" });
  await items.getByRole("link").nth(4).waitFor();
  const nets = await items.locator(".row-sum").allInnerTexts();
  assert.equal(
    nets.map(parseMinor).reduce((sum, minor) => sum + minor),
    payoutMinor,
  );
  await checkPage(page, "payout");
  await page.setViewportSize({ width: 1440, height: 900 });

  const saving = page.waitForEvent("download");
  await items.getByRole("button", { name: "Download the details" }).click();
  const lines = (await readDownload(await saving)).trimEnd().split("\r\n");
  assert.equal(lines.at(-1), "<END>");
  for (const id of paymentIds)
    assert.ok(
      lines.some((line) => line.includes(id)),
      id,
    );

  await items.getByRole("link", { name: /Refund/ }).click();
  await page.waitForURL((url) => url.pathname.endsWith(`/payments/${paymentIds[0]}`));
  await page.getByText("order-1").first().waitFor();
  await checkPage(page, "payment-paid-out");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("region", { name: "Paid out with" }).getByRole("link").click();
  await calculation.waitFor();

  await page.getByRole("link", { name: "Balance" }).first().click();
  await page.getByRole("link", { name: /Paid out/ }).waitFor();
  await checkPage(page, "payouts");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByLabel("Reference on your bank statement").fill(`Settlement ${payoutId}`);
  await page.getByRole("button", { name: "Find" }).click();
  await calculation.waitFor();
});

test("the statement of a month is shown on the page and downloaded as CSV and PDF", async () => {
  const { page } = shop;
  await page.goto(`${portal.url}/sandbox/balance`);
  await page.getByRole("link", { name: "Statement of account" }).click();
  await page.getByText("Closing balance").waitFor();
  // The payout is dated one day later, so on the last day of a month it belongs to the next month.
  const isOneMonth = day.slice(0, 7) === settledOn.slice(0, 7);
  const closing = isOneMonth ? 0 : payoutMinor;
  await page.locator(".stood", { hasText: "Opening balance" }).getByText(euros(0)).waitFor();
  await page.locator(".stood", { hasText: "Closing balance" }).getByText(euros(closing)).waitFor();
  assert.equal(await page.locator(".row-booked").count(), isOneMonth ? 6 : 5);
  await checkPage(page, "statement");
  await page.setViewportSize({ width: 1440, height: 900 });
  const saved = async (format: string): Promise<Buffer> => {
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: `Download ${format}` }).click();
    const file = await saving;
    assert.equal(
      file.suggestedFilename(),
      `STATEMENT_${clientId}_EUR_${day.slice(0, 7)}.${format.toLowerCase()}`,
    );
    return readFile(await file.path());
  };
  const file = join(operator.folder, "statement.csv");
  const options = ["--client-id", clientId, "--currency", "EUR", "--month", day.slice(0, 7), "--file", file];
  await operator.stdoutOf("statement", ...options);
  assert.equal((await saved("CSV")).toString("utf8"), await readFile(file, "utf8"));
  assert.match(pdfText(await saved("PDF")), /closing +[\d.]+/i);
});

/** `invitedToFinance` invites a colleague as the owner; the colleague accepts with a passkey. */
async function invitedToFinance(): Promise<Page> {
  const { page: owner } = shop;
  const email = "fay@coffee.example";
  await owner.getByRole("link", { name: "People" }).click();
  await owner.getByRole("button", { name: "Invite a person" }).click();
  const dialog = owner.getByRole("dialog");
  await dialog.getByLabel("Email").fill(email);
  await dialog.getByLabel("Finance").check();
  await dialog.getByRole("button", { name: "Send invitation" }).click();
  await owner.getByRole("heading", { name: "Pending invitations" }).waitFor();
  const { page } = await newVisitor(portal);
  await page.goto(await linkTo(portal, email));
  await page.getByLabel("Your name").fill("Fay");
  await page.getByRole("button", { name: "Accept the invitation" }).click();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("button", { name: "Choose an organisation" }).getByText("Finance").waitFor();
  return page;
}

/** `staff` invites a staff member with the finance role by command and signs in. */
async function staff(name: string): Promise<Page> {
  const email = `${name.toLowerCase()}@pay.example`;
  const words = ["staff", "invite", "--email", email, "--role", "staff-finance"];
  const { child } = startTestProcess(["accounts/src/main.ts", ...words], accounts.variables);
  let link = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => void (link += text));
  await once(child, "close");
  const { page } = await newVisitor(portal);
  await page.goto(link.trim());
  await page.getByLabel("Your name").fill(name);
  await page.getByRole("button", { name: "Accept" }).click();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("heading", { name: "Open records" }).waitFor();
  // A new member approves nothing in the first 24 hours.
  await accounts.sql("update memberships set role_since = role_since - interval '2 days'");
  return page;
}

test("the only break is assigned and written off with approval; then the reconciliation finds no break", async () => {
  const [grace, kurt] = [await staff("Grace"), await staff("Kurt")];
  await grace.keyboard.press("Control+k");
  await grace.getByPlaceholder("Go to a page").fill(payoutId);
  await grace.keyboard.press("Enter");
  await grace.getByText("OUT-1").waitFor();
  await grace.getByText(batchId).waitFor();
  await checkPage(grace, "operator-payouts");
  await grace.setViewportSize({ width: 1440, height: 900 });

  await grace.getByRole("link", { name: "Reconciliation" }).click();
  await grace.getByText("other amount at the bank").waitFor();
  await grace.getByText(euros(missingMinor)).first().waitFor();
  assert.equal(await grace.getByRole("button", { name: /^Write off/ }).count(), 1);
  await checkPage(grace, "operator-break");
  await grace.setViewportSize({ width: 1440, height: 900 });
  await act(grace, /^Assign to me/, "I ask the provider");
  await grace.getByRole("button", { name: "Confirm with a passkey" }).click();
  await grace.getByText("assigned to you").waitFor();
  await act(grace, /^Write off/, "the provider's bank keeps 0.35 of each transfer");
  const dialog = grace.getByRole("dialog");
  await dialog.getByRole("button", { name: "Request approval" }).click();
  await dialog.getByText("Everyone who can approve was notified by email.").waitFor();

  await kurt.goto(`${accounts.operatorUrl}/approvals`);
  await kurt.getByText("the provider's bank keeps 0.35 of each transfer").first().waitFor();
  await checkPage(kurt, "operator-write-off-asked", [390]);
  await kurt.setViewportSize({ width: 1440, height: 900 });
  await kurt.getByRole("link", { name: /^Open break/ }).click();
  await kurt.getByText("other amount at the bank").waitFor();
  assert.match(await kurt.getByLabel(/^Find a break/).inputValue(), /^\d+$/);
  await kurt.goBack();
  await kurt.getByRole("button", { name: "Approve", exact: true }).click();
  await kurt.getByRole("button", { name: "Confirm with a passkey" }).click();
  await kurt.getByRole("button", { name: "Approve", exact: true }).waitFor({ state: "detached" });

  await dialog.getByRole("link", { name: "Approvals" }).click();
  await grace.getByRole("button", { name: "Complete the action" }).click();
  await grace.getByRole("heading", { name: "No pending approvals" }).waitFor();
  await grace.getByRole("link", { name: "Reconciliation" }).click();
  await grace.locator(".status", { hasText: "written off" }).waitFor();
  await checkPageForEvidence(grace, "operator-break-written-off");

  const [code, { breaks }] = await nextDay<{ breaks: readonly object[] }>("reconcile");
  assert.deepEqual([code, breaks], [0, []]);
  const [zero, { isZero }] = await nextDay<{ isZero: boolean }>("trial-balance", "--at", settledOn);
  assert.deepEqual([zero, isZero], [0, true]);
});

/** `act` presses a button and enters the reason in its dialog. */
async function act(on: Page, button: RegExp, reason: string): Promise<void> {
  await on.getByRole("button", { name: button }).click();
  const dialog = on.getByRole("dialog");
  await dialog.getByLabel("Reason").fill(reason);
  await dialog.getByRole("button").last().click();
}

test("a payout in another currency shows its currency conversion", async () => {
  const { page } = shop;
  // SQL changes this batch to a payout in USD, because the merchant's payouts have the currency of its sales.
  const change = `update settlement_batches set settle_currency = 'USD', settle_minor = 2072, quote_id = 'QUOTE_1', quote_price = 1.0832
     where batch_id = $1`;
  await asSuperuser(change, [batchId], database.superuserUrl);
  await page.goto(`${portal.url}/sandbox/balance/${batchId}`);
  await page.getByText(/EUR.19\.13 at the rate 1\.0832 = USD.20\.72/).waitFor();
});
