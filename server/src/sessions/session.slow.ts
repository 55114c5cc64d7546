import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { chromium } from "playwright-core";
import { addConnector } from "../operators/providers/connector-settings.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { isResponseSigned, call, newMerchant } from "../../test/start/test-gateway.ts";
import {
  newMerchantClient,
  chooseMethod,
  offerMethods,
  openSession,
  sessionRequest,
  readCheckoutPage,
  readyHeading,
  waitForHeading,
  type OpenedSession,
} from "../../test/shop/test-session.ts";
import { startTestShop } from "../../test/start/test-shop.ts";
import { payRequest, startTestStack } from "../../test/start/test-stack.ts";

const stack = await startTestStack();
const { merchant, provider, database } = stack;
const shop = await startTestShop();
const defaultFields = {
  partnerId: "tollgate",
  publicKeyFile: provider.publicKeyFile,
  simulator: true,
  url: provider.url,
};
const connect = (name: string, method: string, terms: object): Promise<void> =>
  addConnector(database.ownerUrl, "sandbox", { ...defaultFields, name, paymentMethodTypes: [method], terms });
await connect("peso-provider", "PESOPAY", { currencies: ["PHP"] });
await connect("quick-provider", "QUICKPAY", { captures: "NONE" });
const { url } = await stack.serve({ isPublic: true });
await stack.work();
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
});
after(() => browser.close());

const merchantClient = newMerchantClient(url, merchant);
const { request: callGateway, codeOf, waitForStatus: untilStatus } = merchantClient;
const create = "payments/createPaymentSession";
const open = (otherFields: object = {}, from = merchantClient): Promise<OpenedSession> =>
  openSession(from, { paymentNotifyUrl: shop.notifyUrl, ...otherFields });

let count = 0;
const newName = (): string => `request-${(count += 1)}`;

/** Number of entries of one kind for a payment in the provider's journal. */
function effects(paymentId: string, kind: string): number {
  return provider.effects().filter((line) => line["kind"] === kind && line["paymentId"] === paymentId).length;
}

test("a session from its creation to the payment and the webhook", async () => {
  const { id, paymentId, pageUrl, request, answer } = await open({ metadata: "m" });
  const { paymentSessionData, paymentSessionExpiryTime } = answer.json as Record<string, string>;
  assert.equal(pageUrl, `${url}/checkout/${paymentSessionData}`);
  assert.ok(paymentId.length <= 64 && (paymentSessionData?.length ?? 0) <= 4096);
  const leftMs = Date.parse(paymentSessionExpiryTime ?? "") - Date.now();
  assert.ok(leftMs > 3_590_000 && leftMs <= 3_600_000, String(leftMs));

  const before = await untilStatus(id, "PROCESSING");
  assert.equal(before.json["paymentMethodType"], undefined);
  const page = await readCheckoutPage(pageUrl);
  assert.equal(page.heading, "Choose how to pay");
  assert.ok(["GCASH", "ALIPAY_CN", "QUICKPAY"].every((type) => page.methods.includes(type)));
  assert.equal(effects(paymentId, "submit"), 0);

  const chosen = await chooseMethod(pageUrl, "GCASH");
  assert.deepEqual([chosen.status, new URL(chosen.headers.get("location") ?? "", url).href], [303, pageUrl]);
  await waitForHeading(pageUrl, readyHeading);
  assert.deepEqual((await callGateway(create, request)).json, answer.json);

  await provider.control(paymentId, "approve");
  const paid = await untilStatus(id, "SUCCESS");
  assert.equal(paid.json["paymentMethodType"], "GCASH");
  const [webhook] = await shop.waitForWebhooks(paymentId, 1);
  assert.partialDeepStrictEqual(webhook?.json, { notifyType: "PAYMENT_RESULT", metadata: "m" });
  assert.deepEqual([effects(paymentId, "submit"), effects(paymentId, "paid")], [1, 1]);
  await waitForHeading(pageUrl, "Paid");
  // A repeated request gets the first response, whatever the state of the session is.
  assert.deepEqual((await callGateway(create, request)).json, answer.json);
});

