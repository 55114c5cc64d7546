import assert from "node:assert/strict";
import { test } from "node:test";
import { checkoutPage, faultPage, missingPage } from "./checkout-page.ts";
import type { CheckoutState } from "./checkout.ts";
import { english, selectLanguage } from "./language.ts";
import type { NextAction } from "../providers/next-action.ts";
import { methodOf } from "../payments/payment-method.ts";
import { serializeCheckoutOrder } from "../payments/checkout-order.ts";
import {
  exampleCheckout,
  now,
  exampleOptions,
  examplePayments,
} from "../../test/examples/example-checkout.ts";

const states = Object.keys(examplePayments) as CheckoutState[];
const back = `href="https://shop.example/thanks?order=1&amp;ok=1"`;

/** Heading and links of the page in each state. */
const expectedPages: Readonly<Record<CheckoutState, readonly [heading: string, ways: readonly string[]]>> = {
  choosing: ["Choose how to pay", ["method", "back"]],
  preparing: ["Getting your payment ready", ["back"]],
  waiting: ["Pay with GCash", ["wallet", "back"]],
  changing: ["Taking your choice back", []],
  closing: ["Checking your payment", []],
  pending: ["Your payment is being confirmed", []],
  paid: ["Paid", ["back", "by itself"]],
  failed: ["Not paid", ["back"]],
  expired: ["The time is over", ["back"]],
  cancelled: ["Cancelled", ["back"]],
};

for (const state of states) {
  test(`${state}: shows the merchant, the goods, the amount and the next step`, () => {
    const page = checkoutPage(exampleCheckout(state));

    const [heading, ways] = expectedPages[state];
    assert.match(page, new RegExp(`<h1[^>]*>${heading}</h1>`));
    assert.ok(page.includes(`<title>${heading} · Coffee Lab</title>`));
    for (const text of ["€12.50", "Two coffees", "Coffee Lab"]) assert.ok(page.includes(text), text);
    assert.ok(page.replaceAll(/<\/?span>/g, "").includes(examplePayments[state].paymentId));
    assert.deepEqual(waysOn(page), ways);
  });
}

function waysOn(page: string): string[] {
  const ways = {
    method: 'value="GCASH"',
    wallet: 'href="https://wallet.example/open/8KQ2"',
    back,
    "by itself": 'class="return"',
  };
  return Object.entries(ways).flatMap(([name, markup]) => (page.includes(markup) ? [name] : []));
}

test("a page updates itself while the payment can change, with or without the script", () => {
  const renewed = states.filter((state) => checkoutPage(exampleCheckout(state)).includes('"refresh"'));
  const watched = states.filter((state) => checkoutPage(exampleCheckout(state)).includes("data-shown="));
  assert.deepEqual(renewed, ["preparing", "waiting", "changing", "closing", "pending"]);
  // Without the script the list of payment methods is not reloaded, because a reload would scroll the buyer back to its
  // top.
  assert.deepEqual(watched, ["choosing", ...renewed]);
});

test("the buyer chooses among available methods, and sees unavailable ones", () => {
  const page = checkoutPage(exampleCheckout("choosing"));
  const buttons = [...page.matchAll(/<button[^>]*>/g)].map(([button]) => button);
  assert.equal(buttons.length, 2);
  assert.match(buttons[0] ?? "", /value="GCASH"(?![^>]*disabled)/);
  assert.match(buttons[1] ?? "", /value="MAYA"[^>]*disabled/);
  assert.match(page, /<bdi>GCash<\/bdi> <span class="note">Philippines<\/span>/);
  assert.match(page, /<bdi>Maya<\/bdi> <span class="note">Not available right now<\/span>/);
  assert.match(page, /Choose by <time/);
});

test("a page without available methods says so, and keeps polling", () => {
  const checkout = exampleCheckout("choosing");
  const page = checkoutPage({ ...checkout, options: exampleOptions.slice(1) });
  assert.match(page, /No way to pay can be used right now/);
  assert.match(page, /(?<!<noscript>)<meta http-equiv="refresh"/);
});

