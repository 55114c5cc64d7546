import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { checkoutUrlOf } from "../../test/shop/test-checkout.ts";
import { insertTestPayment, type TestPaymentFields } from "../../test/shop/test-payment.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { newMerchant, startTestGateway } from "../../test/start/test-gateway.ts";
import { launchBrowser } from "../../test/pages/page-checks.ts";
import { actionColumns, type BuyerAction } from "../payments/next-actions/next-action-columns.ts";
import type { NextAction } from "../providers/next-action.ts";

const gateway = await startTestGateway("sandbox");
const merchant = await newMerchant(gateway.database, "Coffee Lab");
const browser = await launchBrowser();
const inSeconds = (seconds: number): Date => new Date(Date.now() + seconds * 1000);

/** A page of a connector with the provider's own fields, and the requests that it received. */
const received: IncomingMessage[] = [];
const connector = createServer((request, response) => {
  received.push(request);
  response.setHeader("content-type", "text/html; charset=utf-8");
  response.end(`<!doctype html><title>Fields</title><label>Card number <input id="number"></label>`);
});
connector.listen(0, "127.0.0.1");
await once(connector, "listening");
after(() => connector.close());
const connectorOrigin = `http://127.0.0.1:${(connector.address() as AddressInfo).port}`;
const frameUrl = `${connectorOrigin}/pay/8KQ2`;

interface ShownPage {
  readonly page: Page;
  readonly url: string;
  readonly paymentId: string;
  readonly complaints: readonly string[];
}

async function showPage(
  nextAction: NextAction | undefined,
  options: BrowserContextOptions = {},
): Promise<ShownPage> {
  const given: TestPaymentFields = {
    status: "PROCESSING",
    expiresAt: inSeconds(840),
    order: nextAction ? { acceptedAt: new Date(), nextAction } : {},
  };
  const { paymentId } = await insertTestPayment(gateway.database, merchant.clientId, given);
  const url = await checkoutUrlOf(gateway, merchant.clientId, paymentId);
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(url);
  return { page, url, paymentId, complaints };
}

/** Stores an action, as the gateway does after a report of the provider. */
async function report(paymentId: string, action: BuyerAction): Promise<void> {
  const { code, url, json } = actionColumns(action);
  await asSuperuser(
    "update payments set provider_accepted_at = now(), provider_code = $2, provider_url = $3, next_action = $4 where payment_id = $1",
    [paymentId, code, url, json],
    gateway.database.superuserUrl,
  );
}

async function settle(paymentId: string): Promise<void> {
  await asSuperuser(
    `update payments set status = 'SUCCESS', result_code = 'SUCCESS', sequence = sequence + 1, paid_at = now(),
       paid_currency = currency, paid_minor = amount_minor, next_action = null where payment_id = $1`,
    [paymentId],
    gateway.database.superuserUrl,
  );
}

test("the provider's fields appear by themselves in a frame, and the buyer can type into them until it is paid", async () => {
  const { page, paymentId, complaints } = await showPage(undefined);
  await report(paymentId, { nextAction: { type: "IN_PAGE", frameUrl }, actionSequence: 1 });
  const field = page.frameLocator("iframe").locator("#number");
  await field.fill("4242");
  await page.waitForTimeout(3_000);
  assert.equal(await field.inputValue(), "4242");

  await settle(paymentId);
  await page.locator("h1", { hasText: "Paid" }).waitFor({ timeout: 20_000 });
  assert.equal(await page.locator("iframe").count(), 0);
  assert.deepEqual(complaints, []);
});

test("the frame does not learn the secret address of the checkout page", async () => {
  received.length = 0;
  const { page } = await showPage({ type: "IN_PAGE", frameUrl });
  await page.frameLocator("iframe").locator("#number").waitFor();
  assert.deepEqual(
    received.map(({ url, headers }) => [url, headers.referer]).filter(([url]) => url !== "/favicon.ico"),
    [["/pay/8KQ2", undefined]],
  );
});

