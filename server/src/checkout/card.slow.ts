import assert from "node:assert/strict";
import { test } from "node:test";
import { manual, payWith, startCardWorld } from "../../test/shop/card-world.ts";
import { answerLost, cancelRaces, declined, kinds, lineCut } from "../../test/shop/card-misfortunes.ts";
import { openSession } from "../../test/shop/test-session.ts";
import { eventually } from "../../test/start/test-process.ts";

/** What people do with cards, in a browser: the gateway, the ledger, the wallet's journal and the shop have to agree. */
const world = await startCardWorld();
const { call, order, settled, toCardPage, shopUrl } = world;

const eur = (value: bigint): object => ({ currency: "EUR", value: String(value) });

test("a buyer who chooses a card types it on another origin, pays, and is back at the shop", async () => {
  const { paymentId, pageUrl } = await openSession(world.asked, {
    paymentRedirectUrl: shopUrl,
    paymentNotifyUrl: world.shop.notifyUrl,
  });
  const page = await world.openPage(pageUrl);
  await page.getByRole("button", { name: "Card" }).click();
  await page.getByRole("link", { name: "Pay with Card" }).first().click();
  await page.getByText("€12.50 is charged now.").waitFor();
  await payWith(page, "approved");
  await page.waitForURL(shopUrl);
  await world.shop.waitForTold(paymentId, 1);
  assert.partialDeepStrictEqual(await settled({ paymentId, value: 1250n }), {
    status: "SUCCESS",
    kept: 1250n,
  });
  await page.goto(pageUrl);
  await page.getByRole("heading", { name: "Paid" }).waitFor();
  await page.close();
});

test("a card is held, captured in two parts, and the rest is let go", async () => {
  const { paymentId, pageUrl, value } = await order(manual);
  const page = await toCardPage(pageUrl);
  await page.getByText("is held now. The shop takes it later, up to this amount").waitFor();
  await payWith(page, "approved");
  await page.waitForURL(shopUrl);
  assert.partialDeepStrictEqual(await settled({ paymentId, value }), { status: "SUCCESS", kept: 0n });
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
    kept: 1500n,
    released,
  });
  const more = { captureRequestId: `${paymentId}-more`, paymentId, captureAmount: eur(1n) };
  assert.equal((await call("capture", more)).json.result["resultCode"], "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT");
  await page.goto(`${world.wallet.url}/payments/${paymentId}`);
  assert.match((await page.locator("dl").textContent()) ?? "", /Taken€15\.00Let go€5\.\d\d/);
  await page.close();
});

test("a hold is let go as a whole when the shop cancels", async () => {
  const { paymentId, pageUrl, value } = await order(manual);
  const page = await toCardPage(pageUrl);
  await payWith(page, "approved");
  await page.waitForURL(shopUrl);
  await settled({ paymentId, value });
  await world.cancel(paymentId);
  assert.partialDeepStrictEqual(await settled({ paymentId, value }), { status: "CANCELLED", kept: 0n });
  await page.close();
});

// The rest of the table is in card.load.ts.
const [charged, held] = kinds;
for (const [kind, misfortune] of [
  [held, declined],
  [held, answerLost],
  [charged, lineCut],
  [charged, cancelRaces],
  [held, cancelRaces],
] as const)
  test(`a card that is to be ${kind.name}, ${misfortune.name}`, () => misfortune.happens(world, kind));

test("no number or code that was typed is in a log, the journal or a table", async () => {
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
  const log = world.log();
  assert.match(log, /payments\/pay/, "the log was read");
  const kept = `${log}\n${JSON.stringify(world.wallet.effects())}\n${await world.dump()}`;
  assert.ok(kept.includes("Two coffees"), "the tables were read");
  const typed = ["4111111111111111", "4111 1111 1111 1111", "378282246310005", '"8642"', "07/31"];
  // All test cards begin so; ids of payments are other digits.
  for (const secret of [...typed, "9999000000000", "9999 0000 0000"]) {
    assert.ok(!kept.includes(secret), `${secret} was kept`);
    // As PostgreSQL writes bytes.
    assert.ok(!kept.includes(Buffer.from(secret).toString("hex")), `${secret} was kept as bytes`);
  }
});
