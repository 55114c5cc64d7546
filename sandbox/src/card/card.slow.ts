import assert from "node:assert/strict";
import { test } from "node:test";
import { hasTitle as title, shopUrl, showOrder as show } from "../testing/card-browser.ts";
import { checkLook } from "../testing/check-card-look.ts";

test("who types a test card has it put into groups, pays, and is back at the shop", async () => {
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

test("a digit that was left out is put in where it belongs", async () => {
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

test("a real card is refused at its field, which has the focus, and is gone", async () => {
  const { page, complaints, state } = await show();
  await page.getByLabel("Card number").fill("4111 1111 1111 1111");
  await page.getByLabel("Expires").fill("12/30");
  await page.getByLabel("Security code").fill("123");
  await page.getByRole("button", { name: "Pay" }).click();
  await page.getByText("This is a sandbox: never type a real card. Nothing of it was kept.").waitFor();
  // The text stands before the page's script has run.
  await page.locator("#number:focus").waitFor();
  assert.equal(await page.getByLabel("Card number").inputValue(), "");
  assert.ok(!(await page.content()).includes("1111"));
  assert.ok(!page.url().includes("1111"));
  const described = await page.evaluate<string>(
    "document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent",
  );
  assert.match(described, /never type a real card/);
  // The list is open now; what it fills in is no longer called wrong.
  await page.locator('[href$="card=approved"]').click();
  assert.equal(await page.locator(".problem").count(), 0);
  await page.getByRole("button", { name: "Pay" }).click();
  await page.waitForURL(shopUrl);
  assert.equal(await state(), "PAID");
  assert.deepEqual(complaints, []);
});

test("the bank asks on a page of its own", async () => {
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

test("who waits for a slow bank sees by itself that it has paid", async () => {
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

test("without scripts it is the same: filled in by a link, wrong at its field, asked by the bank, paid", async () => {
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

test("on a narrow phone, in both directions, nobody is shut out and nothing is cut off", () =>
  checkLook({ viewport: { width: 320, height: 568 }, colorScheme: "light" }));