test("hostile text of a merchant stays text", () => {
  const hostile = `"><script src=//evil.example></script><b onclick='x'>`;
  const checkout = exampleCheckout("paid", {
    orderDescription: hostile,
    redirectUrl: `https://shop.example/"><script>alert(1)</script>`,
  });
  const page = checkoutPage({ ...checkout, merchantName: hostile });

  assert.equal(page.match(/<script\b/g)?.length, 1);
  assert.ok(page.includes('<script type="module" src="script.js"></script>'));
  assert.doesNotMatch(page, /<b\b(?!di)|evil\.example>/);
  assert.ok(page.includes("&quot;&gt;&lt;script src=//evil.example&gt;"));
});

test("an address with a script scheme is not on the page", () => {
  const address = "javascript:alert(1)";
  const order = {
    connector: "w",
    reference: "r",
    account: undefined,
    registrationId: undefined,
    acceptedAt: now,
    nextAction: { type: "REDIRECT", url: address } as const,
    actionSequence: 1,
  };
  assert.doesNotMatch(checkoutPage(exampleCheckout("waiting", { order })), /javascript:/);
  for (const state of ["paid", "failed", "expired", "cancelled"] as const) {
    const page = checkoutPage(exampleCheckout(state, { redirectUrl: address }));
    assert.doesNotMatch(page, /javascript:|class="return"|Back to/);
  }
});

test("an app's own address is linked, and never opened by itself", () => {
  const page = checkoutPage(exampleCheckout("paid", { redirectUrl: "coffeelab://order/1" }));
  assert.ok(page.includes('href="coffeelab://order/1"'));
  assert.ok(!page.includes('class="return"'));
});

test("the buyer sees the amount that was really paid", () => {
  const paidAmount = { currency: "EUR", minor: 1000n };
  const page = checkoutPage(exampleCheckout("paid", { paidAmount }));
  assert.ok(page.includes("€10.00") && !page.includes("€12.50"));
});

test("a cancel that arrived before its payment has a page without an amount", () => {
  const unknown = {
    amount: undefined,
    orderDescription: undefined,
    redirectUrl: undefined,
    wallet: undefined,
  };
  const page = checkoutPage(exampleCheckout("cancelled", unknown));
  assert.match(page, /<h1[^>]*>Cancelled<\/h1>/);
  assert.ok(!page.includes('class="amount"'));
});

const code = "https://wallet.example/scan/8KQ2";
const url = "https://wallet.example/open/8KQ2";
const appUrl = "wallet://pay/8KQ2";

function pageWith(nextAction: NextAction | undefined): string {
  const order = examplePayments.waiting.order ?? assert.fail();
  return checkoutPage(exampleCheckout("waiting", { order: { ...order, nextAction } }));
}

