import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { BrowserContextOptions, Page } from "playwright-core";
import { decodeQR } from "qr/decode.js";
import { checkoutUrlOf } from "../../test/shop/test-checkout.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { newMerchant, startTestGateway } from "../../test/start/test-gateway.ts";
import { insertTestPayment, type TestPaymentFields } from "../../test/shop/test-payment.ts";
import { exampleCheckout, examplePayments } from "../../test/examples/example-checkout.ts";
import type { NextAction } from "../providers/next-action.ts";
import type { CheckoutState } from "./checkout.ts";
import { english, languages } from "./language.ts";
import type { Texts } from "./languages/texts.ts";
import { checkoutPage } from "./checkout-page.ts";
import { assertAccessible } from "../../test/pages/assert-accessible.ts";
import { launchBrowser } from "../../test/pages/page-checks.ts";
import { cutOffElements } from "../../test/pages/cut-off-elements.ts";
import { lowContrastTexts } from "../../test/pages/low-contrast-texts.ts";

const gateway = await startTestGateway("sandbox");
const merchant = await newMerchant(gateway.database, "Coffee Lab");
const browser = await launchBrowser();

const code = "https://wallet.example/scan/8KQ2VY7N?amount=1250";
const link = "https://wallet.example/open/8KQ2VY7N";
const withAction = (nextAction: NextAction): Required<TestPaymentFields>["order"] => ({
  acceptedAt: new Date(),
  nextAction,
});
const order = withAction({ type: "QR_CODE", code, url: link });
const shop = `${gateway.url}/livez`;
const inMinutes = (minutes: number): Date => new Date(Date.now() + minutes * 60_000);
const waiting: TestPaymentFields = {
  status: "PROCESSING",
  orderDescription: "Two coffees",
  redirectUrl: shop,
  order,
  expiresAt: inMinutes(14),
};

interface ShownPage {
  readonly page: Page;
  readonly url: string;
  readonly paymentId: string;
  /** Every address that the page requested. */
  readonly asked: readonly string[];
  /** Console messages, page errors and failed requests. */
  readonly complaints: readonly string[];
}

interface ShowOptions extends BrowserContextOptions {
  /** Lets the test control the browser's clock. */
  readonly ownsTime?: boolean;
}

async function showPage(
  given: TestPaymentFields,
  { ownsTime = false, ...options }: ShowOptions = {},
): Promise<ShownPage> {
  const { paymentId } = await insertTestPayment(gateway.database, merchant.clientId, given);
  const url = await checkoutUrlOf(gateway, merchant.clientId, paymentId);
  // Pages of earlier tests would continue to poll, so the test closes them.
  await Promise.all(browser.contexts().map((before) => before.close()));
  const context = await browser.newContext({ viewport: { width: 320, height: 568 }, ...options });
  const page = await context.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("requestfailed", (request) => {
    // The page closes its event stream when it no longer needs it, which is no failed request.
    if (!request.url().endsWith("/changes"))
      complaints.push(`${request.url()}: ${request.failure()?.errorText}`);
  });
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  if (ownsTime) await page.clock.install();
  await page.goto(url);
  return { page, url, paymentId, asked, complaints };
}

/** Records the payment as paid, as the job would. */
async function settle(paymentId: string): Promise<void> {
  await asSuperuser(
    `update payments set status = 'SUCCESS', result_code = 'SUCCESS', sequence = sequence + 1, paid_at = now(),
       paid_currency = currency, paid_minor = amount_minor where payment_id = $1`,
    [paymentId],
    gateway.database.superuserUrl,
  );
}

test("the page shows the paid state by itself, and requests nothing outside the gateway", async () => {
  // The payment has no shop to return to: on a busy machine the page could redirect before the test reads it.
  const { redirectUrl: _, ...withoutShop } = waiting;
  const { page, paymentId, asked, complaints } = await showPage(withoutShop);
  await page.evaluate("window.wasNeverReloaded = true");
  assert.equal(await page.locator("h1").textContent(), "Pay with your wallet");

  await settle(paymentId);
  await page.locator("h1", { hasText: "Paid" }).waitFor({ timeout: 20_000 });

  assert.equal(await page.evaluate("window.wasNeverReloaded"), true);
  assert.equal(await page.title(), "Paid · Coffee Lab");
  assert.equal(await page.locator(".announcer").textContent(), "Paid");
  assert.equal(await page.locator(".qr").count(), 0);
  assert.ok((await page.locator("main").textContent())?.includes(paymentId));
  assert.ok(asked.some((address) => address.endsWith("/status")));
  const externalUrls = asked.filter((url) => !url.startsWith(`${gateway.url}/`) && !url.startsWith("data:"));
  assert.deepEqual(externalUrls, []);
  assert.deepEqual(complaints, []);
});

