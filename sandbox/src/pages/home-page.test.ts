import assert from "node:assert/strict";
import { test } from "node:test";
import {
  call,
  control,
  newFolder,
  newOrder,
  startWallet,
  type TestWallet,
  pageOf,
} from "../testing/test-wallet.ts";

const wallet = await startWallet(newFolder(), "--list-orders");

async function openHomePage(
  { ready }: TestWallet,
  path = "/",
  accept = "text/html",
): Promise<[number, string]> {
  const response = await fetch(ready.walletUrl + path, { headers: { accept } });
  assert.match(response.headers.get("cache-control") ?? "", /no-store/);
  return [response.status, await response.text()];
}

/** Returns the sections of a page by their titles, each with its entries as text. */
function sectionsOf(html: string): Readonly<Record<string, readonly string[]>> {
  const sections = html.split("<h2>").slice(1);
  return Object.fromEntries(
    sections.map((section) => {
      const [title = ""] = section.split("</h2>");
      const entries = [...section.matchAll(/<li[^>]*>(.*?)<\/li>/gs)].map(([, entry = ""]) =>
        entry
          .replaceAll(/<[^>]*>/g, " ")
          .replaceAll(/\s+/g, " ")
          .trim(),
      );
      return [title, entries];
    }),
  );
}

test("the home page has a link to the point of sale only if one is configured and orders are listed", async () => {
  const tillOptions = ["--till-url", "http://127.0.0.1:8491/"];
  const link = /<a href="http:\/\/127\.0\.0\.1:8491"[^>]*>Open the point of sale<\/a>/;
  assert.match(
    (await openHomePage(await startWallet(newFolder(), "--list-orders", ...tillOptions)))[1],
    link,
  );
  for (const other of [wallet, await startWallet(newFolder(), ...tillOptions)])
    assert.doesNotMatch((await openHomePage(other))[1], /till<\/a>/);
});

test("a developer sees the orders to be paid, and the results of the others", async () => {
  assert.deepEqual(sectionsOf((await openHomePage(wallet))[1]), { "To be paid": ["No payment is waiting."] });
  const [open, paid, declined] = [newOrder(), newOrder({ merchantName: "<b>Tea</b>" }), newOrder()];
  for (const order of [open, paid, declined]) await call(wallet, "submit", order);
  await control(wallet, `POST payments/${paid.paymentId}/approve`);
  await control(wallet, `POST payments/${declined.paymentId}/decline`);

  const [status, html] = await openHomePage(wallet);
  assert.equal(status, 200);
  assert.deepEqual(sectionsOf(html), {
    "To be paid": ["Coffee Lab €4.50 One flat white open"],
    Lately: ["Coffee Lab €4.50 One flat white declined", "&lt;b&gt;Tea&lt;/b&gt; €4.50 One flat white paid"],
  });
  assert.match(html, /href="\/codes"/);
  assert.match(html, /<p class="sum">€4\.50<\/p>/);
  const [, link = ""] = /class="entry" href="(\/pay\/[^"]+)"/.exec(html) ?? [];
  assert.match((await openHomePage(wallet, link))[1], /value="approve"/);
});

test("the history has a heading for each day, and shows refunds", async () => {
  const order = newOrder({ merchantName: "Bakery" });
  await call(wallet, "submit", order);
  await control(wallet, `POST payments/${order.paymentId}/approve`);
  await call(wallet, "refund", {
    reference: order.reference,
    refundReference: "back-1",
    amount: { currency: "EUR", value: "150" },
  });
  await control(wallet, `POST payments/${order.paymentId}/dispute`);
  const { Today = [], Disputes = [] } = sectionsOf((await openHomePage(wallet, "/history"))[1]);
  assert.equal(Today[0], "Bakery €4.50 One flat white €1.50 refunded");
  assert.deepEqual(Disputes, ["Bakery €4.50 Goods were not as described. open"]);
  assert.match((await openHomePage(wallet))[1], /€9\.00 paid, €1\.50 refunded/);
});

