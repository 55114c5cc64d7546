import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import {
  closeBrowser,
  pageErrors,
  newPage,
  openTill,
  readFromScreen,
  waitForTitle,
  showCode,
  readState,
  typeDigits,
} from "./testing/pages.ts";
import { pollUntilDefined, startTestInstallation, type TillProcess } from "./testing/test-installation.ts";

/** Tests the three ways to pay in browsers: on the pages of cashier, buyer and provider. */
const installation = await startTestInstallation();
after(async () => {
  await closeBrowser();
  await installation.stop();
});

let lastValue = 2_000;
const newValue = (): string => String((lastValue += 1));

/** Reads the payment code on the provider's page. */
async function readWalletCode(kind: string): Promise<string> {
  const page = await newPage({ width: 390 });
  await page.goto(`${installation.tollgate.walletUrl}/codes?kind=${kind}`);
  const [code = ""] = /\d{24}/.exec(await page.content()) ?? [];
  await page.context().close();
  return code;
}

/** The buyer's choice on the provider's page. */
async function chooseOnProvider(address: string, choice: "Approve" | "Decline"): Promise<void> {
  const page = await newPage({ width: 390 });
  await page.goto(address);
  await page.getByRole("button", { name: choice, exact: true }).click();
  await page.getByRole("heading", { name: choice === "Approve" ? "Paid" : "Declined" }).waitFor();
  await page.context().close();
}

/** Asserts that the provider's journal and the gateway agree with the screen. */
async function assertAgreement(page: Page, value: string, till: TillProcess): Promise<void> {
  const state = await readState(page);
  const { sale } = await till.view();
  const { paymentStatus } = await installation.client.payments.inquiryPayment(
    { paymentRequestId: sale?.id ?? "" },
    { throwOnFailure: false },
  );
  const money = await installation.findProviderTotals(value);
  assert.ok(money.charges <= 1, "charged twice");
  if (state === "paid") assert.deepEqual([paymentStatus, money.netMinor], ["SUCCESS", BigInt(value)]);
  else if (state !== "unknown")
    await pollUntilDefined(async () =>
      (await installation.findProviderTotals(value)).netMinor === 0n ? true : undefined,
    );
}

const till = await installation.startTill();
const page = await openTill(till);

test("scans a payment code and gets paid, with the keyboard only", async () => {
  const value = newValue();
  assert.equal(await page.evaluate("document.activeElement.id"), "scanned");
  await typeDigits(page, value);
  assert.equal(await page.locator("#sum").textContent(), "€20.01");
  await typeDigits(page, await readWalletCode("pays"));
  await waitForTitle(page, "Paid");
  await assertAgreement(page, value, till);
});

test("a code without balance and an expired code: not paid, and the next scan needs no new amount", async () => {
  const value = newValue();
  await typeDigits(page, value);
  await typeDigits(page, await readWalletCode("not-enough-money"));
  await waitForTitle(page, "Not paid");
  await page.getByText("There is not enough money in the wallet.").waitFor();
  await assertAgreement(page, value, till);
  await typeDigits(page, await installation.createPaymentCode({ lifetimeSeconds: 0 }));
  await page.getByText("The code has expired.").first().waitFor();
  await typeDigits(page, await readWalletCode("pays"));
  await waitForTitle(page, "Paid");
  await assertAgreement(page, value, till);
});

test("the buyer's app pays the code on the screen", async () => {
  const value = newValue();
  await chooseOnProvider(await showCode(page, value), "Approve");
  await waitForTitle(page, "Paid");
  await assertAgreement(page, value, till);
});

test("the buyer's app declines the code on the screen", async () => {
  const value = newValue();
  await chooseOnProvider(await showCode(page, value), "Decline");
  await waitForTitle(page, "Not paid");
  await assertAgreement(page, value, till);
});

test("the code on the screen expires unpaid", async () => {
  const value = newValue();
  const briefTill = await installation.startTill({ payWithinSeconds: 4 });
  const screen = await openTill(briefTill);
  await showCode(screen, value);
  await screen.locator("#next").waitFor({ timeout: 60_000 });
  assert.ok(["declined", "cancelled"].includes((await readState(screen)) ?? ""));
  await assertAgreement(screen, value, briefTill);
  await screen.context().close();
});