test("the code appears by itself when the provider has accepted the order", async () => {
  const { page, paymentId } = await showPage({ ...waiting, order: {} });
  assert.equal(await page.locator("h1").textContent(), "Getting your payment ready");

  await asSuperuser(
    "update payments set provider_accepted_at = now(), provider_code = 'c', provider_url = 'https://w.example/' where payment_id = $1",
    [paymentId],
    gateway.database.superuserUrl,
  );

  await page.locator(".qr").waitFor({ state: "attached", timeout: 20_000 });
  assert.equal(await page.locator(".button").getAttribute("href"), "https://w.example/");
});

test("a change event during a poll causes another poll", async () => {
  const { page, url, paymentId } = await showPage(waiting);
  await page.goto("about:blank");
  let answers = 0;
  await page.route(/\/status$/, async (route) => {
    answers += 1;
    const response = await route.fetch();
    // The first poll's response is from before the payment, and takes longer than the event stream.
    if (answers === 1) {
      await settle(paymentId);
      await delay(1_500);
    }
    await route.fulfill({ response });
  });
  await page.goto(url);
  await page.locator("h1", { hasText: "Paid" }).waitFor({ timeout: 20_000 });
  assert.ok(answers > 1);
});

test("without scripts a buyer reads the same, and sees after a reload that it is paid", async () => {
  const { page, paymentId, complaints } = await showPage(waiting, { javaScriptEnabled: false });
  assert.equal(await page.locator(".button").getAttribute("href"), link);
  assert.match(
    (await page.locator(".deadline").textContent()) ?? "",
    /Pay by \d\d:\d\d UTC\s+14 minutes left/,
  );

  await settle(paymentId);
  await page.locator("h1", { hasText: "Paid" }).waitFor({ timeout: 20_000 });

  assert.equal(await page.locator(".back").getAttribute("href"), shop);
  assert.equal(await page.locator(".return").isVisible(), false);
  assert.deepEqual(complaints, []);
});

test("a camera reads the code from a dark screen", async () => {
  const { page } = await showPage(waiting, { colorScheme: "dark" });
  // On a phone the QR code is collapsed, because another device would have to scan it.
  assert.equal(await page.locator(".qr").isVisible(), false);
  await page.getByText("Pay with another device").click();
  const picture = await page.locator(".qr").screenshot();
  const { width, height, data } = await page.evaluate<{ width: number; height: number; data: number[] }>(
    `(async () => {
      const image = new Image();
      image.src = "data:image/png;base64,${picture.toString("base64")}";
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
      canvas.drawImage(image, 0, 0);
      const { data } = canvas.getImageData(0, 0, image.width, image.height);
      return { width: image.width, height: image.height, data: [...data] };
    })()`,
  );
  assert.equal(decodeQR({ width, height, data: Uint8Array.from(data) }), code);
});

test("a buyer who has paid returns to the shop after five seconds", async () => {
  const { page } = await showPage({ status: "SUCCESS", redirectUrl: shop }, { ownsTime: true });
  await page.clock.runFor(4_500);
  assert.notEqual(page.url(), shop);
  await page.clock.runFor(1_000);
  await page.waitForURL(shop);
});

test("a buyer can cancel the return to the shop", async () => {
  const { page, url } = await showPage({ status: "SUCCESS", redirectUrl: shop }, { ownsTime: true });
  await page.getByRole("button", { name: "Stay here" }).click();
  await page.clock.runFor(20_000);
  assert.equal(page.url(), url);
  assert.equal(await page.evaluate("document.activeElement.textContent"), "Back to Coffee Lab");
});

test("a buyer who navigates back from the shop is not redirected again", async () => {
  const { page, url } = await showPage({ status: "SUCCESS", redirectUrl: shop });
  await page.locator(".back").click();
  await page.waitForURL(shop);
  await page.goBack();
  await page.waitForTimeout(6_000);
  assert.equal(page.url(), url);
});

