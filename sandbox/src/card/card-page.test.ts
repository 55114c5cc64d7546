import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { call, control, effects, newFolder, newOrder, startWallet, pageOf } from "../testing/test-wallet.ts";
import { wireTime } from "../wallet/wire-time.ts";
import { testCards } from "../wallet/test-cards.ts";

const shopUrl = "https://shop.example/thanks?order=7";
const folder = newFolder();
const wallet = await startWallet(folder, "--list-orders");
const { cardUrl, walletUrl } = wallet.ready;
let stderrText = "";
wallet.process.stderr?.on("data", (text: Buffer) => (stderrText += text.toString("utf8")));

const numberOf = (name: string): string => testCards.find((card) => card.name === name)?.number ?? "";

async function open(more: Readonly<Record<string, unknown>> = {}) {
  const order = newOrder({ paymentMethodType: "CARD", redirectUrl: shopUrl, ...more });
  const answer = await call(wallet, "submit", order);
  const url = pageOf(answer.order);
  const send = (path: string, fields: Readonly<Record<string, string>>, headers = {}): Promise<Response> =>
    fetch(url + path, { method: "POST", redirect: "manual", body: new URLSearchParams(fields), headers });
  return {
    order,
    url,
    reportedOrder: answer.order,
    type: (number: string, more_: object = {}) =>
      send("", { number, expiry: "12/30", code: "8642", ...more_ }),
    decideAtBank: (choice: string) => send("/bank", { choice }),
    send,
    read: async (path = "") => (await fetch(url + path)).text(),
    state: async () => (await call(wallet, "inquire", { reference: order.reference })).order,
  };
}

test("an order by card opens the card page, and has no code to scan", async () => {
  const { url, reportedOrder } = await open();
  assert.ok(url.startsWith(`${cardUrl}/pay/`) && !url.startsWith(walletUrl));
  assert.deepEqual(reportedOrder["nextAction"], { type: "REDIRECT", url });
  const { order } = await call(wallet, "submit", newOrder());
  assert.ok(pageOf(order).startsWith(walletUrl));
  assert.deepEqual(order["nextAction"], { type: "QR_CODE", code: pageOf(order), url: pageOf(order) });
});

test("the page shows shop, amount and order, and says whether it is charged or held", async () => {
  const now = await (await open()).read();
  assert.match(
    now,
    /Coffee Lab.*<strong>€4\.50<\/strong> is charged now\..*One flat white.*Payment payment-/s,
  );
  assert.match(now, /<button class="main">Pay €4\.50</);
  const later = await (await open({ capture: "MANUAL" })).read();
  assert.match(
    later,
    /is held now\. The shop charges it later, up to this amount, until <time datetime="\d{4}-[^"]+">\d+ \w+ \d{4}<\/time>, or releases it\./,
  );
  assert.match(later, /<button class="main">Hold €4\.50</);
});

for (const { name, number, outcome } of testCards) {
  if (outcome.kind !== "declined") continue;
  test(`the card ${name} is declined with ${outcome.resultCode}`, async () => {
    const { url, type, state, read } = await open();
    const answer = await type(number);
    assert.equal(answer.headers.get("location"), new URL(url).pathname);
    assert.partialDeepStrictEqual(await state(), { state: "DECLINED", resultCode: outcome.resultCode });
    assert.match(
      await read(),
      new RegExp(`<h1>Not paid</h1>.*Nothing was charged.*${outcome.resultCode}`, "s"),
    );
  });
}

for (const [capture, state, title] of [
  ["AUTOMATIC", "PAID", "Paid"],
  ["MANUAL", "AUTHORIZED", "Held"],
] as const)
  test(`with ${capture} capture an approved card makes the order ${state}, and the buyer goes back to the shop`, async () => {
    const { type, state: now, read } = await open({ capture });
    const answer = await type(numberOf("approved"));
    assert.equal(answer.status, 303);
    assert.equal(answer.headers.get("location"), shopUrl);
    assert.equal((await now())["state"], state);
    assert.match(await read(), new RegExp(`<h1>${title}</h1>`));
    assert.equal((await type(numberOf("declined"))).headers.get("location"), shopUrl);
    assert.equal((await now())["state"], state);
  });

test("an approved card is reported with its details, the same in each inquiry", async () => {
  const { type, state } = await open();
  await type(numberOf("approved"));
  const { details, paidTime } = await state();
  const day = new Date(Date.parse(String(paidTime)) + 2 * 24 * 3600 * 1000).toISOString().slice(0, 10);
  assert.partialDeepStrictEqual(details, {
    cardBrand: "MASTERCARD",
    cardLastFour: "0004",
    issuerResultCode: "00",
    threeDSecure: { version: "2.2.0", outcome: "FRICTIONLESS", isLiabilityShifted: true },
    fee: { currency: "EUR", value: "9" },
    valueDate: day,
  });
  assert.deepEqual((await state())["details"], details);
});