test("connection lost after the code was paid: unknown until the connection is back", async () => {
  const value = newValue();
  const briefTill = await installation.startTill({ payWithinSeconds: 15 });
  const screen = await openTill(briefTill);
  const address = await showCode(screen, value);
  briefTill.connection.cut();
  await chooseOnProvider(address, "Approve");
  await waitForTitle(screen, "Unknown", 60_000);
  assert.equal((await installation.findProviderTotals(value)).netMinor, BigInt(value));
  await typeDigits(screen, "999");
  assert.equal(await screen.locator("#show-code").isDisabled(), true);
  briefTill.connection.repair();
  await screen.getByRole("button", { name: "Check again" }).click();
  await waitForTitle(screen, "Paid");
  await assertAgreement(screen, value, briefTill);
  await screen.context().close();
});

test("connection lost after the scan was paid: cancelled safely, and the money is returned", async () => {
  const value = newValue();
  await typeDigits(page, value);
  await typeDigits(page, await readWalletCode("asks"));
  await waitForTitle(page, "Look at the phone");
  const { sale } = await till.view();
  const request = { paymentRequestId: sale?.id ?? "" };
  const { paymentId } = await installation.client.payments.inquiryPayment(request);
  till.connection.cut();
  await installation.control(`POST payments/${paymentId}/approve`);
  await waitForTitle(page, "Unknown", 60_000);
  till.connection.repair();
  await page.getByRole("button", { name: "Cancel safely" }).click();
  await waitForTitle(page, "Cancelled");
  await assertAgreement(page, value, till);
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
    await assertAgreement(page, value, till);
    await wallet.context().close();
  }
});

test("race of cancel and approval of a scan", async () => {
  for (const delayMs of [0, 10, 30]) {
    const value = newValue();
    await typeDigits(page, value);
    await typeDigits(page, await readWalletCode("asks"));
    await waitForTitle(page, "Look at the phone");
    const request = { paymentRequestId: (await till.view()).sale?.id ?? "" };
    const { paymentId } = await installation.client.payments.inquiryPayment(request);
    const approving = installation.control(`POST payments/${paymentId}/approve`);
    await page.waitForTimeout(delayMs);
    await Promise.all([approving, pressCancel(page)]);
    await page.locator("#next").waitFor();
    await assertAgreement(page, value, till);
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
  await buyer.waitForURL(`${installation.tollgate.walletUrl}/pay/**`);
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
    const { charges, netMinor } = await installation.findProviderTotals(value);
    assert.deepEqual([charges, netMinor], choice === "Approve" ? [1, BigInt(value)] : [0, 0n]);
    await buyer.context().close();
  });

test("a buyer with the sticker who does not pay in time, and one whose sale is cancelled meanwhile", async () => {
  const [late, raced] = [newValue(), newValue()];
  const briefTill = await installation.startTill({ payWithinSeconds: 5 });
  const buyer = await asBuyer(late, briefTill);
  const hasEnded = (state: string | undefined): boolean =>
    ["paid", "declined", "cancelled"].includes(state ?? "");
  const { sales } = await briefTill.until((view) => hasEnded(view.sales[0]?.state), 60_000);
  assert.notEqual(sales[0]?.state, "paid");
  assert.deepEqual(await installation.findProviderTotals(late), { charges: 0, netMinor: 0n });
  await buyer.context().close();

  const other = await asBuyer(raced);
  const id = (await till.view()).sales[0]?.id;
  const approving = other.getByRole("button", { name: "Approve", exact: true }).click();
  await Promise.all([approving, till.post(`/sales/${id}/cancel`)]);
  const ended = await till.until((view) => hasEnded(view.sales.find((sale) => sale.id === id)?.state));
  const isPaid = ended.sales.find((sale) => sale.id === id)?.state === "paid";
  const expectedNetMinor = isPaid ? BigInt(raced) : 0n;
  await pollUntilDefined(async () =>
    (await installation.findProviderTotals(raced)).netMinor === expectedNetMinor ? true : undefined,
  );
  assert.ok((await installation.findProviderTotals(raced)).charges <= 1);
  await other.context().close();
});

test("connection lost after a buyer with the sticker paid: the list says unknown, and later paid", async () => {
  const value = newValue();
  const briefTill = await installation.startTill({ payWithinSeconds: 15 });
  const buyer = await asBuyer(value, briefTill);
  briefTill.connection.cut();
  await buyer.getByRole("button", { name: "Approve", exact: true }).click();
  await briefTill.until(({ sales }) => sales[0]?.state === "unknown", 60_000);
  const screen = await openTill(briefTill);
  const row = screen.locator("#sales li").first();
  await row.getByText("Unknown").waitFor();
  briefTill.connection.repair();
  await row.getByRole("button", { name: "Check again" }).click();
  await row.getByText("Paid").waitFor();
  assert.deepEqual(await installation.findProviderTotals(value), { charges: 1, netMinor: BigInt(value) });
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

test("no page logged an error", () => assert.deepEqual(pageErrors, []));
