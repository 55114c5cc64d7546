import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import {
  closeBrowser,
  complaints,
  newPage,
  openTill,
  readFromScreen,
  says,
  showCode,
  stateOn,
  typeIn,
} from "./testing/pages.ts";
import { eventually, startWorld, type TillProcess } from "./testing/world.ts";

/** Tests the three ways to pay in browsers: on the pages of cashier, buyer and provider. */
const world = await startWorld();
after(async () => {
  await closeBrowser();
  await world.stop();
});

let lastValue = 2_000;
const newValue = (): string => String((lastValue += 1));

/** Reads the payment code on the provider's page. */
async function codeOnWallet(kind: string): Promise<string> {
  const page = await newPage({ width: 390 });
  await page.goto(`${world.ready.walletUrl}/codes?kind=${kind}`);
  const [code = ""] = /\d{24}/.exec(await page.content()) ?? [];
  await page.context().close();
  return code;
}

/** The buyer's choice on the provider's page. */
async function onProvider(address: string, choice: "Approve" | "Decline"): Promise<void> {
  const page = await newPage({ width: 390 });
  await page.goto(address);
  await page.getByRole("button", { name: choice, exact: true }).click();
  await page.getByRole("heading", { name: choice === "Approve" ? "Paid" : "Declined" }).waitFor();
  await page.context().close();
}

/** Asserts that the provider's journal and the gateway agree with the screen. */
async function agrees(page: Page, value: string, till: TillProcess): Promise<void> {
  const state = await stateOn(page);
  const { sale } = await till.view();
  const { paymentStatus } = await world.client.payments.inquiryPayment(
    { paymentRequestId: sale?.id ?? "" },
    { throwOnFailure: false },
  );
  const money = await world.moneyOf(value);
  assert.ok(money.charges <= 1, "charged twice");
  if (state === "paid") assert.deepEqual([paymentStatus, money.kept], ["SUCCESS", BigInt(value)]);
  else if (state !== "unknown")
    await eventually(async () => ((await world.moneyOf(value)).kept === 0n ? true : undefined));
}

const till = await world.startTill();
const page = await openTill(till);

test("scans a payment code and gets paid, with the keyboard only", async () => {
  const value = newValue();
  assert.equal(await page.evaluate("document.activeElement.id"), "scanned");
  await typeIn(page, value);
  assert.equal(await page.locator("#sum").textContent(), "€20.01");
  await typeIn(page, await codeOnWallet("pays"));
  await says(page, "Paid");
  await agrees(page, value, till);
});

test("a code without balance and an expired code: not paid, and the next scan needs no new amount", async () => {
  const value = newValue();
  await typeIn(page, value);
  await typeIn(page, await codeOnWallet("not-enough-money"));
  await says(page, "Not paid");
  await page.getByText("There is not enough money in the wallet.").waitFor();
  await agrees(page, value, till);
  await typeIn(page, await world.codeOfBuyer({ lifetimeSeconds: 0 }));
  await page.getByText("The code has expired.").waitFor();
  await typeIn(page, await codeOnWallet("pays"));
  await says(page, "Paid");
  await agrees(page, value, till);
});

test("the buyer's app pays the code on the screen", async () => {
  const value = newValue();
  await onProvider(await showCode(page, value), "Approve");
  await says(page, "Paid");
  await agrees(page, value, till);
});

test("the buyer's app declines the code on the screen", async () => {
  const value = newValue();
  await onProvider(await showCode(page, value), "Decline");
  await says(page, "Not paid");
  await agrees(page, value, till);
});

test("the code on the screen expires unpaid", async () => {
  const value = newValue();
  const brief = await world.startTill({ payWithinSeconds: 4 });
  const screen = await openTill(brief);
  await showCode(screen, value);
  await screen.locator("#next").waitFor({ timeout: 60_000 });
  assert.ok(["declined", "cancelled"].includes((await stateOn(screen)) ?? ""));
  await agrees(screen, value, brief);
  await screen.context().close();
});

