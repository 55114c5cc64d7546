import assert from "node:assert/strict";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { chromium, type Page } from "playwright-core";
import { refundPath } from "../merchant/provider-control.ts";
import { startPayment } from "../merchant/start-payment.ts";
import { createClient, createControl } from "../dev/local-clients.ts";
import { waitForFirstLine, startProcess } from "../dev/processes.ts";
import { root } from "../dev/programs.ts";
import type { Ready } from "../running-file.ts";

/** The complete tour in a real browser: shop, checkout, wallet, and back. */
const home = await mkdtemp(join(tmpdir(), "tollgate-shop-"));
await chmod(home, 0o755);
const dev = startProcess(
  "dev",
  [join(root, "cli/src/start.ts"), "dev", "--ephemeral", "--json"],
  { TMPDIR: home },
  { stopTimeoutMs: 30_000 },
);
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
});
after(async () => {
  await browser.close();
  await dev.stop();
  await rm(home, { recursive: true, force: true, maxRetries: 3 });
});
const ready = JSON.parse(await waitForFirstLine(dev, "stdout")) as Ready;
const complaints: string[] = [];

async function openShop(): Promise<Page> {
  const context = await browser.newContext();
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(ready.shopUrl);
  return page;
}

/** Orders and pays in the wallet. Ends on the wallet's own page. */
async function buyAndPay(page: Page, product: string): Promise<void> {
  await page.locator(`button[value="${product}"]`).click();
  await page.waitForURL(`${ready.baseUrl}/checkout/**`);
  await page.getByRole("link", { name: /^Pay with/ }).click();
  await page.waitForURL(`${ready.walletUrl}/pay/**`);
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("heading", { name: "Paid" }).waitFor();
}

const steps = (page: Page): Promise<string[]> => page.locator(".steps li span").allInnerTexts();

test("a buyer orders and pays, sees the confirmation after the webhook, and gets a refund", async () => {
  const page = await openShop();
  await buyAndPay(page, "beans");
  await page.getByRole("link", { name: "Back to Coffee Lab" }).click();
  await page.getByRole("heading", { name: "Thank you!" }).waitFor();
  assert.ok(page.url().startsWith(`${ready.shopUrl}/orders/`));
  assert.deepEqual(await steps(page), [
    "Bag of beans ordered, for EUR 12.50.",
    "Called pay: PAYMENT_IN_PROCESS. The buyer goes to the page in the response.",
    "Received webhook: notifyPayment SUCCESS. Its signature is valid.",
  ]);

  await page.getByLabel("Give back").fill("2.50");
  await page.getByRole("button", { name: "Refund" }).click();
  await page.getByText("We have refunded EUR 2.50.").waitFor();
  await page.getByLabel("Give back").fill("99");
  await page.getByRole("button", { name: "Refund" }).click();
  await page.getByText(/Not refunded\. .*EUR 10\.00|Not refunded\. .*10\.00 EUR/).waitFor();
  assert.equal(await page.getByLabel("Give back").inputValue(), "10.00");
  await page.getByRole("button", { name: "Refund" }).click();
  await page.getByRole("heading", { name: "You have your money back" }).waitFor();
  assert.equal(
    (await steps(page)).filter((step) => step.startsWith("Received webhook: notifyRefund SUCCESS")).length,
    2,
  );
  await page.context().close();
});

test("a refund that fails after it succeeded is taken back from the order", async () => {
  const page = await openShop();
  await buyAndPay(page, "beans");
  await page.getByRole("link", { name: "Back to Coffee Lab" }).click();
  await page.getByLabel("Give back").fill("2.50");
  await page.getByRole("button", { name: "Refund" }).click();
  await page.getByText("We have refunded EUR 2.50.").waitFor();
  const paymentRequestId = page.url().split("/").at(-1) ?? "";
  const { transactions } = await createClient(ready).payments.inquiryPayment({ paymentRequestId });
  const refundRequestId = transactions?.[0]?.transactionRequestId ?? "";
  await createControl(ready)(`${refundPath(ready.clientId, refundRequestId)}/fail`);
  await page.getByText("Received webhook: notifyRefund PROCESS_FAIL").waitFor();
  await page.getByText("We have refunded").waitFor({ state: "detached" });
  assert.equal(await page.getByLabel("Give back").inputValue(), "12.50");
  await page.context().close();
});

test("an open order page updates itself when the buyer pays in another tab", async () => {
  const page = await openShop();
  await page.locator('button[value="flat-white"]').click();
  await page.waitForURL(`${ready.baseUrl}/checkout/**`);
  const checkout = page.url();
  const [, orderPath = ""] = /href="(\/orders\/[^"]+)"/.exec(await (await fetch(ready.shopUrl)).text()) ?? [];
  await page.goto(ready.shopUrl + orderPath);
  await page.getByRole("heading", { name: "Waiting for your payment" }).waitFor();
  const other = await page.context().newPage();
  await other.goto(checkout);
  await other.getByRole("link", { name: /^Pay with/ }).click();
  await other.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("heading", { name: "Thank you!" }).waitFor();
  await page.context().close();
});

test("a pending payment is not confirmed to the buyer, although the shop received a webhook", async () => {
  const page = await openShop();
  await page.locator('button[value="grinder"]').click();
  await page.waitForURL(`${ready.baseUrl}/checkout/**`);
  await page.getByRole("link", { name: /^Pay with/ }).click();
  await page.waitForURL(`${ready.walletUrl}/pay/**`);
  await page.getByRole("button", { name: "Decide later" }).click();
  const [, orderPath = ""] = /href="(\/orders\/[^"]+)"/.exec(await (await fetch(ready.shopUrl)).text()) ?? [];
  await page.goto(ready.shopUrl + orderPath);
  await page.getByText("Received webhook: notifyPayment").waitFor();
  await page.getByRole("heading", { name: "Waiting for your payment" }).waitFor();
  await page.context().close();
});

test("a payment that the shop did not start is confirmed as well", async () => {
  const { page: checkout } = await startPayment(createClient(ready), { shopUrl: ready.shopUrl });
  const page = await openShop();
  await page.goto(checkout);
  await page.getByRole("link", { name: /^Pay with/ }).click();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("link", { name: "Back to Coffee Lab" }).click();
  await page.getByRole("heading", { name: "Thank you!" }).waitFor();
  await page.context().close();
});

test("a webhook with an invalid signature changes nothing, and another site can not order", async () => {
  const forged = await fetch(`${ready.shopUrl}/notifications`, {
    method: "POST",
    headers: {
      "client-id": ready.clientId,
      "request-time": String(Date.now()),
      signature: "algorithm=RSA256,keyVersion=1,signature=AAAA",
    },
    body: '{"notifyType":"PAYMENT_RESULT","result":{"resultStatus":"S"},"paymentId":"1","paymentRequestId":"1","sequence":1}',
  });
  assert.equal(forged.status, 401);
  const elsewhere = await fetch(`${ready.shopUrl}/orders`, {
    method: "POST",
    headers: { "sec-fetch-site": "cross-site", "content-type": "application/x-www-form-urlencoded" },
    body: "product=beans",
  });
  assert.equal(elsewhere.status, 403);
  assert.equal((await fetch(`${ready.shopUrl}/orders/nobody-ordered-this`)).status, 404);
  assert.equal((await fetch(`${ready.shopUrl}/nothing`)).status, 404);
});

test("no page logged an error", () => assert.deepEqual(complaints, []));