test("the remaining time is announced five minutes and one minute before the end, and at the end", async () => {
  const { page } = await showPage({ ...waiting, expiresAt: inMinutes(6) }, { ownsTime: true });
  await page.evaluate(`
    window.told = [];
    const announcer = document.querySelector(".announcer");
    new MutationObserver(() => told.push(announcer.textContent)).observe(announcer, { childList: true });
  `);
  assert.match((await page.locator(".remaining").textContent()) ?? "", /^[56]:\d\d$/);

  // The test moves the clock in steps, like real time: after one jump the page would announce only one text.
  for (let minute = 0; minute < 7; minute += 1) await page.clock.runFor(60_000);

  assert.equal(await page.locator(".remaining").textContent(), "0:00");
  assert.deepEqual(await page.evaluate("told"), [
    "5 minutes left",
    "1 minute left",
    "The time to pay is over.",
  ]);
  // The server's clock has not moved, so the buyer can still pay. The browser's clock decides nothing.
  assert.equal(await page.locator("h1").textContent(), "Pay with your wallet");
});

test("a lost connection is shown, and hidden when it is back", async () => {
  const { page, paymentId } = await showPage(waiting);
  await page.context().setOffline(true);
  await page.locator(".lost").waitFor({ state: "visible", timeout: 20_000 });

  await settle(paymentId);
  await page.context().setOffline(false);

  await page.locator("h1", { hasText: "Paid" }).waitFor({ timeout: 20_000 });
  assert.equal(await page.locator(".lost").isVisible(), false);
});

const long: TestPaymentFields = {
  ...waiting,
  orderDescription: `${"x".repeat(120)} ${"word ".repeat(27)}`,
  currency: "IDR",
  amountMinor: 9_999_999_999_999_900n,
};
const pageCases: readonly (readonly [name: string, given: TestPaymentFields])[] = [
  ["preparing", { ...waiting, order: {} }],
  ["waiting", waiting],
  ["waiting, with long words and the largest sum", long],
  ["waiting, with a large sum", { ...waiting, currency: "IDR", amountMinor: 999_999_999_900n }],
  ["waiting, with a sum of a few millions", { ...waiting, currency: "IDR", amountMinor: 999_999_900n }],
  ["an app", { ...waiting, order: withAction({ type: "APP", appUrl: "wallet://pay/8KQ2VY7N", url: link }) }],
  ["an expired code", { ...waiting, order: withAction({ type: "QR_CODE", code, expiresAt: inMinutes(-1) }) }],
  ["a frame", { ...waiting, order: withAction({ type: "IN_PAGE", frameUrl: "http://127.0.0.1:9/pay" }) }],
  ["a confirmation elsewhere", { ...waiting, order: withAction({ type: "WAIT", expiresAt: inMinutes(2) }) }],
  ["closing", { ...waiting, expiresAt: inMinutes(-1) }],
  ["pending", { ...waiting, status: "PENDING" }],
  ["paid", { ...waiting, status: "SUCCESS" }],
  ["failed", { ...waiting, status: "FAIL", resultCode: "USER_BALANCE_NOT_ENOUGH" }],
  ["expired", { ...waiting, status: "FAIL", resultCode: "ORDER_IS_CLOSED" }],
  ["cancelled", { ...waiting, status: "CANCELLED", resultCode: "ORDER_IS_CANCELED" }],
];

for (const [name, given] of pageCases) {
  test(`${name}: fits a small phone in both text directions, and is readable`, async () => {
    const { page } = await showPage(given, { ownsTime: true });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await lowContrastTexts(page), [], colorScheme);
      await assertAccessible(page, colorScheme);
    }
    for (const direction of ["ltr", "rtl"]) {
      await page.evaluate(`document.documentElement.dir = "${direction}"`);
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 568 });
        const overflow = "document.documentElement.scrollWidth - innerWidth";
        assert.ok((await page.evaluate<number>(overflow)) <= 0, `${direction} ${width}`);
      }
    }
  });
}