test("a buyer chooses and pays in a browser, on the provider's own page", async () => {
  const { id, paymentId, pageUrl } = await open(offerMethods("GCASH", "TRUEMONEY"));
  const page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  await page.goto(pageUrl);
  assert.deepEqual(await page.locator(".method bdi").allTextContents(), ["GCash", "TrueMoney"]);
  await page.getByRole("button", { name: "TrueMoney" }).click();
  await page.locator("h1", { hasText: readyHeading }).waitFor({ timeout: 10_000 });
  assert.equal(page.url(), pageUrl);
  await page.getByRole("link", { name: /^Pay with/ }).click();
  await page.getByRole("button", { name: "Approve" }).click();
  const paid = await untilStatus(id, "SUCCESS");
  assert.equal(paid.json["paymentMethodType"], "TRUEMONEY");
  assert.equal(effects(paymentId, "paid"), 1);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a buyer changes to another payment method in a browser, and pays there", async () => {
  const { id, paymentId, pageUrl } = await open(offerMethods("GCASH", "TRUEMONEY"));
  const page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  await page.goto(pageUrl);
  await page.getByRole("button", { name: "GCash" }).click();
  await page.getByRole("button", { name: "Pay in another way" }).click();
  await page.getByRole("button", { name: "TrueMoney" }).click();
  await page.locator("h1", { hasText: "Pay with TrueMoney" }).waitFor({ timeout: 15_000 });
  await page.getByRole("link", { name: /^Pay with/ }).click();
  await page.getByRole("button", { name: "Approve" }).click();
  const paid = await untilStatus(id, "SUCCESS");
  assert.equal(paid.json["paymentMethodType"], "TRUEMONEY");
  assert.equal(effects(paymentId, "paid"), 1);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a buyer can choose without JavaScript", async () => {
  const { paymentId, pageUrl } = await open(offerMethods("GCASH"));
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await page.goto(pageUrl);
  await page.getByRole("button", { name: "GCash" }).click();
  await page.locator("h1", { hasText: readyHeading }).waitFor({ timeout: 15_000 });
  assert.equal(effects(paymentId, "submit"), 1);
  await page.context().close();
});

const refused: readonly (readonly [code: string, why: string, more: object])[] = [
  ["PARAM_ILLEGAL", "no URL to return to", { paymentRedirectUrl: undefined }],
  ["PARAM_ILLEGAL", "an agreement", { productCode: "AGREEMENT_PAYMENT" }],
  ["PARAM_ILLEGAL", "an agreement by its scene", { productScene: "EASY_PAY" }],
  ["PARAM_ILLEGAL", "a session of two hours", { paymentSessionExpiryTime: timeIn(7_200) }],
  ["PARAM_ILLEGAL", "a session that has already expired", { paymentSessionExpiryTime: timeIn(-10) }],
  ["PARAM_ILLEGAL", "a payment of three days", { paymentExpiryTime: timeIn(3 * 86_400) }],
  ["PARAM_ILLEGAL", "a late capture without an authorization", { paymentFactor: { captureMode: "MANUAL" } }],
  ["PARAM_ILLEGAL", "part of a rupiah", { paymentAmount: { currency: "IDR", value: "150" } }],
  ["CURRENCY_NOT_SUPPORT", "an unknown currency", { paymentAmount: { currency: "XTS", value: "1" } }],
  ["CURRENCY_NOT_SUPPORT", "a currency that its provider does not accept", offerMethods("PESOPAY")],
  [
    "PAYMENT_METHOD_NOT_SUPPORTED",
    "a provider without authorizations",
    { ...offerMethods("QUICKPAY"), paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } },
  ],
  ["NO_PAY_OPTIONS", "a region without payment methods", { allowedPaymentMethodRegions: ["AQ"] }],
];

function timeIn(seconds: number): string {
  return `${new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19)}+00:00`;
}

