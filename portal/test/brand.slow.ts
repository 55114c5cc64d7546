import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { callPayments, payRequest } from "../../server/test/start/test-stack.ts";
import { createPng, pngSignature } from "../../server/test/pages/one-colour-png.ts";
import { checkPageForEvidence, checkPage } from "./check-page.ts";
import { newVisitor, registerWithPasskey, startGatewayFor, startTestPortal } from "./test-portal.ts";

const portal = await startTestPortal();
const gateway = await startGatewayFor(portal);
const person = { name: "Ada Byron", email: "ada@coffee.example", organisation: "Coffee Lab" };
const ada = await newVisitor(portal);
const { page } = ada;
page.setDefaultTimeout(15_000);
/** The buyer uses a phone, where the button is always filled, with or without a QR code. */
const { page: buyer } = await newVisitor(portal, { viewport: { width: 390, height: 844 } });
let checkoutUrl: string;

before(async () => {
  await registerWithPasskey(portal, ada, person);
  await portal.accounts.sql(
    `insert into clients (client_id, environment, organisation_id, name, given_at)
     select $1, 'sandbox', organisation_id, 'Shop', now() from organisations where name = $2`,
    [gateway.merchant.clientId, person.organisation],
  );
  const { json } = await callPayments(portal.gatewayUrl, gateway.merchant, "pay", payRequest("order-1"));
  checkoutUrl = String(json["normalUrl"]);
});

const choose = (name: string, buffer: Buffer): Promise<void> =>
  page.locator("input[type=file]").setInputFiles({ name, mimeType: "image/png", buffer });

async function drop(name: string, content: Buffer): Promise<void> {
  const transfer = await page.evaluateHandle(`(() => {
    const bytes = Uint8Array.from(atob("${content.toString("base64")}"), (letter) => letter.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], "${name}"));
    return transfer;
  })()`);
  await page.locator(".look-drop").dispatchEvent("drop", { dataTransfer: transfer });
}

async function assertDrawn(on: Page, selector: string): Promise<void> {
  await on.locator(selector).waitFor();
  const width = `(async (each) => (await each.decode(), each.naturalWidth))(document.querySelector("${selector}"))`;
  assert.equal(await on.evaluate(width), 80);
}

const save = page.getByRole("button", { name: "Save", exact: true });

test("invalid input is rejected in the browser before a request is sent", async () => {
  await page.goto(`${portal.url}/sandbox`);
  await page.getByRole("link", { name: "Checkout page" }).click();
  await page.getByText("No colour is set. Buttons are blue.").waitFor();
  assert.ok(await save.isDisabled());
  await checkPage(page, "brand-bare", [390]);
  await page.setViewportSize({ width: 1440, height: 900 });
  const code = page.getByLabel("Or type its code");
  await code.fill("#ffd54a");
  await page.getByText("not readable on this colour. Its contrast is 1.41; the minimum is 4.5.").waitFor();
  assert.ok(await save.isDisabled());
  await code.fill("green");
  await page.getByText("Write the colour as #").waitFor();
  await page.getByLabel("Choose a colour").fill("#0b6b3e");
  await page.getByText("readable on this colour. Its contrast is 6.58").waitFor();
  assert.equal(await code.inputValue(), "#0b6b3e");
  assert.ok(await save.isEnabled());

  const fault = page.getByRole("alert");
  await choose("logo.png", Buffer.from("<svg onload=alert(1)>"));
  await fault.getByText("logo.png is not a PNG, JPEG or WebP").waitFor();
  await choose("poster.png", Buffer.concat([pngSignature, Buffer.alloc(24 * 1024)]));
  await fault.getByText("poster.png has 24,584 bytes; the maximum is 24,576.").waitFor();
  await drop("torn.png", createPng(11, 107, 62).subarray(0, 60));
  await fault.getByText("torn.png cannot be displayed").waitFor();
  assert.equal(await page.getByRole("img", { name: "Your logo" }).count(), 0);

  const support = page.getByLabel("Address of your support page");
  await support.fill("shop.example/help");
  await page.getByText("begins with https://").waitFor();
  assert.ok(await save.isDisabled());
  await support.fill("https://shop.example/help");
  assert.ok(await save.isEnabled());
});

test("colour, logo and support link are on the buyer's page only after they are saved", async () => {
  await drop("logo.png", createPng(11, 107, 62));
  await assertDrawn(page, ".look-drop .look-logo");
  assert.equal(await page.getByRole("alert").count(), 0);
  await page.getByText("You have unsaved changes.").waitFor();
  await checkPage(page, "brand");
  await page.setViewportSize({ width: 1440, height: 900 });
  await buyer.goto(checkoutUrl);
  await buyer.locator(".merchant").waitFor();
  assert.equal(await buyer.locator(".logo").count(), 0);

  await save.click();
  await page.getByRole("button", { name: "Confirm with a passkey" }).click();
  await page.getByText("Saved. Buyers see the change").waitFor();
  await buyer.reload();
  await assertDrawn(buyer, ".logo");
  assert.equal(
    await buyer.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--button')"),
    "#0b6b3e",
  );
  await buyer.locator("a[href='https://shop.example/help']").waitFor();

  await page.reload();
  await assertDrawn(page, ".look-drop .look-logo");
  assert.equal(await page.getByLabel("Or type its code").inputValue(), "#0b6b3e");
});

test("a removed value disappears from the buyer's page, and the others stay", async () => {
  await choose("other.png", createPng(200, 30, 30));
  await page.getByRole("button", { name: "Discard the changes" }).click();
  await page.getByText("You have unsaved changes.").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Remove the logo" }).click();
  await save.click();
  await page.getByText("Saved. Buyers see the change").waitFor();
  await buyer.reload();
  await buyer.locator("a[href='https://shop.example/help']").waitFor();
  assert.equal(await buyer.locator(".logo").count(), 0);
});

test("a role without permission sees the brand, and which roles may change it", async () => {
  await portal.accounts.sql("update memberships set role = 'support'");
  await page.reload();
  await page.getByText("Owners and admins can change it; in the sandbox, developers can too.").waitFor();
  await page.getByText("#0b6b3e").waitFor();
  assert.equal(await save.count(), 0);
  assert.equal(await page.locator("main form").count(), 0);
  await checkPageForEvidence(page, "brand-only-look");
});

test("the page is translated to Chinese", async () => {
  const { page: incognitoPage } = await newVisitor(portal, {
    locale: "zh-CN",
    storageState: await page.context().storageState(),
  });
  await incognitoPage.goto(`${portal.url}/sandbox/checkout-page`);
  await incognitoPage.getByRole("heading", { name: "结账页面" }).waitFor();
  await incognitoPage.getByText("所有者和管理员可以更改").waitFor();
});

test("the browser logs no errors", () => {
  // The server requests re-authentication with status 403, which the browser logs.
  const others = ada.consoleErrors.filter((text) => !text.includes("status of 403"));
  assert.deepEqual(others, []);
});