test("connection lost after the code was paid: unknown until the connection is back", async () => {
  const value = newValue();
  const brief = await world.startTill({ payWithinSeconds: 15 });
  const screen = await openTill(brief);
  const address = await showCode(screen, value);
  brief.line.cut();
  await onProvider(address, "Approve");
  await says(screen, "Unknown", 60_000);
  assert.equal((await world.moneyOf(value)).kept, BigInt(value));
  await typeIn(screen, "999");
  assert.equal(await screen.locator("#show-code").isDisabled(), true);
  brief.line.repair();
  await screen.getByRole("button", { name: "Check again" }).click();
  await says(screen, "Paid");
  await agrees(screen, value, brief);
  await screen.context().close();
});

test("connection lost after the scan was paid: cancelled safely, and the money is returned", async () => {
  const value = newValue();
  await typeIn(page, value);
  await typeIn(page, await codeOnWallet("asks"));
  await says(page, "Look at the phone");
  const { sale } = await till.view();
  const asked = { paymentRequestId: sale?.id ?? "" };
  const { paymentId } = await world.client.payments.inquiryPayment(asked);
  till.line.cut();
  await world.control(`POST payments/${paymentId}/approve`);
  await says(page, "Unknown", 60_000);
  till.line.repair();
  await page.getByRole("button", { name: "Cancel safely" }).click();
  await says(page, "Cancelled");
  await agrees(page, value, till);
});

test("race of cancel and approval of the code on the screen", async () => {
  for (const delayMs of [0, 20, 60]) {
    const value = newValue();
    const wallet = await newPage({ width: 390 });
    await wallet.goto(await showCode(page, value));
    const approving = wallet.getByRole("button", { name: "Approve", exact: true }).click();
    await page.waitForTimeout(delayMs);
    await Promise.all([approving, pressCancel(page)]);
    await page.locator("#next").waitFor();
    await agrees(page, value, till);
    await wallet.context().close();
  }
});

test("race of cancel and approval of a scan", async () => {
  for (const delayMs of [0, 10, 30]) {
    const value = newValue();
    await typeIn(page, value);
    await typeIn(page, await codeOnWallet("asks"));
    await says(page, "Look at the phone");
    const asked = { paymentRequestId: (await till.view()).sale?.id ?? "" };
    const { paymentId } = await world.client.payments.inquiryPayment(asked);
    const approving = world.control(`POST payments/${paymentId}/approve`);
    await page.waitForTimeout(delayMs);
    await Promise.all([approving, pressCancel(page)]);
    await page.locator("#next").waitFor();
    await agrees(page, value, till);
  }
});

/** Presses Cancel. The button may be missing, because the sale may be paid before the press. */
async function pressCancel(on: Page): Promise<void> {
  await on
    .locator("#cancel")
    .click({ timeout: 1_000 })
    .catch(() => undefined);
}

/** Acts as a buyer who scans the sticker, types an amount, and is redirected to the provider. */
async function asBuyer(value: string, at: TillProcess = till): Promise<Page> {
  const cashier = await newPage();
  await cashier.goto(`${at.url}/stickers/table-1`);
  const address = await readFromScreen(cashier, "img.code");
  await cashier.context().close();
  const buyer = await newPage({ width: 390 });
  await buyer.goto(address);
  await buyer.getByLabel("How much do you pay?").fill(`${value.slice(0, -2)}.${value.slice(-2)}`);
  await buyer.getByRole("button", { name: "Pay" }).click();
  await buyer.waitForURL(`${world.ready.walletUrl}/pay/**`);
  return buyer;
}

