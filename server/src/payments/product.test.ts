import assert from "node:assert/strict";
import { test } from "node:test";
import { findMissingField } from "../core/conditional-required.ts";
import type { ProductCode } from "./payment.ts";
import { expiryOf, products, type ProductRequest } from "./product.ts";

const now = new Date("2026-11-15T10:00:00Z");
const online = { paymentRedirectUrl: "https://shop.example/thanks", env: { terminalType: "WEB" } };
const scenario = (inStorePaymentScenario: string): Partial<ProductRequest> => ({
  paymentFactor: { inStorePaymentScenario },
});

function requestOf(more: Partial<ProductRequest>): ProductRequest {
  return { paymentMethod: {}, order: {}, ...more };
}

const lacking: readonly (readonly [ProductCode, Partial<ProductRequest>, string | undefined])[] = [
  ["CASHIER_PAYMENT", {}, "paymentRedirectUrl"],
  ["CASHIER_PAYMENT", { paymentRedirectUrl: "https://shop.example" }, "env"],
  ["CASHIER_PAYMENT", online, undefined],
  ["CASHIER_PAYMENT", { ...online, env: { terminalType: "WAP" } }, "env.osType"],
  ["CASHIER_PAYMENT", { ...online, env: { terminalType: "APP", osType: "IOS" } }, undefined],
  ["CASHIER_PAYMENT", { ...online, env: { terminalType: "MINI_APP" } }, "appId"],
  ["IN_STORE_PAYMENT", online, "paymentFactor.inStorePaymentScenario"],
  ["IN_STORE_PAYMENT", scenario("OrderCode"), "paymentNotifyUrl"],
  ["AGREEMENT_PAYMENT", online, "paymentMethod.paymentMethodId"],
  ["AGREEMENT_PAYMENT", { paymentMethod: { paymentMethodId: "token" } }, undefined],
];

for (const [product, more, missing] of lacking) {
  test(`${product} with ${Object.keys(more).join(", ") || "nothing"} lacks ${missing ?? "nothing"}`, () => {
    assert.equal(findMissingField(products[product].requiredFields, requestOf(more)), missing);
  });
}

/**
 * Requested and granted lifetime of a payment in seconds. Granted is undefined if the request is refused; requested is
 * undefined without paymentExpiryTime.
 */
const lifetimes: readonly (readonly [
  ProductCode,
  Partial<ProductRequest>,
  asked: number | undefined,
  given: number | undefined,
])[] = [
  ["CASHIER_PAYMENT", {}, undefined, 840],
  ["CASHIER_PAYMENT", {}, 48 * 3600, 48 * 3600],
  ["CASHIER_PAYMENT", {}, 48 * 3600 + 1, undefined],
  ["CASHIER_PAYMENT", {}, 0, undefined],
  ["IN_STORE_PAYMENT", scenario("PaymentCode"), undefined, 600],
  ["IN_STORE_PAYMENT", scenario("OrderCode"), undefined, 180],
  ["IN_STORE_PAYMENT", scenario("EntryCode"), 48 * 3600, 48 * 3600],
  ["AGREEMENT_PAYMENT", {}, undefined, 60],
  ["AGREEMENT_PAYMENT", {}, 30, 30],
  ["AGREEMENT_PAYMENT", {}, 61, undefined],
];

for (const [product, more, asked, given] of lifetimes) {
  const words = asked === undefined ? "no time" : `${asked} seconds`;
  test(
    `${product} with a requested lifetime of ${words} gets ${given ?? "a refusal"} ` +
      `(${JSON.stringify(more)})`,
    () => {
      const time = asked === undefined ? {} : { paymentExpiryTime: later(asked).toISOString() };
      const expiresAt = expiryOf(products[product], requestOf({ ...more, ...time }), now, 0);
      assert.deepEqual(expiresAt, given === undefined ? undefined : later(given));
    },
  );
}

test("an expiry given in real time is moved ahead with the test clock, and a past one is refused", () => {
  const product = products.CASHIER_PAYMENT;
  const [hour, aheadMs] = [3_600, 3_600_000];
  const expiry = (seconds: number): Date | undefined =>
    expiryOf(product, requestOf({ paymentExpiryTime: later(seconds).toISOString() }), now, aheadMs);
  assert.deepEqual(expiry(-hour + 180), later(180));
  assert.equal(expiry(-hour), undefined);
  assert.deepEqual(expiry(60), later(60), "by the test clock");
});

function later(seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000);
}
