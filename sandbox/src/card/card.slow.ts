import assert from "node:assert/strict";
import { test } from "node:test";
import { hasTitle as title, shopUrl, showOrder as show } from "../testing/card-browser.ts";
import { checkCardPages } from "../testing/check-card-pages.ts";

test("a buyer types a test card, which is formatted in groups, pays, and returns to the shop", async () => {
  const { page, complaints, state } = await show();
  await page.getByLabel("Card number").pressSequentially("9999000000000004");
  assert.equal(await page.getByLabel("Card number").inputValue(), "9999 0000 0000 0004");
  await page.getByLabel("Expires").pressSequentially("430");
  assert.equal(await page.getByLabel("Expires").inputValue(), "04/30");
  await page.getByLabel("Security code").fill("123");
  await page.getByRole("button", { name: "Pay €4.50" }).click();
  await page.waitForURL(shopUrl);
  assert.equal(await state(), "PAID");
  assert.deepEqual(complaints, []);
});

test("a missing digit is inserted at its place", async () => {
  const { page } = await show();
  const number = page.getByLabel("Card number");
  await number.pressSequentially("999900000000004");
  await page.evaluate("document.activeElement.setSelectionRange(7, 7)");
  await page.keyboard.press("0");
  assert.equal(await number.inputValue(), "9999 0000 0000 0004");
  assert.equal(await page.evaluate("document.activeElement.selectionStart"), 8);
});

test("one press fills in a test card, by keyboard as well", async () => {
  const { page, complaints, state } = await show();
  await page.locator("summary").focus();
  await page.keyboard.press("Enter");
  await page.locator('[href$="card=declined"]').focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.getByLabel("Card number").inputValue(), "9999 0000 0000 0012");
  await page.keyboard.press("Enter");
  await title(page, "Not paid");
  assert.equal(await state(), "DECLINED");
  await page.getByRole("link", { name: "Back to Coffee Lab" }).click();
  await page.waitForURL(shopUrl);
  assert.deepEqual(complaints, []);
});

test("a real card is rejected at its field, which gets the focus and is cleared", async () => {
  const { page, complaints, state } = await show();
  await page.getByLabel("Card number").fill("4111 1111 1111 1111");
  await page.getByLabel("Expires").fill("12/30");
  await page.getByLabel("Security code").fill("123");
  await page.getByRole("button", { name: "Pay" }).click();
  await page.getByText("This is a sandbox: never type a real card. It was not stored.").waitFor();
  // The focus is awaited as well, because the text is visible before the page's script has run.
  await page.locator("#number:focus").waitFor();
  assert.equal(await page.getByLabel("Card number").inputValue(), "");
  assert.ok(!(await page.content()).includes("1111"));
  assert.ok(!page.url().includes("1111"));
  const described = await page.evaluate<string>(
    "document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent",
  );
  assert.match(described, /never type a real card/);
  // The list of test cards is open now. After a click on a test card, the error disappears.
  await page.locator('[href$="card=approved"]').click();
  assert.equal(await page.locator(".problem").count(), 0);
  await page.getByRole("button", { name: "Pay" }).click();
  await page.waitForURL(shopUrl);
  assert.equal(await state(), "PAID");
  assert.deepEqual(complaints, []);
});

test("the bank asks for approval on its own page", async () => {
  const { page, state } = await show({ capture: "MANUAL" });
  await page.locator("summary").click();
  await page.locator('[href$="card=bank-asks"]').click();
  await page.getByRole("button", { name: "Hold €4.50" }).click();
  await title(page, "Your bank asks");
  assert.equal(await state(), "OPEN");
  await page.getByRole("button", { name: "Approve" }).click();
  await page.waitForURL(shopUrl);
  assert.equal(await state(), "AUTHORIZED");
});

test("a buyer who waits for a slow bank sees the payment without a reload", async () => {
  const { page, complaints } = await show();
  await page.locator("summary").click();
  await page.locator('[href$="card=slow-bank"]').click();
  await page.getByRole("button", { name: "Pay" }).click();
  await title(page, "Your bank is still deciding");
  await title(page, "Paid");
  await page.getByRole("link", { name: "Back to Coffee Lab" }).click();
  await page.waitForURL(shopUrl);
  assert.deepEqual(complaints, []);
});

test("without scripts: filled in by a link, error at the field, approved at the bank, paid", async () => {
  const { page, complaints, state } = await show({}, { javaScriptEnabled: false });
  await page.getByRole("button", { name: "Pay" }).click();
  await page.locator("#number-problem").waitFor();
  assert.equal(await page.locator("[autofocus]").getAttribute("id"), "number");
  await page.locator('[href$="card=bank-asks"]').click();
  assert.equal(await page.getByLabel("Card number").inputValue(), "9999 0000 0000 0079");
  await page.getByRole("button", { name: "Pay" }).click();
  await title(page, "Your bank asks");
  await page.getByRole("button", { name: "Approve" }).click();
  await page.waitForURL(shopUrl);
  assert.equal(await state(), "PAID");
  assert.deepEqual(complaints, []);
});

test("on a narrow phone, in both text directions, the page is accessible and nothing is cut off", () =>
  checkCardPages({ viewport: { width: 320, height: 568 }, colorScheme: "light" }));
