import assert from "node:assert/strict";
import { test } from "node:test";
import { statesOf } from "../core/lifecycle.ts";
import { isInStore, isSettled, paymentLifecycle, type ProductCode } from "./payment.ts";

test("a payment is settled when nobody but the merchant, by a cancel, can change how it ended", () => {
  const settled = statesOf(paymentLifecycle).filter((status) => isSettled({ status }));
  assert.deepEqual(settled, ["SUCCESS", "FAIL", "CANCELLED"]);
  for (const status of settled) {
    const exits: readonly string[] = paymentLifecycle[status];
    assert.deepEqual(
      exits.filter((next) => next !== "CANCELLED"),
      [],
    );
  }
});

for (const [productCode, inStore] of [
  ["IN_STORE_PAYMENT", true],
  ["CASHIER_PAYMENT", false],
  ["AGREEMENT_PAYMENT", false],
] as const satisfies readonly (readonly [ProductCode, boolean])[]) {
  test(`${productCode} is ${inStore ? "" : "not "}made in a store`, () => {
    assert.equal(isInStore({ productCode }), inStore);
  });
}
