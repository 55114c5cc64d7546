import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { callPayments, payRequest } from "../../server/test/start/test-stack.ts";
import { checkPageForEvidence, checkPage, widths } from "./check-page.ts";
import {
  newVisitor,
  registerWithPasskey,
  startGatewayFor,
  startTestPortal,
  type Visitor,
} from "./test-portal.ts";

const portal = await startTestPortal();
const gateway = await startGatewayFor(portal);

const person = { name: "Ada Byron", email: "ada@coffee.example", organisation: "Coffee Lab" };
let ada: Visitor;
const paymentIds: string[] = [];

before(async () => {
  ada = await newVisitor(portal);
  await registerWithPasskey(portal, ada, person);
});

async function pay(requestId: string, more: object = {}): Promise<string> {
  const { json } = await callPayments(
    portal.gatewayUrl,
    gateway.merchant,
    "pay",
    payRequest(requestId, more),
  );
  return String(json["paymentId"]);
}

/** `assignClient` assigns the organisation a client id that the test chooses. */
async function assignClient(clientId: string): Promise<void> {
  await portal.accounts.sql(
    `insert into clients (client_id, environment, organisation_id, name, given_at)
     select $1, 'sandbox', organisation_id, 'Shop', now() from organisations where name = $2`,
    [clientId, person.organisation],
  );
}

test("without a client id, the sandbox explains it and offers to create one", async () => {
  const { page } = ada;
  await page.getByRole("heading", { name: "No client id yet" }).waitFor();
  await checkPageForEvidence(page, "no-client");
});

test("a payment appears in the list automatically, and its page shows the timeline", async () => {
  await assignClient(gateway.merchant.clientId);
  const { page } = ada;
  await page.goto(`${portal.url}/sandbox/payments`);
  await page.getByRole("heading", { name: "No payments yet" }).waitFor();
  await checkPageForEvidence(page, "no-payments");

  paymentIds.push(
    await pay("order-1001"),
    await pay("order-1002", {
      paymentAmount: { currency: "JPY", value: "99000" },
      order: {
        referenceOrderId: "o-2",
        orderDescription: "A kettle",
        orderAmount: { currency: "JPY", value: "99000" },
      },
    }),
  );
  await gateway.provider.control(paymentIds[0]!, "approve");
  await page.getByRole("link", { name: /EUR.12\.50.*Paid/ }).waitFor();
  await page.getByRole("link", { name: /JPY.99,000/ }).waitFor();

  await page.getByLabel("Status").selectOption("PAID");
  await page.waitForURL(/displayStatus=PAID/);
  await page.getByText("A kettle").waitFor({ state: "detached" });
  await page.getByLabel("Status").selectOption("FAIL");
  await page.getByRole("heading", { name: "No payment matches the filter" }).waitFor();
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByText("A kettle").waitFor();

  await page.getByRole("link", { name: /EUR.12\.50/ }).click();
  await page.getByRole("heading", { name: "Timeline" }).waitFor();
  await page.getByText("Order created at the payment provider").waitFor();
  await page.getByRole("cell", { name: /^merchant payable/ }).waitFor();
});

test("payments are found by id and by amount, and the search is part of the URL", async () => {
  const { page } = ada;
  await page.goto(`${portal.url}/sandbox/payments`);
  await page.getByText("A kettle").waitFor();
  await page.getByText(/Data from \d+ s ago/).waitFor();
  await page.getByLabel("Search", { exact: true }).fill("order-1001");
  await page.getByRole("search").getByRole("button").click();
  await page.waitForURL(/search=order-1001/);
  await page.getByText("A kettle").waitFor({ state: "detached" });
  await page.getByRole("link", { name: /EUR.12\.50/ }).waitFor();
  await page.goto(`${portal.url}/sandbox/payments?search=99000`);
  await page.getByText("A kettle").waitFor();
  assert.equal(await page.getByRole("link", { name: /EUR.12\.50/ }).count(), 0);
  await checkPageForEvidence(page, "search");
});

test("a complete list is downloaded as CSV, with amounts in major units of their currency", async () => {
  const { page } = ada;
  await page.goto(`${portal.url}/sandbox/payments`);
  await page.getByText("A kettle").waitFor();
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download CSV" }).click();
  const text = await readFile(await (await saving).path(), "utf8");
  await page.getByText(/2 rows downloaded to payments-sandbox-/).waitFor();
  const [head = "", kettle = "", coffee = "", end] = text.split("\r\n");
  assert.match(head, /^\uFEFF"paymentId","paymentRequestId"/);
  assert.match(kettle, /"order-1002".*"JPY","99000"/);
  assert.match(coffee, /"order-1001",".*","SUCCESS","PAID","SUCCESS","EUR","12\.50"/);
  assert.equal(end, "");
});