test("a pending consent is listed, and can be given", async () => {
  await call(wallet, "authorizations/authorize", {
    reference: "consent-1",
    merchantId: "m",
    merchantName: "Gym",
    scopes: ["AGREEMENT_PAY"],
    authState: "state-1",
    redirectUrl: "https://shop.example/back",
    expiryTime: new Date(Date.now() + 600_000).toISOString().replace(/\.\d+Z/, "+00:00"),
    notAfter: new Date(Date.now() + 60_000).toISOString().replace(/\.\d+Z/, "+00:00"),
    callbackUrl: "http://127.0.0.1:9/nobody-listens",
  });
  const { Agreements = [] } = sectionsOf((await openHomePage(wallet))[1]);
  assert.deepEqual(Agreements, ["Gym AGREEMENT_PAY needs your consent"]);
});

test("without --list-orders the wallet shows no orders", async () => {
  const closed = await startWallet();
  await call(closed, "submit", newOrder());
  const [status, html] = await openHomePage(closed);
  assert.equal(status, 200);
  for (const path of ["/", "/history", "/scan", "/test"])
    assert.doesNotMatch((await openHomePage(closed, path))[1], /Coffee Lab|\/pay\//, path);
  assert.equal((await openHomePage(closed, "/news"))[0], 404);
  assert.match(html, /href="\/codes"/);
});

test("an unknown address returns a page for browsers, and JSON for programs", async () => {
  const [status, html] = await openHomePage(wallet, "/nothing-here");
  assert.equal(status, 404);
  assert.match(html, /Page not found\.<\/h1>.*href="\/"/s);
  const [, json] = await openHomePage(wallet, "/nothing-here", "*/*");
  assert.deepEqual(JSON.parse(json), { problem: "Not found. This is a sandbox wallet." });
});

test("operations in progress and failed operations are shown as such, on the lists, the balance and the order", async () => {
  const shown = await startWallet(newFolder(), "--list-orders");
  const [held, paid] = [newOrder({ capture: "MANUAL", merchantName: "Hotel" }), newOrder()];
  const urls: string[] = [];
  for (const order of [held, paid]) {
    urls.push(pageOf((await call(shown, "submit", order)).order));
    await control(shown, `POST payments/${order.paymentId}/approve`);
  }
  const amount = { currency: "EUR", value: "150" };
  await control(shown, "POST faults", { kind: "capture-pending" });
  await control(shown, "POST faults", { kind: "refund-pending" });
  await call(shown, "capture", { reference: held.reference, captureReference: "c", amount });
  await call(shown, "refund", { reference: paid.reference, refundReference: "r", amount });
  const entries = async () => sectionsOf((await openHomePage(shown))[1])["Lately"]?.toSorted();
  const pages = () => Promise.all(urls.map(async (url) => (await fetch(url)).text()));

  assert.deepEqual(await entries(), [
    "Coffee Lab €4.50 One flat white €1.50 refund in progress",
    "Hotel €4.50 One flat white €1.50 charge in progress",
  ]);
  const [, home] = await openHomePage(shown);
  assert.match(home, /€3\.00 held; €1\.50 charge in progress; €1\.50 refund in progress/);
  const [hotel = "", coffee = ""] = await pages();
  assert.match(hotel, /Charge in progress<\/dt>\s*<dd>€1\.50/);
  assert.match(coffee, /Refund in progress<\/dt>\s*<dd>€1\.50/);

  await control(shown, "POST captures/c/fail");
  await control(shown, "POST refunds/r/fail");
  assert.deepEqual(await entries(), [
    "Coffee Lab €4.50 One flat white €1.50 refund failed",
    "Hotel €4.50 One flat white €1.50 charge failed",
  ]);
  const [hotelAfter = "", coffeeAfter = ""] = await pages();
  assert.match(hotelAfter, /Charge failed<\/dt>\s*<dd>€1\.50/);
  assert.match(coffeeAfter, /Refund failed<\/dt>\s*<dd>€1\.50/);
});