const sticker = { Approve: "Thank you!", Decline: "Not paid" } as const;
for (const choice of ["Approve", "Decline"] as const)
  test(`a buyer with the sticker: ${choice}`, async () => {
    const value = newValue();
    const buyer = await asBuyer(value);
    await buyer.getByRole("button", { name: choice, exact: true }).click();
    await buyer.getByRole("link", { name: "Back to Coffee Lab" }).click();
    await buyer.getByRole("heading", { name: sticker[choice] }).waitFor();
    const { charges, kept } = await world.moneyOf(value);
    assert.deepEqual([charges, kept], choice === "Approve" ? [1, BigInt(value)] : [0, 0n]);
    await buyer.context().close();
  });

test("a buyer with the sticker who does not pay in time, and one whose sale is cancelled meanwhile", async () => {
  const [late, raced] = [newValue(), newValue()];
  const brief = await world.startTill({ payWithinSeconds: 5 });
  const buyer = await asBuyer(late, brief);
  const isOver = (state: string | undefined): boolean =>
    ["paid", "declined", "cancelled"].includes(state ?? "");
  const { sales } = await brief.until((view) => isOver(view.sales[0]?.state), 60_000);
  assert.notEqual(sales[0]?.state, "paid");
  assert.deepEqual(await world.moneyOf(late), { charges: 0, kept: 0n });
  await buyer.context().close();

  const other = await asBuyer(raced);
  const id = (await till.view()).sales[0]?.id;
  const approving = other.getByRole("button", { name: "Approve", exact: true }).click();
  await Promise.all([approving, till.post(`/sales/${id}/cancel`)]);
  const ended = await till.until((view) => isOver(view.sales.find((sale) => sale.id === id)?.state));
  const isPaid = ended.sales.find((sale) => sale.id === id)?.state === "paid";
  const kept = isPaid ? BigInt(raced) : 0n;
  await eventually(async () => ((await world.moneyOf(raced)).kept === kept ? true : undefined));
  assert.ok((await world.moneyOf(raced)).charges <= 1);
  await other.context().close();
});

test("connection lost after a buyer with the sticker paid: the list says unknown, and later paid", async () => {
  const value = newValue();
  const brief = await world.startTill({ payWithinSeconds: 15 });
  const buyer = await asBuyer(value, brief);
  brief.line.cut();
  await buyer.getByRole("button", { name: "Approve", exact: true }).click();
  await brief.until(({ sales }) => sales[0]?.state === "unknown", 60_000);
  const screen = await openTill(brief);
  const row = screen.locator("#sales li").first();
  await row.getByText("Unknown").waitFor();
  brief.line.repair();
  await row.getByRole("button", { name: "Check again" }).click();
  await row.getByText("Paid").waitFor();
  assert.deepEqual(await world.moneyOf(value), { charges: 1, kept: BigInt(value) });
  await screen.context().close();
  await buyer.context().close();
});

test("a refund from the list, and the totals", async () => {
  const row = page.locator('#sales li[data-state="paid"]').first();
  await row.getByText("Refund this sale").click();
  await row.getByLabel("Amount").fill("1.00");
  await row.getByRole("button", { name: "Refund", exact: true }).click();
  await page.getByText("€1.00 refunded").waitFor();
  assert.equal(await page.locator("#totals tbody td").nth(2).textContent(), "€1.00");
});

test("each action shows its request and response, and never a key", async () => {
  await page.getByRole("button", { name: "Requests" }).click();
  const text = (await page.locator("#call-list").textContent()) ?? "";
  for (const part of ["payments/pay", "inquiryPayment", "refund", "cancel", "webhook from the gateway"])
    assert.ok(text.includes(part), part);
  assert.doesNotMatch(text, /PRIVATE|algorithm=|"signature"|(?<!\d)\d{24}(?!\d)/);
  await page.getByRole("button", { name: "Requests" }).click();
});

test("sounds can be switched off, and stay off", async () => {
  await page.getByRole("button", { name: "Sound on" }).click();
  await page.reload();
  await page.getByRole("button", { name: "Sound off" }).waitFor();
});

test("no page logged an error", () => assert.deepEqual(complaints, []));