test("charts show payments with a table each, and the selection is part of the URL", async () => {
  const { page } = ada;
  await page.goto(`${portal.url}/sandbox/charts?currency=EUR`);
  await page.getByRole("img", { name: "Paid volume in EUR" }).waitFor();
  await page.getByText("Show as a table").first().click();
  await page.getByRole("cell", { name: /EUR.12\.50/ }).waitFor();
  await page.getByLabel("Period").selectOption("Last 24 hours");
  await page.waitForURL(/days=1/);
  await page.getByLabel("Currency").selectOption("JPY");
  await page.waitForURL(/currency=JPY/);
  await page.getByRole("img", { name: "Paid volume in JPY" }).waitFor();
});

test("a refund requires re-authentication and then appears in the timeline", async () => {
  const { page } = ada;
  await page.goto(`${portal.url}/sandbox/payments/${paymentIds[0]}`);
  await page.getByRole("button", { name: "Refund" }).click();
  const dialog = page.getByRole("dialog", { name: "Refund this payment" });
  await dialog.getByLabel("Amount in EUR").fill("2.505");
  await dialog.getByText("This is not a valid amount in this currency.").waitFor();
  await dialog.getByLabel("Amount in EUR").fill("99");
  await dialog.getByLabel("Reason").fill("Cold coffee");
  await dialog.getByRole("button", { name: "Refund EUR 99.00" }).click();
  await checkPageForEvidence(page, "step-up");
  await page.getByRole("button", { name: "Confirm with a passkey" }).click();
  await dialog.getByRole("alert").waitFor();
  await checkPageForEvidence(page, "refund-refused");
  await dialog.getByLabel("Amount in EUR").fill("2.50");
  await dialog.getByRole("button", { name: "Refund EUR 2.50" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Refunded", { exact: true }).waitFor();
  await page.locator("[data-kind=refund]").first().waitFor();
});

test("the audit log shows actions in accounts and on the client with names, and its filter is part of the URL", async () => {
  const { page } = ada;
  await page.getByRole("link", { name: "Audit log" }).click();
  const refund = page.getByRole("listitem").filter({ hasText: "Refunded a payment" });
  await refund.getByText("“Cold coffee”").waitFor();
  await refund.getByText("Ada Byron").waitFor();
  await refund.getByText("Sandbox", { exact: true }).waitFor();
  await refund.getByText("Details").click();
  await refund.getByText("refundAmount").waitFor();
  await page.getByRole("listitem").filter({ hasText: "Registered" }).getByText("Accounts").waitFor();
  await checkPage(page, "audit");
  await page.getByLabel("Action", { exact: true }).selectOption("Registered");
  await page.waitForURL(/what=registration.verify/);
  await refund.waitFor({ state: "detached" });
  await page.getByLabel("Person", { exact: true }).selectOption("Gateway operator");
  await page.getByRole("heading", { name: "No record matches the filter" }).waitFor();
  await page.getByRole("button", { name: "Show all" }).click();
  await refund.waitFor();
});

test("an undelivered webhook shows the response, and can be resent", async () => {
  const { page } = ada;
  const answers = [500];
  const acknowledgement = { result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success" } };
  const shop = createServer((_, response) => {
    response.statusCode = answers.shift() ?? 200;
    response.setHeader("content-type", "application/json").end(JSON.stringify(acknowledgement));
  }).listen(0, "127.0.0.1");
  await once(shop, "listening");
  after(() => shop.close());
  const { port } = shop.address() as AddressInfo;
  const paymentId = await pay("order-1003", { paymentNotifyUrl: `http://127.0.0.1:${port}/told` });
  await gateway.provider.control(paymentId, "approve");

  await page.goto(`${portal.url}/sandbox/notifications`);
  const row = page.getByRole("listitem").filter({ hasText: `127.0.0.1:${port}` });
  await row.getByText("response 500").waitFor();
  await row.getByText("Next attempt").waitFor();
  await checkPageForEvidence(page, "notification-failed");
  await row.getByRole("button", { name: "Resend" }).click();
  await row.getByText("Delivered").waitFor();

  await page.goto(`${portal.url}/sandbox/calls`);
  await page.getByText("/ams/sandbox/api/v1/payments/pay").first().waitFor();
  await page.getByLabel("Order").selectOption("Newest first");
  await page.waitForURL(/order=NEWEST_FIRST/);
});

test("the command palette finds a payment by the merchant's id, with the keyboard only", async () => {
  const { page } = ada;
  await page.goto(`${portal.url}/sandbox`);
  await page.getByRole("heading", { name: "Hello, Coffee Lab" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Go to a page, or type the id of a payment").waitFor();
  await checkPageForEvidence(page, "palette");
  await page.keyboard.type("order-1002");
  await page.getByText("Find the payment order-1002").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByText("A kettle").waitFor();
});

test("keys are created and revoked on a page that is accessible in every state", async () => {
  const { page } = ada;
  await page.goto(`${portal.url}/sandbox/keys`);
  await page.getByText("Version 1").waitFor();
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Create key" }).click();
  assert.equal((await saving).suggestedFilename(), `${gateway.merchant.clientId}-private-2.pem`);
  await page.getByText("Version 2 is registered").waitFor();
  await page.getByText("Register your own key").click();
  await checkPage(page, "key-made");
  await page.getByRole("button", { name: "Revoke version 1" }).click();
  await page.getByRole("dialog").getByLabel("Reason").waitFor();
  await checkPage(page, "key-revoke");
  await page.keyboard.press("Escape");
});

test("a list pauses its refresh while the person is absent, so that the session can expire", async () => {
  const { page } = ada;
  let paymentsQueryCount = 0;
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/console/views/payments"))
      paymentsQueryCount += 1;
  });
  await page.clock.install();
  await page.goto(`${portal.url}/sandbox/payments`);
  await page.getByText("A kettle").waitFor();
  const renewal = page.waitForRequest(/views\/payments/);
  await page.clock.runFor(6_000);
  await renewal;
  await page.clock.fastForward("06:00");
  await page.clock.runFor(10_000);
  await page.waitForTimeout(500);
  paymentsQueryCount = 0;
  await page.clock.runFor(60_000);
  await page.waitForTimeout(500);
  assert.equal(paymentsQueryCount, 0);
  const back = page.waitForRequest(/views\/payments/);
  await page.mouse.move(300, 300);
  await page.mouse.move(320, 320);
  await back;
  await page.clock.resume();
});

test("the language is switched to Chinese and is remembered", async () => {
  const { page } = await newVisitor(portal);
  await page.goto(`${portal.url}/sign-in`);
  await page.getByRole("button", { name: "中文" }).click();
  await page.getByRole("heading", { name: "登录" }).waitFor();
  await checkPageForEvidence(page, "sign-in-chinese");
  await page.reload();
  await page.getByRole("button", { name: "使用通行密钥登录" }).waitFor();
});

const outside = ["/sign-in", "/register", "/check-mail", "/verify", "/invitation"];
const inside = [
  "/sandbox",
  "/sandbox/payments",
  "/sandbox/charts",
  "/sandbox/checkout-page",
  "/sandbox/notifications",
  "/sandbox/calls",
  "/sandbox/try",
  "/sandbox/tools",
  "/sandbox/keys",
  "/people",
  "/security",
  "/live",
  "/nowhere/at-all",
];

for (const width of widths) {
  test(`every page is readable and nothing is cut off, in light and dark, at ${width} pixels`, async () => {
    let looked = 0;
    for (const path of [...inside, ...outside]) looked += await visit(ada.page, path, width);
    looked += await visit(ada.page, `/sandbox/payments/${paymentIds[0] ?? ""}`, width, "payment");
    assert.ok(looked > 200, `only ${looked} texts were checked`);
  });
}

test("a client id without a key shows this on every page, with a link to the keys", async () => {
  const { page } = ada;
  const clientId = "SANDBOX_0123456789ABCDEF01234567";
  await assignClient(clientId);
  for (const path of ["/sandbox", "/sandbox/payments", "/sandbox/keys"])
    for (const width of widths) await visit(page, `${path}?client=${clientId}`, width);
  await page.goto(`${portal.url}/sandbox/payments?client=${clientId}`);
  await page.getByRole("heading", { name: "This client id has no key yet" }).waitFor();
  await page.getByRole("link", { name: "Register a key" }).click();
  await page.getByRole("heading", { name: "No key yet" }).waitFor();
  assert.ok(page.url().includes(clientId));
});

test("the browser logs no errors, also none about styles without a nonce", () => {
  assert.deepEqual(ada.consoleErrors, []);
});

async function visit(
  page: Page,
  path: string,
  width: number,
  name = path.slice(1).replace(/\?.*/, "-waits").replaceAll("/", "-"),
): Promise<number> {
  await page.goto(portal.url + path);
  await page.locator("h1, h2").first().waitFor();
  // Wait until nothing is loading: no placeholder is shown and no request is in progress.
  await page.locator(".mantine-Skeleton-root").first().waitFor({ state: "detached" });
  return checkPage(page, name, [width]);
}