for (const [code, why, otherFields] of refused) {
  test(`${why} is refused with ${code}, and its id can be used again`, async () => {
    const id = newName();
    const response = await callGateway(create, sessionRequest(id, otherFields));
    assert.equal(response.json.result["resultCode"], code, response.text);
    assert.equal(await codeOf("payments/inquiryPayment", { paymentRequestId: id }), "ORDER_NOT_EXIST");
    assert.equal(await codeOf(create, sessionRequest(id)), "SUCCESS");
  });
}

test("the same id with other content is refused, and the error names the field", async () => {
  const { request } = await open(offerMethods("GCASH"));
  const otherRequest = { ...request, paymentAmount: { currency: "EUR", value: "1251" } };
  const response = await callGateway(create, otherRequest);
  assert.equal(response.json.result["resultCode"], "REPEAT_REQ_INCONSISTENT");
  assert.equal(response.json.result["resultField"], "paymentAmount.value");
  assert.equal(await codeOf(create, { ...request, ...offerMethods("DANA") }), "REPEAT_REQ_INCONSISTENT");
  const otherRedirect = { ...request, paymentRedirectUrl: "https://shop.example/other" };
  assert.equal(await codeOf(create, otherRedirect), "SUCCESS");
});

test("a payment and a session never share a request id, whichever is created first", async () => {
  const { id } = await open();
  const paid = await callGateway("payments/pay", payRequest(id));
  assert.equal(paid.json.result["resultCode"], "REPEAT_REQ_INCONSISTENT", paid.text);
  const name = newName();
  assert.equal(await codeOf("payments/pay", payRequest(name)), "PAYMENT_IN_PROCESS");
  assert.equal(await codeOf(create, sessionRequest(name)), "REPEAT_REQ_INCONSISTENT");
});

test("a cancel closes a session immediately, and a session that was cancelled in advance is not opened", async () => {
  const { id, paymentId, pageUrl, request } = await open();
  const cancelled = await callGateway("payments/cancel", { paymentRequestId: id });
  assert.equal(cancelled.json.result["resultCode"], "SUCCESS", cancelled.text);
  assert.ok(cancelled.json["cancelTime"]);
  assert.equal((await readCheckoutPage(pageUrl)).heading, "Cancelled");
  await chooseMethod(pageUrl, "GCASH");
  await untilStatus(id, "CANCELLED");
  assert.equal(await codeOf(create, request), "ORDER_IS_CANCELED");
  assert.equal(await codeOf("payments/pay", payRequest(id)), "REPEAT_REQ_INCONSISTENT");
  assert.equal(await codeOf("payments/cancel", { paymentId }), "SUCCESS");
  assert.equal(effects(paymentId, "submit"), 0);

  const name = newName();
  assert.equal(await codeOf("payments/cancel", { paymentRequestId: name }), "SUCCESS");
  assert.equal(await codeOf(create, sessionRequest(name)), "ORDER_IS_CANCELED");
});

test("a concurrent session, payment and cancel leave one record, and all responses agree on it", async (t) => {
  const seen = new Map<string, number>();
  for (let round = 0; round < 30; round += 1) {
    const id = newName();
    // The requests that race alternate in getting a head start of a few milliseconds.
    const soon = (position: number): Promise<void> => delay(((round + position) % 3) * 3);
    const answers = [
      soon(0).then(() => codeOf(create, sessionRequest(id))),
      soon(1).then(() => codeOf("payments/pay", payRequest(id))),
      soon(2).then(() => codeOf("payments/cancel", { paymentRequestId: id })),
      soon(0).then(() => codeOf(create, sessionRequest(id))),
    ];
    const codes = (await Promise.all(answers)).join(" ");
    seen.set(codes, (seen.get(codes) ?? 0) + 1);
    const [session, paid, , repeated] = codes.split(" ");
    assert.ok(!(session === "SUCCESS" && paid === "PAYMENT_IN_PROCESS"), codes);
    assert.ok(session === repeated || [session, repeated].includes("ORDER_IS_CANCELED"), codes);
    await codeOf("payments/cancel", { paymentRequestId: id });
    const { json } = await untilStatus(id, "CANCELLED");
    const rows = await asSuperuser<{ count: number }>(
      "select count(*)::int as count from payments where payment_request_id = $1",
      [id],
      database.superuserUrl,
    );
    assert.deepEqual(rows, [{ count: 1 }]);
    assert.equal(effects(String(json["paymentId"]), "paid"), 0);
  }
  t.diagnostic([...seen].map(([codes, times]) => `${times} × ${codes}`).join("; "));
});

