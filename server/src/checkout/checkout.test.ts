import assert from "node:assert/strict";
import { test } from "node:test";
import { paymentLifecycle, sessionUntil, type Payment } from "../payments/payment.ts";
import { stateOf, statusOf } from "./checkout.ts";
import { now, payments } from "../../test/examples/example-checkout.ts";

for (const [state, payment] of Object.entries(payments)) {
  test(`a payment is shown as ${state}`, () => assert.equal(stateOf({ payment, now }), state));
}

test("every status of a payment is shown", () => {
  const shown = new Set(Object.values(payments).map(({ status }) => status));
  assert.deepEqual([...shown].sort(), Object.keys(paymentLifecycle).sort());
});

test("the buyer cannot pay while the merchant cancels", () => {
  const payment = { ...payments.waiting, cancelRequestedAt: now };
  assert.equal(stateOf({ payment, now }), "closing");
});

test("after the deadline the buyer cannot choose, and an unchosen payment cannot be paid", () => {
  const payment = { ...payments.choosing, session: sessionUntil(now) };
  assert.equal(stateOf({ payment, now }), "expired");
});

test("while the provider confirms, the buyer does not see an expired payment", () => {
  const payment = { ...payments.pending, expiresAt: now };
  assert.equal(stateOf({ payment, now }), "pending");
});

test("a page updates when its state changes, even if the payment's status has not changed", () => {
  const seen = (payment: Payment): string => JSON.stringify(statusOf({ payment, now }));
  assert.equal(new Set(Object.values(payments).map(seen)).size, Object.keys(payments).length);
});

test("a buyer who changes the payment method does not see a cancelled payment, unless the merchant cancels", () => {
  const payment = { ...payments.changing, cancelRequestedAt: now };
  assert.equal(stateOf({ payment, now }), "closing");
});
