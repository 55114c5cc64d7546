import assert from "node:assert/strict";
import { test } from "node:test";
import { addConnector } from "../operators/providers/connector-settings.ts";
import { findFreePort } from "../postgres/temporary-postgres.ts";
import { newMerchant, startTestGateway } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import {
  newMerchantClient,
  chooseMethod,
  offerMethods,
  openSession,
  sessionRequest,
  readCheckoutPage,
  readyHeading,
  waitForHeading,
} from "../../test/shop/test-session.ts";
import { payRequest, startTestStack } from "../../test/start/test-stack.ts";

const bare = await startTestGateway("sandbox");
const bareMerchant = await newMerchant(bare.database);
const stack = await startTestStack();
const { merchant, provider, database } = stack;
const usual = { partnerId: "tollgate", publicKeyFile: provider.publicKeyFile, simulator: true };
const silentUrl = `http://127.0.0.1:${await findFreePort()}`;
const connect = (name: string, url: string, methods: readonly string[], terms: object): Promise<void> =>
  addConnector(database.ownerUrl, "sandbox", { ...usual, name, url, paymentMethodTypes: methods, terms });
await connect("silent-provider", silentUrl, ["SILENTPAY"], {});
await connect("peso-provider", provider.url, ["PESOPAY"], { currencies: ["PHP"] });
await connect("quick-provider", provider.url, ["QUICKPAY"], { captures: "NONE" });
const { url } = await stack.serve({ isPublic: true });
await stack.work();

const asked = newMerchantClient(url, merchant);
const { request: callPaymentsOf, codeOf, waitForStatus: untilStatus } = asked;
const consult = "payments/consult";

let count = 0;
const newName = (): string => `consult-${(count += 1)}`;

interface ShownOption {
  readonly paymentMethodType: string;
  readonly enabled: boolean;
  readonly disableReason?: string;
}

const consultRequest = (more: object = {}): object => ({
  productCode: "CASHIER_PAYMENT",
  paymentAmount: { currency: "EUR", value: "1250" },
  env: { terminalType: "WEB" },
  ...more,
});

async function optionsFor(more: object = {}): Promise<readonly ShownOption[]> {
  const answer = await callPaymentsOf(consult, consultRequest(more));
  assert.equal(answer.json.result["resultCode"], "SUCCESS", answer.text);
  return answer.json["paymentOptions"] as readonly ShownOption[];
}

const reasons = (options: readonly ShownOption[]): readonly (readonly [string, string | undefined])[] =>
  options.map(({ paymentMethodType, disableReason }) => [paymentMethodType, disableReason]);

test("a consult lists the payment methods of all providers, and a reason for each disabled one", async () => {
  const all = await optionsFor();
  assert.ok(all.some(({ paymentMethodType, enabled }) => paymentMethodType === "GCASH" && enabled));
  assert.ok(all.every(({ enabled, disableReason }) => enabled === (disableReason === undefined)));
  assert.equal(all.at(-1)?.paymentMethodType, "PESOPAY");

  const allowedPaymentMethods = ["PESOPAY", "QUICKPAY", "GCASH"];
  const held = { isAuthorization: true, captureMode: "MANUAL" };
  assert.deepEqual(reasons(await optionsFor({ allowedPaymentMethods, paymentFactor: held })), [
    ["PESOPAY", "CHANNEL_NOT_SUPPORT_CURRENCY"],
    ["QUICKPAY", "CHANNEL_DISABLE"],
    ["GCASH", undefined],
  ]);
  const pesos = { paymentAmount: { currency: "PHP", value: "100" }, blockedPaymentMethods: ["GCASH"] };
  assert.deepEqual(reasons(await optionsFor({ allowedPaymentMethods, ...pesos })), [
    ["PESOPAY", undefined],
    ["QUICKPAY", undefined],
  ]);
  const [first] = await optionsFor({ userRegion: "TH" });
  assert.equal(first?.paymentMethodType, "RABBIT_LINE_PAY");
  const regional = await optionsFor({ allowedPaymentMethodRegions: ["HK", "CN"] });
  assert.deepEqual(reasons(regional), [
    ["ALIPAY_CN", undefined],
    ["ALIPAY_HK", undefined],
  ]);
});

test("consult and pay agree on the reason to refuse an amount, terminal or currency", async () => {
  const request = payRequest(newName(), { paymentMethod: { paymentMethodType: "PESOPAY" } });
  assert.equal(await codeOf("payments/pay", request), "CURRENCY_NOT_SUPPORT");
});

const consultRefused: readonly (readonly [code: string, why: string, more: object])[] = [
  ["PARAM_ILLEGAL", "no terminal", { env: undefined }],
  ["PARAM_ILLEGAL", "a phone of no kind", { env: { terminalType: "WAP" } }],
  ["PARAM_ILLEGAL", "an unknown kind of phone", { productCode: "IN_STORE_PAYMENT" }],
  ["PARAM_ILLEGAL", "part of a rupiah", { paymentAmount: { currency: "IDR", value: "150" } }],
  ["CURRENCY_NOT_SUPPORT", "an unknown currency", { paymentAmount: { currency: "XTS", value: "1" } }],
  ["NO_PAY_OPTIONS", "a region without payment methods", { allowedPaymentMethodRegions: ["AQ"] }],
];

for (const [code, why, more] of consultRefused) {
  test(`a consult for ${why} is refused with ${code}`, async () => {
    assert.equal(await codeOf(consult, consultRequest(more)), code);
  });
}

test("a provider that does not respond is shown as disabled, and the buyer chooses another", async () => {
  const pay = payRequest("", { paymentMethod: { paymentMethodType: "SILENTPAY" } });
  const { id, paymentId, pageUrl } = await openSession(asked, offerMethods("SILENTPAY", "GCASH"));
  for (let index = 0; index < 6; index += 1)
    await callPaymentsOf("payments/pay", { ...pay, paymentRequestId: newName() });
  const allowed = { allowedPaymentMethods: ["SILENTPAY"] };
  const silent = await eventually(
    15_000,
    () => optionsFor(allowed),
    ([option]) => option?.enabled === false,
  );
  assert.deepEqual(reasons(silent), [["SILENTPAY", "SERVICE_DEGRADE"]]);
  const page = await readCheckoutPage(pageUrl);
  assert.deepEqual(page.methods, ["GCASH"]);
  assert.match(page.text, /Not available right now/);
  await chooseMethod(pageUrl, "SILENTPAY");
  assert.equal((await readCheckoutPage(pageUrl)).heading, "Choose how to pay");
  // The gateway opens the session although its provider does not respond, because the provider may recover before the
  // session expires.
  const waiting = await openSession(asked, offerMethods("SILENTPAY"));
  assert.match((await readCheckoutPage(waiting.pageUrl)).text, /No way to pay can be used right now/);

  await chooseMethod(pageUrl, "GCASH");
  await waitForHeading(pageUrl, readyHeading);
  await provider.control(paymentId, "approve");
  await untilStatus(id, "SUCCESS");
});

test("without a connector there is no payment method to choose, and no card form", async () => {
  const nobody = newMerchantClient(bare.url, bareMerchant);
  const create = "payments/createPaymentSession";
  assert.equal(await nobody.codeOf(consult, consultRequest()), "NO_PAY_OPTIONS");
  assert.equal(await nobody.codeOf(create, sessionRequest("bare-1")), "NO_PAY_OPTIONS");
  const byCard = sessionRequest("bare-1", { paymentMethod: { paymentMethodType: "CARD" } });
  assert.equal(await nobody.codeOf(create, byCard), "CARD_NOT_SUPPORTED");
});