test("the code is drawn; without a code there is only the link, or a text to open the app by hand", () => {
  assert.match(pageWith({ type: "QR_CODE", code, url }), /<svg\s+class="qr"/);
  assert.match(pageWith({ type: "REDIRECT", url }), /href="https:\/\/wallet.example\/open/);
  assert.doesNotMatch(pageWith({ type: "REDIRECT", url }), /class="qr"|class="or"/);
  assert.doesNotMatch(pageWith({ type: "QR_CODE", code }), /class="button"|class="or"/);
  assert.match(pageWith(undefined), /Open <bdi>GCash<\/bdi>: the payment waits/);
  assert.match(
    pageWith({ type: "QR_CODE", code: "x".repeat(2048) }),
    /Open <bdi>GCash<\/bdi>: the payment waits/,
  );
});

test("an app is opened by a button, with the website for a device without the app", () => {
  const page = pageWith({ type: "APP", appUrl, url });
  assert.match(page, /<a class="button app" href="wallet:\/\/pay\/8KQ2"/);
  assert.match(page, /<a class="button website" href="https:\/\/wallet.example\/open/);
  assert.doesNotMatch(pageWith({ type: "APP", appUrl }), /class="button website"/);
  const unsafePage = pageWith({ type: "APP", appUrl: "javascript:alert(1)", url });
  assert.doesNotMatch(unsafePage, /javascript:/);
  assert.match(unsafePage, /<a class="button" href="https:\/\/wallet.example\/open/);
});

test("a code that has expired is not on the page", () => {
  const inHalfAMinute = new Date(now.getTime() + 30_000);
  assert.match(pageWith({ type: "QR_CODE", code, expiresAt: inHalfAMinute }), /data-seconds="30"\s*>\s*<svg/);
  const page = pageWith({ type: "QR_CODE", code, expiresAt: now });
  assert.doesNotMatch(page, /aria-label="QR code/);
  assert.match(page, /class="renewed over"[^]*This code has expired/);
});

test("a frame has the provider's fields, and its page is not reloaded and contains no client data", () => {
  const page = pageWith({ type: "IN_PAGE", frameUrl: url, clientData: "client-secret" });
  assert.match(page, /<iframe[^>]*\ssrc="https:\/\/wallet.example\/open\/8KQ2"/);
  assert.match(page, /<iframe[^>]*\stitle="Payment form of GCash"\s+referrerpolicy="no-referrer"/);
  assert.doesNotMatch(page, /client-secret|http-equiv="refresh"/);
  assert.match(page, /<noscript><a class="out" href="">Show the result/);
});

test("a buyer who confirms elsewhere reads where, and until when", () => {
  const page = pageWith({ type: "WAIT", expiresAt: new Date(now.getTime() + 90_000) });
  assert.match(page, /<h1[^>]*>Confirm your payment<\/h1>/);
  assert.match(page, /GCash asks you to confirm/);
  assert.match(page, /class="deadline"\s+data-seconds="90"/);
  assert.doesNotMatch(page, /class="button/);
});

test("the page changes with each next action of the buyer, and not with the actions of other states", () => {
  const order = examplePayments.waiting.order ?? assert.fail();
  const shown = (state: CheckoutState, actionSequence: number): string | undefined =>
    /data-shown="([^"]*)"/.exec(
      checkoutPage(exampleCheckout(state, { order: { ...order, actionSequence } })),
    )?.[1];
  assert.deepEqual(
    [shown("waiting", 1), shown("waiting", 2)],
    ["PROCESSING 1 waiting 1", "PROCESSING 1 waiting 2"],
  );
  assert.equal(shown("pending", 1), shown("pending", 2));
});

test("the deadline is shown as a time and as remaining time, with the date if it is another day", () => {
  assert.equal(deadlineOf("2026-11-15T10:14:00Z"), "Pay by 10:14 UTC 14 minutes left");
  assert.equal(deadlineOf("2026-11-15T10:00:59Z"), "Pay by 10:00 UTC 1 minute left");
  assert.equal(deadlineOf("2026-11-16T10:00:00Z"), "Pay by Nov 16, 10:00 UTC 1,440 minutes left");
});

function deadlineOf(expiresAt: string): string {
  const page = checkoutPage(exampleCheckout("waiting", { expiresAt: new Date(expiresAt) }));
  return textOf(/<p\s+class="deadline[^>]*>(.*?)<\/p>/s.exec(page)?.[1] ?? "");
}

function textOf(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

test("only the sandbox says that no money moves", () => {
  const checkout = exampleCheckout("waiting");
  assert.match(checkoutPage({ ...checkout, environment: "sandbox" }), /no real money moves/);
  assert.doesNotMatch(checkoutPage(checkout), /sandbox/i);
});

test("an invalid link shows only that it is invalid", () => {
  const main = /<main.*<\/main>/s.exec(missingPage(english))?.[0] ?? "";
  assert.equal(textOf(main), `${english.texts.missing} ${english.texts.missingText}`);
});

test("if the payment cannot be read, the page does not say that nothing was paid, and reloads", () => {
  assert.match(faultPage(english), /If you have paid, do not pay again/);
  assert.match(faultPage(english), /http-equiv="refresh"/);
});

test("the goods are on the page with their prices, and with the number of further ones", () => {
  const order = {
    referenceOrderId: "A-17",
    orderDescription: "Coffee",
    orderAmount: { currency: "EUR", value: "1250" },
    shipping: { shippingFee: { currency: "EUR", value: "390" } },
    goods: Array.from({ length: 23 }, (_, index) => ({
      referenceGoodsId: `g${index}`,
      goodsName: `Beans <${index}>`,
      goodsQuantity: 2,
      ...(index === 0 && { goodsUnitAmount: { currency: "EUR", value: "430" } }),
    })),
  };
  const page = checkoutPage(exampleCheckout("waiting", { checkoutOrder: serializeCheckoutOrder(order) }));
  const list = textOf(/<ul class="goods".*?<\/ul>/s.exec(page)?.[0] ?? "");
  assert.match(list, /^2 × Beans &lt;0&gt; €8\.60 2 × Beans &lt;1&gt; 2 × /);
  assert.match(list, /and 3 more items Shipping €3\.90$/);
  assert.match(page, /<dt>Order<\/dt>\s*<dd><bdi class="copied">A-17<\/bdi>/);
});

test("refunds are on the page of a paid payment", () => {
  const refund = {
    type: "REFUND",
    resultCode: "SUCCESS",
    transactionId: "t",
    requestId: "r",
    createdAt: now,
    reversedAt: undefined,
  } as const;
  const amount = { currency: "EUR", minor: 500n };
  const returnedTransactions = [
    { ...refund, status: "SUCCESS", amount, finishedAt: now } as const,
    { ...refund, status: "PROCESSING", amount: { ...amount, minor: 250n }, finishedAt: undefined } as const,
  ];
  const page = textOf(checkoutPage({ ...exampleCheckout("paid"), returnedTransactions }));
  assert.match(page, /€5\.00 was given back to you on Nov 15\.€2\.50 is being given back to you\./);
});

test("an authorized payment is not shown as paid", () => {
  const page = checkoutPage(exampleCheckout("paid", { captureMode: "MANUAL", capturedMinor: 0n }));
  assert.match(page, /<h1[^>]*>Reserved<\/h1>/);
});

test("from eight methods on, those of the buyer's region come first and the rest is collapsed", () => {
  const many = ["DANA", "OVO", "GCASH", "MAYA", "BOOST", "TNG", "KAKAOPAY", "PAYPAY", "CARD"].map((type) => ({
    ...methodOf(type),
    connector: "w",
    currencies: [],
    disableReason: undefined,
  }));
  const page = checkoutPage({ ...exampleCheckout("choosing"), options: many, region: "PH" });
  const [homeCountry = "", otherCountries = ""] = page.split("<summary>Other countries");
  const types = (part: string): string[] => [...part.matchAll(/value="(\w+)"/g)].map(([, type = ""]) => type);
  assert.deepEqual(types(homeCountry), ["GCASH", "MAYA", "CARD"]);
  assert.equal(types(otherCountries).length, 6);
  assert.match(page, /type="search"/);
  const few = checkoutPage({ ...exampleCheckout("choosing"), options: many.slice(0, 7), region: "PH" });
  assert.doesNotMatch(few, /type="search"|Other countries/);
});

test("a page is completely in its language, without English texts", () => {
  const texts = Object.values(english.texts).flatMap((text) => (typeof text === "string" ? [text] : []));
  const sentences = texts.filter((text) => text.length > 8 && !text.includes("{"));
  for (const state of states) {
    const page = checkoutPage({
      ...exampleCheckout(state),
      environment: "sandbox",
      language: selectLanguage(["ja"]),
    });
    assert.match(page, /<html lang="ja" dir="ltr">/);
    for (const text of sentences) assert.ok(!page.includes(text), `${state}: ${text}`);
  }
  assert.match(checkoutPage({ ...exampleCheckout("paid"), language: selectLanguage(["ar"]) }), /dir="rtl"/);
});