test("without scripts the fields of the frame keep what the buyer has typed", async () => {
  const { page, paymentId } = await showPage({ type: "IN_PAGE", frameUrl }, { javaScriptEnabled: false });
  const field = page.frameLocator("iframe").locator("#number");
  await field.fill("4242");
  await page.waitForTimeout(7_000);
  assert.equal(await field.inputValue(), "4242");
  await settle(paymentId);
  await page.getByRole("link", { name: "Show the result" }).click();
  await page.locator("h1", { hasText: "Paid" }).waitFor();
});

test("only the page of this order may be in a frame, and only on this page", async () => {
  const framed = await fetch((await showPage({ type: "IN_PAGE", frameUrl })).url);
  const other = await fetch((await showPage({ type: "REDIRECT", url: frameUrl })).url);
  const policyOf = ({ headers }: Response): string => headers.get("content-security-policy") ?? "";
  assert.match(policyOf(framed), new RegExp(`; frame-src ${connectorOrigin}$`));
  assert.match(
    framed.headers.get("permissions-policy") ?? "",
    new RegExp(`payment=\\(self "${connectorOrigin}"\\)`),
  );
  assert.doesNotMatch(policyOf(other), /frame-src/);
  assert.match(other.headers.get("permissions-policy") ?? "", /payment=\(\)/);
});

test("another page is blocked in the frame", async () => {
  const { page, complaints } = await showPage({ type: "IN_PAGE", frameUrl });
  await page.frameLocator("iframe").locator("#number").waitFor();
  await page.evaluate(`document.querySelector("iframe").src = "${gateway.url}/livez"`);
  await page.waitForTimeout(500);
  assert.match(complaints.join(), /frame-src/);
});

test("a code is hidden at its expiry, and replaced by the next one without a reload", async () => {
  const { page, paymentId, complaints } = await showPage(
    { type: "QR_CODE", code: "first", expiresAt: inSeconds(3) },
    { viewport: { width: 1280, height: 800 } },
  );
  const drawing = page.locator(".qr path").last();
  const first = await drawing.getAttribute("d");
  await page.evaluate("window.wasNeverReloaded = true");
  assert.equal(await page.locator(".next").isVisible(), false);
  await page.locator(".next").waitFor({ state: "visible" });

  const next = { type: "QR_CODE", code: "second", expiresAt: inSeconds(60) } as const;
  await report(paymentId, { nextAction: next, actionSequence: 2 });
  await page.locator(".next").waitFor({ state: "hidden" });
  assert.notEqual(await drawing.getAttribute("d"), first);
  assert.equal(await page.evaluate("window.wasNeverReloaded"), true);
  assert.deepEqual(complaints, []);
});

test("without scripts a code that has expired is replaced by a reload", async () => {
  const { page, paymentId } = await showPage(
    { type: "QR_CODE", code: "first", expiresAt: inSeconds(-1) },
    { javaScriptEnabled: false, viewport: { width: 1280, height: 800 } },
  );
  assert.equal(await page.locator(".next").isVisible(), true);
  const next = { type: "QR_CODE", code: "second", expiresAt: inSeconds(60) } as const;
  await report(paymentId, { nextAction: next, actionSequence: 2 });
  await page.locator("svg.qr").waitFor({ timeout: 10_000 });
});

test("on a phone the app comes first, on a desktop the website", async () => {
  const { page } = await showPage({ type: "APP", appUrl: "wallet://pay/8KQ2", url: frameUrl });
  const topOf = async (selector: string): Promise<number> =>
    (await page.locator(selector).boundingBox())?.y ?? assert.fail(selector);
  assert.ok((await topOf(".app")) < (await topOf(".website")));
  await page.setViewportSize({ width: 1280, height: 800 });
  assert.ok((await topOf(".website")) < (await topOf(".app")));
});

test("a buyer who has confirmed elsewhere sees the result", async () => {
  const { page, paymentId } = await showPage({ type: "WAIT", expiresAt: inSeconds(120) });
  assert.equal(await page.locator("h1").textContent(), "Confirm your payment");
  assert.match(
    (await page.locator(".deadline .remaining").textContent()) ?? "",
    /^[12](?::\d\d| minutes? left)$/,
  );
  await settle(paymentId);
  await page.locator("h1", { hasText: "Paid" }).waitFor({ timeout: 20_000 });
});