for (const [card, choice, expected] of [
  ["not-enough-money", undefined, { cardLastFour: "0020", issuerResultCode: "51" }],
  ["answer-lost", undefined, { cardLastFour: "0095", threeDSecure: { outcome: "ATTEMPTED" } }],
  ["bank-asks", "approve", { cardLastFour: "0079", threeDSecure: { outcome: "AUTHENTICATED" } }],
  ["bank-asks", "decline", { cardLastFour: "0079", threeDSecure: { outcome: "FAILED" } }],
  ["bank-asks", "say-nothing", { issuerResultCode: "1A", threeDSecure: { outcome: "FAILED" } }],
] as const)
  test(`the details show the test card ${card}${choice ? ` and the choice "${choice}"` : ""}`, async () => {
    const { type, decideAtBank, state } = await open();
    await type(numberOf(card));
    if (choice) await decideAtBank(choice);
    assert.partialDeepStrictEqual((await state())["details"], expected);
  });

test("an order has details only if it is decided by card", async () => {
  const { state } = await open();
  assert.equal((await state())["details"], undefined);
  const order = newOrder();
  await call(wallet, "submit", order);
  await control(wallet, `POST payments/${order.paymentId}/approve`);
  assert.equal((await call(wallet, "inquire", { reference: order.reference })).order["details"], undefined);
});

test("control decides with a test card by its name, and rejects an unknown one", async () => {
  const { order, state } = await open();
  const path = `POST payments/${order.paymentId}/decline`;
  assert.equal((await control(wallet, path, { card: "9999000000000012" })).status, 400);
  await control(wallet, path, { resultCode: "DO_NOT_HONOR", card: "suspected" });
  assert.partialDeepStrictEqual((await state())["details"], { cardLastFour: "0061", issuerResultCode: "05" });
});

test("the fault card-number reports the whole number of the test card, and the journal does not contain it", async () => {
  const { order, state } = await open();
  const fault = { kind: "card-number", match: { paymentId: order.paymentId } };
  assert.equal((await control(wallet, "POST faults", fault)).status, 200);
  await control(wallet, `POST payments/${order.paymentId}/approve`);
  const { details } = await state();
  assert.partialDeepStrictEqual(details, { cardLastFour: numberOf("approved") });
  assert.ok(!JSON.stringify(effects(wallet)).includes(numberOf("approved")));
});

test("a redirect address that is not http or https is not opened", async () => {
  const { url, type, read } = await open({ redirectUrl: "javascript:alert(1)" });
  const answer = await type(numberOf("approved"));
  assert.equal(answer.headers.get("location"), new URL(url).pathname);
  assert.doesNotMatch(await read(), /javascript:/);
});

for (const [choice, state, resultCode] of [
  ["approve", "PAID", undefined],
  ["decline", "DECLINED", "ISSUER_REJECTS_TRANSACTION"],
  ["say-nothing", "DECLINED", "AUTHENTICATION_REQUIRED"],
] as const)
  test(`the bank asks the buyer for approval, and the choice "${choice}" decides`, async () => {
    const { url, type, decideAtBank, read, state: now } = await open();
    const bank = `${new URL(url).pathname}/bank`;
    assert.equal((await type(numberOf("bank-asks"))).headers.get("location"), bank);
    assert.equal((await now())["state"], "OPEN");
    assert.match(await read("/bank"), /<h1>Your bank asks<\/h1>/);
    await decideAtBank(choice);
    assert.partialDeepStrictEqual(await now(), { state, ...(resultCode && { resultCode }) });
  });

test("the bank's approval page decides only after the bank was asked, and only once", async () => {
  const { url, type, decideAtBank, state } = await open();
  const home = new URL(url).pathname;
  assert.equal((await decideAtBank("approve")).headers.get("location"), home);
  assert.equal((await fetch(`${url}/bank`, { redirect: "manual" })).headers.get("location"), home);
  assert.equal((await state())["state"], "OPEN");
  await type(numberOf("bank-asks"));
  assert.equal((await decideAtBank("guess")).status, 400);
  await Promise.all([decideAtBank("decline"), decideAtBank("approve")]);
  assert.equal((await state())["state"], "DECLINED");
});

test("with a slow bank the buyer waits, with a lost response not", async () => {
  const slow = await open();
  await slow.type(numberOf("slow-bank"));
  assert.equal((await slow.state())["state"], "PENDING");
  assert.match(
    await slow.read(),
    /<noscript><meta http-equiv="refresh".*<h1>Your bank is still deciding<\/h1>/s,
  );
  const lost = await open();
  assert.equal((await lost.type(numberOf("answer-lost"))).headers.get("location"), shopUrl);
  assert.equal((await lost.state())["state"], "PAID");
  const { json } = await control(wallet, "GET faults");
  assert.ok(JSON.stringify(json).includes(`"paymentId":"${lost.order.paymentId}"`));
});

test("a wrong input is reported at its field, and the first of them has the focus", async () => {
  const { send, state } = await open();
  const answer = await send("", { number: numberOf("approved"), expiry: "13/30", code: "1" });
  assert.equal(answer.status, 422);
  const html = await answer.text();
  assert.match(
    html,
    /id="expiry"[^>]*aria-invalid="true" aria-describedby="expiry-problem" autofocus>\s*<p class="problem" id="expiry-problem">/,
  );
  assert.match(html, /id="code"[^>]*value=""[^>]*aria-describedby="code-problem">/);
  assert.match(html, /id="number"[^>]*value="9999 0000 0000 0004">/);
  assert.equal((await state())["state"], "OPEN");
});

