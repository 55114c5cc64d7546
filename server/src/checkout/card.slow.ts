import assert from "node:assert/strict";
import { test } from "node:test";
import { manualCapture, payWith, startCardEnvironment } from "../../test/shop/card-environment.ts";
import {
  answerLost,
  cancelRaces,
  declinedCard,
  cardPaymentKinds,
  connectionLost,
} from "../../test/shop/card-failures.ts";
import { openSession } from "../../test/shop/test-session.ts";
import { eventually } from "../../test/start/test-process.ts";

/** Card payments in a browser: the gateway, the ledger, the provider's journal and the shop must agree. */
const cardStack = await startCardEnvironment();
const { call, order, waitForFinalState: settled, toCardPage, shopUrl } = cardStack;

const eur = (value: bigint): object => ({ currency: "EUR", value: String(value) });

test("a buyer enters a card on another origin, pays, and returns to the shop", async () => {
  const { paymentId, pageUrl } = await openSession(cardStack.merchantClient, {
    paymentRedirectUrl: shopUrl,
    paymentNotifyUrl: cardStack.shop.notifyUrl,
  });
  const page = await cardStack.openPage(pageUrl);
  await page.getByRole("button", { name: "Card" }).click();
  await page.getByRole("link", { name: "Pay with Card" }).first().click();
  await page.getByText("€12.50 is charged now.").waitFor();
  await payWith(page, "approved");
  await page.waitForURL(shopUrl);
  await cardStack.shop.waitForWebhooks(paymentId, 1);
  assert.partialDeepStrictEqual(await settled({ paymentId, value: 1250n }), {
    status: "SUCCESS",
    keptMinor: 1250n,
  });
  await page.goto(pageUrl);
  await page.getByRole("heading", { name: "Paid" }).waitFor();
  await page.close();
});

test("a card payment is authorized, captured in two parts, and the rest is released", async () => {
  const { paymentId, pageUrl, value } = await order(manualCapture);
  const page = await toCardPage(pageUrl);
  await page.getByText("is held now. The shop charges it later, up to this amount").waitFor();
  await payWith(page, "approved");
  await page.waitForURL(shopUrl);
  assert.partialDeepStrictEqual(await settled({ paymentId, value }), { status: "SUCCESS", keptMinor: 0n });
  for (const [part, isLastCapture] of [
    [900n, false],
    [600n, true],
  ] as const) {
    const captureRequestId = `${paymentId}-${part}`;
    const request = { captureRequestId, paymentId, captureAmount: eur(part), isLastCapture };
    await eventually(
      20_000,
      () => call("capture", request),
      ({ json }) => json.result["resultCode"] === "SUCCESS",
    );
  }
  const released = value - 1500n;
  assert.partialDeepStrictEqual(await settled({ paymentId, value }), {
    status: "SUCCESS",
    keptMinor: 1500n,
    released,
  });
  const more = { captureRequestId: `${paymentId}-more`, paymentId, captureAmount: eur(1n) };
  assert.equal((await call("capture", more)).json.result["resultCode"], "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT");
  await page.goto(`${cardStack.provider.url}/payments/${paymentId}`);
  assert.match((await page.locator("dl").textContent()) ?? "", /Charged€15\.00Released€5\.\d\d/);
  await page.close();
});

test("an authorization is released completely when the shop cancels", async () => {
  const { paymentId, pageUrl, value } = await order(manualCapture);
  const page = await toCardPage(pageUrl);
  await payWith(page, "approved");
  await page.waitForURL(shopUrl);
  await settled({ paymentId, value });
  await cardStack.cancel(paymentId);
  assert.partialDeepStrictEqual(await settled({ paymentId, value }), { status: "CANCELLED", keptMinor: 0n });
  await page.close();
});

// These are a few combinations of card payments and faults. card.load.ts tests all others.
const [charged, held] = cardPaymentKinds;
for (const [kind, misfortune] of [
  [held, declinedCard],
  [held, answerLost],
  [charged, connectionLost],
  [charged, cancelRaces],
  [held, cancelRaces],
] as const)
  test(`a card that is ${kind.name}: ${misfortune.name}`, () => misfortune.run(cardStack, kind));

test("no entered card number or code is in a log, the journal or a table", async () => {
  const { pageUrl } = await order();
  const page = await toCardPage(pageUrl);
  for (const number of ["4111 1111 1111 1111", "378282246310005"]) {
    await page.getByLabel("Card number").fill(number);
    await page.getByLabel("Expires").fill("07/31");
    await page.getByLabel("Security code").fill("8642");
    await page.getByRole("button", { name: "Pay" }).click();
    await page.locator("#number-problem").waitFor();
  }
  await page.close();
  const log = cardStack.log();
  assert.match(log, /payments\/pay/, "the log was read");
  const kept = `${log}\n${JSON.stringify(cardStack.provider.effects())}\n${await cardStack.dump()}`;
  assert.ok(kept.includes("Two coffees"), "the tables were read");
  const typed = ["4111111111111111", "4111 1111 1111 1111", "378282246310005", '"8642"', "07/31"];
  // All test card numbers begin with these digits, and payment ids do not.
  for (const secret of [...typed, "9999000000000", "9999 0000 0000"]) {
    assert.ok(!kept.includes(secret), `${secret} was kept`);
    // Hexadecimal digits, as PostgreSQL prints bytes.
    assert.ok(!kept.includes(Buffer.from(secret).toString("hex")), `${secret} was kept as bytes`);
  }
});