test("an unused session is closed when it expires, and the merchant gets a webhook", async () => {
  const late = await newMerchant(database);
  const otherMerchant = newMerchantClient(url, late);
  const { id, paymentId, pageUrl, request } = await open({}, otherMerchant);
  const early = await open({ paymentSessionExpiryTime: timeIn(600) }, otherMerchant);
  const openSessionLater = async (turnRequestId: string, bySeconds: number): Promise<void> =>
    assert.equal(
      await otherMerchant.codeOf("tollgate/advanceClock", { turnRequestId, bySeconds }),
      "SUCCESS",
    );
  await openSessionLater("ten", 660);
  assert.equal(
    (await otherMerchant.waitForStatus(early.id, "FAIL")).json["paymentResultCode"],
    "ORDER_IS_CLOSED",
  );
  assert.equal((await readCheckoutPage(pageUrl)).heading, "Choose how to pay");
  await openSessionLater("hour", 3_000);
  await otherMerchant.waitForStatus(id, "FAIL");
  const [webhook] = await shop.waitForWebhooks(paymentId, 1);
  assert.partialDeepStrictEqual(webhook?.json["result"], { resultCode: "ORDER_IS_CLOSED" });
  assert.equal((await readCheckoutPage(pageUrl)).heading, "The time is over");
  await chooseMethod(pageUrl, "GCASH");
  assert.equal(effects(paymentId, "submit"), 0);
  assert.equal(await otherMerchant.codeOf(create, request), "ORDER_IS_CLOSED");
  assert.equal(
    await otherMerchant.codeOf("payments/cancel", { paymentRequestId: id }),
    "ORDER_STATUS_INVALID",
  );
});

test("the expiry of the payment also ends the choice", async () => {
  const { answer } = await open({ paymentExpiryTime: timeIn(120) });
  const leftMs = Date.parse(String(answer.json["paymentSessionExpiryTime"])) - Date.now();
  assert.ok(leftMs > 0 && leftMs <= 120_000, String(leftMs));
});

test("a session is returned as it was requested, also to clients that send a doubled slash", async () => {
  const customizedInfo = { customizedField1: "table 4" };
  const { id } = await open({ customizedInfo });
  const verb = "payments/retrievePaymentSession";
  for (const path of [`/ams/sandbox/api/v1/${verb}`, `/ams/sandbox/api//v1/${verb}`]) {
    const response = await call(url, merchant, { path, body: JSON.stringify({ paymentRequestId: id }) });
    assert.equal(response.json.result["resultCode"], "SUCCESS", response.text);
    assert.ok(isResponseSigned(response, path, merchant.gatewayPublicKey));
    assert.partialDeepStrictEqual(response.json["order"], {
      referenceOrderId: "order-1",
      orderAmount: { currency: "EUR", value: "1250" },
    });
    assert.deepEqual(JSON.parse(String(response.json["customizedInfo"])), customizedInfo);
  }
  const plain = await call(url, merchant, {
    path: `/ams/api//v1/${verb}`,
    body: JSON.stringify({ paymentRequestId: id }),
  });
  assert.equal(plain.json.result["resultCode"], "ACCESS_DENIED");
});

test("an id that is no session of the merchant is not found", async () => {
  const verb = "payments/retrievePaymentSession";
  const { id } = await open();
  assert.equal(await codeOf(verb, { paymentRequestId: newName() }), "ORDER_NOT_EXIST");
  const name = newName();
  await callGateway("payments/pay", payRequest(name));
  assert.equal(await codeOf(verb, { paymentRequestId: name }), "ORDER_NOT_EXIST");
  const otherMerchant = newMerchantClient(url, await newMerchant(database));
  assert.equal(await otherMerchant.codeOf(verb, { paymentRequestId: id }), "ORDER_NOT_EXIST");
});