test("on a phone the button is on the first screen, on a desktop the code", async () => {
  const { page } = await showPage(waiting);
  await page.locator(".button").waitFor();
  const bottomOf = async (selector: string): Promise<number> => {
    const box = await page.locator(selector).boundingBox();
    assert.ok(box);
    return box.y + box.height;
  };
  assert.ok((await bottomOf(".button")) <= 568);
  assert.equal(await page.locator(".qr").isVisible(), false);

  await page.setViewportSize({ width: 1280, height: 800 });
  assert.ok((await bottomOf(".qr")) <= 800);
  assert.ok((await bottomOf(".qr")) < (await bottomOf(".button")));
});

test("changes appear within half a second, for as long as the page is open", async () => {
  const { redirectUrl: _, ...withoutShop } = waiting;
  const { page, paymentId, asked } = await showPage(withoutShop);
  await page.waitForRequest((request) => request.url().endsWith("/changes"));
  // The test waits until the first polls are done, which follow each other quickly.
  await page.waitForTimeout(3_000);
  const pollsBefore = asked.filter((address) => address.endsWith("/status")).length;
  await settle(paymentId);
  const settledMs = performance.now();
  await page.locator("h1", { hasText: "Paid" }).waitFor({ timeout: 20_000 });
  const tookMs = performance.now() - settledMs;
  assert.ok(tookMs < 1_000, `${tookMs} ms`);
  assert.equal(asked.filter((address) => address.endsWith("/status")).length, pollsBefore + 1);
});

test("a buyer reads the language of the browser, and can choose another", async () => {
  const { page } = await showPage(waiting, { locale: "de-DE" });
  assert.equal(await page.locator("html").getAttribute("lang"), "de-DE");
  await page.locator(".languages summary").click();
  await page.getByRole("link", { name: "العربية" }).click();
  await page.waitForURL(/lang=ar/);
  assert.equal(await page.locator("html").getAttribute("dir"), "rtl");
});

/**
 * Languages with different layouts: a narrow script, one from right to left, and one with long words.
 * `languages.load.ts` tests all languages.
 */
for (const [tag, name] of languages.filter(([each]) => ["zh-Hans", "ar", "de"].includes(each))) {
  test(`${name}: every state fits a small phone, and no word is cut off`, async () => {
    for (const [state, given] of pageCases.filter(([each]) => !each.includes(","))) {
      const { page, url } = await showPage(given, { ownsTime: true, locale: tag });
      await page.goto(`${url}?lang=${tag}`);
      assert.deepEqual(await cutOffElements(page), [], state);
      const overflow = "document.documentElement.scrollWidth - innerWidth";
      assert.ok((await page.evaluate<number>(overflow)) <= 0, state);
    }
  });
}

/**
 * Makes every text half as long again, with accents and in brackets, so that a truncated or untranslated text is
 * visible.
 */
function pseudo(text: string): string {
  const accented = text.replaceAll(/[aeiou](?![^{]*\})/g, (vowel) => `${vowel}\u0301`);
  return `[${accented} ${"~".repeat(Math.ceil(text.length / 2))}]`;
}

const pseudoTexts = Object.fromEntries(
  Object.entries(english.texts).map(([name, text]) => [
    name,
    typeof text === "string"
      ? pseudo(text)
      : Object.fromEntries(Object.entries(text).map(([form, each]) => [form, pseudo(each)])),
  ]),
) as unknown as Texts;

test("texts that are half as long again are not cut off, and every text is translated", async () => {
  const language = { ...english, texts: pseudoTexts };
  const style = await (await fetch(`${gateway.url}/checkout/style.css`)).text();
  const context = await browser.newContext();
  const page = await context.newPage();
  for (const state of Object.keys(examplePayments) as CheckoutState[]) {
    const markup = checkoutPage({ ...exampleCheckout(state), environment: "sandbox", language });
    await page.setContent(markup.replace("</head>", `<style>${style}</style></head>`));
    for (const width of [320, 390, 844, 1280]) {
      await page.setViewportSize({ width, height: 700 });
      assert.deepEqual(await cutOffElements(page), [], `${state} ${width}`);
    }
    // Names, amounts and times are not translated texts, so the test ignores them.
    const bare = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll("main *, header")].filter((each) => each.children.length === 0 && !each.closest("bdi, time, svg, .monogram"))
        .map((each) => each.textContent.trim()).filter((text) => /[a-z]{3}/i.test(text) && !/[~\u0301]/.test(text))`,
    );
    assert.deepEqual(
      bare.filter((text) => !/^(?:Philippines|Two coffees)$/.test(text)),
      [],
      state,
    );
  }
  await context.close();
});
