import assert from "node:assert/strict";
import { test } from "node:test";
import { findNearest } from "./find-nearest.ts";

const methods = ["GCASH", "DANA", "TNG", "CASHIER_PAYMENT", "paymentNotifyUrl"];

for (const [text, nearest] of [
  ["GCASHH", "GCASH"],
  ["gcash", "GCASH"],
  ["GCSAH", "GCASH"],
  ["GCAHS", "GCASH"],
  ["DNAA", "DANA"],
  ["GSCHA", undefined],
  ["cashier payment", "CASHIER_PAYMENT"],
  ["CASHIER_PAYMNET", "CASHIER_PAYMENT"],
  ["paymentNotifyURL", "paymentNotifyUrl"],
  ["TNT", "TNG"],
  ["VISA", undefined],
  ["", undefined],
  ["G".repeat(10_000), undefined],
] as const) {
  test(`"${text.slice(0, 20)}" is nearest to ${nearest ?? "nothing"}`, () => {
    assert.equal(findNearest(text, methods), nearest);
  });
}
