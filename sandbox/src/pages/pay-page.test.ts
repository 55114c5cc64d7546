import assert from "node:assert/strict";
import { test } from "node:test";
import { call, effects, newOrder, startWallet, pageOf } from "../testing/test-wallet.ts";
import { wireTime } from "../wallet/wire-time.ts";

const wallet = await startWallet();

async function openPage(more: Readonly<Record<string, unknown>> = {}) {
  const order = newOrder(more);
  const { order: opened } = await call(wallet, "submit", order);
  const url = pageOf(opened);
  const read = async () => (await fetch(url)).text();
  const press = (choice: string) =>
    fetch(url, { method: "POST", body: new URLSearchParams({ choice }), redirect: "manual" });
  return { order, url, read, press };
}

test("the buyer sees merchant, amount and description", async () => {
  const { read } = await openPage({ amount: { currency: "EUR", value: "123450" } });
  const html = await read();
  assert.match(html, /<h1>Coffee Lab<\/h1>/);
  assert.match(html, /<p class="amount">€1,234\.50<\/p>/);
  assert.match(html, /One flat white/);
  for (const choice of ["approve", "decline", "not-enough-money", "pend"])
    assert.ok(html.includes(`value="${choice}"`), choice);
});

const outcomes = [
  ["approve", "PAID", undefined, /<h1>Paid<\/h1>/],
  ["decline", "DECLINED", "PROCESS_FAIL", /<h1>Declined<\/h1>/],
  ["not-enough-money", "DECLINED", "USER_BALANCE_NOT_ENOUGH", /<h1>Not enough money<\/h1>/],
  ["pend", "PENDING", undefined, /<h1>The wallet is still deciding<\/h1>/],
] as const;
for (const [choice, state, resultCode, title] of outcomes) {
  test(`a buyer who presses ${choice} makes the order ${state}, and sees the result`, async () => {
    const { order, url, read, press } = await openPage();
    const pressed = await press(choice);
    assert.equal(pressed.status, 303);
    assert.equal(pressed.headers.get("location"), new URL(url).pathname);
    assert.match(await read(), title);
    const { order: after } = await call(wallet, "inquire", { reference: order.reference });
    assert.equal(after["state"], state);
    assert.equal(after["resultCode"], resultCode);
  });
}

test("with manual capture the buyer sees that the amount is held, and later what is charged", async () => {
  const { order, read, press } = await openPage({ capture: "MANUAL" });
  const capture = (captureReference: string, value: string, more: object = {}) =>
    call(wallet, "capture", {
      reference: order.reference,
      captureReference,
      amount: { currency: "EUR", value },
      ...more,
    });
  assert.match(await read(), /The amount is held, and charged when the shop captures it\./);
  await press("approve");
  const heldPage = await read();
  assert.match(heldPage, /<h1>Held<\/h1>/);
  assert.match(heldPage, /The amount is held for the shop, and not charged yet\./);
  assert.doesNotMatch(heldPage, /<button/);
  await capture("page-1", "100");
  assert.match(await read(), /<h1>Held<.*<dt>Still held<\/dt><dd>€3\.50<.*<dt>Charged<\/dt><dd>€1\.00</s);
  await capture("page-2", "200", { isLast: true });
  const finalPage = await read();
  assert.match(finalPage, /<h1>Paid<.*<dt>Charged<\/dt><dd>€3\.00<.*<dt>Released<\/dt><dd>€1\.50</s);
  assert.doesNotMatch(finalPage, /Still held/);
});

test("a released hold shows that nothing was charged", async () => {
  const { order, read, press } = await openPage({ capture: "MANUAL" });
  await press("approve");
  await call(wallet, "cancel", { reference: order.reference });
  assert.match(await read(), /<h1>Released<.*Nothing was charged\..*<dt>Released<\/dt><dd>€4\.50</s);
});

test("pressing twice pays once", async () => {
  const { order, press } = await openPage();
  await Promise.all([press("approve"), press("approve"), press("decline")]);
  const changes = effects(wallet).filter(
    (line) =>
      ["paid", "declined"].includes(line.kind) && "reference" in line && line.reference === order.reference,
  );
  assert.equal(changes.length, 1);
});

test("after payment, a link leads back to the shop, but only for http and https", async () => {
  const shop = await openPage({ redirectUrl: 'https://shop.example/thanks?a=1&b="2"' });
  await shop.press("approve");
  assert.ok((await shop.read()).includes('href="https://shop.example/thanks?a=1&amp;b=&quot;2&quot;"'));

  const scriptUrlPage = await openPage({ redirectUrl: "javascript:alert(1)" });
  await scriptUrlPage.press("approve");
  assert.doesNotMatch(await scriptUrlPage.read(), /javascript:|href="(?!\.\.\/)/);
});

test("an expired order shows no buttons, and can not be paid", async () => {
  const { order, read, press } = await openPage({ expiryTime: wireTime(Date.now() - 2_000) });
  assert.doesNotMatch(await read(), /<button/);
  await press("approve");
  assert.equal((await call(wallet, "inquire", { reference: order.reference })).order["state"], "OPEN");
});

test("texts of a merchant are shown as text and never as markup", async () => {
  const { read } = await openPage({ merchantName: "<b>Bold</b>", description: `"><img src=x onerror='1'>` });
  const html = await read();
  assert.doesNotMatch(html, /<b>|<img/);
  assert.ok(html.includes("&lt;b&gt;Bold&lt;/b&gt;"));
});

test("the page permits only its own script, no frame and no form to another site", async () => {
  const { url } = await openPage();
  const { headers } = await fetch(url);
  const policy = headers.get("content-security-policy") ?? "";
  assert.match(
    policy,
    /^default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'/,
  );
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal(headers.get("referrer-policy"), "no-referrer");
});

test("a guessed link opens no order, and an unknown choice has no effect", async () => {
  const { order, url, press } = await openPage();
  assert.equal((await fetch(`${url}x`)).status, 404);
  assert.equal((await press("steal")).status, 400);
  assert.equal((await fetch(url, { method: "DELETE" })).status, 405);
  assert.equal((await call(wallet, "inquire", { reference: order.reference })).order["state"], "OPEN");
});