test("a test card is filled in by a link with its name, without its number", async () => {
  const { read } = await open();
  const html = await read();
  for (const { name } of testCards) assert.ok(html.includes(`?card=${name}"`), name);
  assert.match(
    await read("?card=declined"),
    /id="number"[^>]*value="9999 0000 0000 0012".*id="code"[^>]*value="123"/s,
  );
  assert.match(await read("?card=9999000000000012"), /id="number"[^>]*\s value="">/);
});

test("an expired, a cancelled and an already paid order accept no card", async () => {
  const expiredOrder = await open({ expiryTime: wireTime(Date.now() - 2_000) });
  assert.match(await expiredOrder.read(), /<h1>Too late<\/h1>/);
  await expiredOrder.type(numberOf("approved"));
  assert.equal((await expiredOrder.state())["state"], "OPEN");
  const closedOrder = await open();
  await call(wallet, "cancel", { reference: closedOrder.order.reference });
  await closedOrder.type(numberOf("approved"));
  assert.equal((await closedOrder.state())["state"], "CLOSED");
  assert.match(await closedOrder.read(), /<h1>Closed<\/h1>/);
  const { order } = await call(wallet, "submit", newOrder());
  assert.equal((await fetch(cardUrl + new URL(pageOf(order)).pathname)).status, 404);
});

test("the control interface and the wallet's own page decide an order by card like any other", async () => {
  const [approved, declined, pressed] = [await open(), await open(), await open()];
  await control(wallet, `POST payments/${approved.order.paymentId}/approve`);
  await control(wallet, `POST payments/${declined.order.paymentId}/decline`, {
    resultCode: "SUSPECTED_CARD",
  });
  const page = `${walletUrl}${new URL(pressed.url).pathname}`;
  assert.ok((await (await fetch(page)).text()).includes(`href="${pressed.url}">Type a test card</a>`));
  await fetch(page, { method: "POST", body: new URLSearchParams({ choice: "approve" }) });
  const states = await Promise.all(
    [approved, declined, pressed].map(async ({ state }) => (await state())["state"]),
  );
  assert.deepEqual(states, ["PAID", "DECLINED", "PAID"]);
});

test("the card page serves no page of the wallet, and accepts no form of another site", async () => {
  for (const path of [
    "/control/orders",
    "/provider/1.1/orders/submit",
    "/codes",
    "/test",
    "/payments/payment-1",
    "/news",
  ])
    assert.equal((await fetch(cardUrl + path)).status, 404, path);
  const { type, send, url, state } = await open();
  const elsewhere = await send("", { number: numberOf("approved") }, { "sec-fetch-site": "cross-site" });
  assert.equal(elsewhere.status, 403);
  assert.equal((await fetch(url, { method: "DELETE" })).status, 405);
  assert.equal((await state())["state"], "OPEN");
  const { headers } = await type("");
  const policy = headers.get("content-security-policy");
  assert.equal(
    policy,
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self' https://shop.example; frame-ancestors 'none'; base-uri 'none'",
  );
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal(headers.get("referrer-policy"), "no-referrer");
  assert.equal(headers.get("cross-origin-opener-policy"), "same-origin");
});

test("texts of a merchant are shown as text and never as markup", async () => {
  const { read } = await open({ merchantName: "<b>Bold</b>", description: `"><img src=x onerror='1'>` });
  assert.doesNotMatch(await read(), /<b>|<img/);
});

test("no typed number or security code appears in a response, the journal, the log or an address", async () => {
  const typed = ["4111 1111 1111 1111", "378282246310005", "5555-5555-5555-4445", "4000123412341234x"];
  const { url, type, send } = await open();
  for (const number of typed) {
    const answer = await type(number, { code: "8642", expiry: "07/31" });
    const text = `${await answer.text()} ${JSON.stringify([...answer.headers])}`;
    for (const part of [number, number.replaceAll(/\D/g, ""), "8642", "07/31"])
      assert.ok(!text.includes(part), `${part} came back`);
  }
  // The requests below have the card number in the URL. Browsers never send such a request, because the page has no
  // such form.
  await fetch(`${url}?number=4111111111111111`);
  await send("?number=4111111111111111", { number: "4111111111111111" });
  await send("", { number: "4".repeat(70_000) });
  const { type: pay } = await open();
  await pay(numberOf("approved"), { code: "8642" });
  assert.ok(effects(wallet).length > 0);
  const storedText = `${readFileSync(join(folder, "effects.jsonl"), "utf8")}${stderrText}`;
  const numbers = [
    ...typed.map((number) => number.replaceAll(/\D/g, "")),
    ...testCards.map(({ number }) => number),
  ];
  for (const number of [...typed, ...numbers, "8642"])
    assert.ok(!new RegExp(`(?<![\\w-])${number}(?![\\w-])`).test(storedText), `${number} was kept`);
});
