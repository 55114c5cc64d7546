import assert from "node:assert/strict";
import { test } from "node:test";
import { paymentLifecycle, newSessionTimes, type Payment } from "../payments/payment.ts";
import { stateOf, statusOf } from "./checkout.ts";
import { now, examplePayments } from "../../test/examples/example-checkout.ts";

for (const [state, payment] of Object.entries(examplePayments)) {
  test(`a payment is shown as ${state}`, () => assert.equal(stateOf({ payment, now }), state));
}

test("every status of a payment is shown", () => {
  const shown = new Set(Object.values(examplePayments).map(({ status }) => status));
  assert.deepEqual([...shown].sort(), Object.keys(paymentLifecycle).sort());
});

test("the buyer cannot pay while the merchant cancels", () => {
  const payment = { ...examplePayments.waiting, cancelRequestedAt: now };
  assert.equal(stateOf({ payment, now }), "closing");
});

test("after the deadline the buyer cannot choose, and an unchosen payment cannot be paid", () => {
  const payment = { ...examplePayments.choosing, session: newSessionTimes(now) };
  assert.equal(stateOf({ payment, now }), "expired");
});

test("while the provider confirms, the buyer does not see an expired payment", () => {
  const payment = { ...examplePayments.pending, expiresAt: now };
  assert.equal(stateOf({ payment, now }), "pending");
});

test("a page updates when its state changes, even if the payment's status has not changed", () => {
  const seen = (payment: Payment): string => JSON.stringify(statusOf({ payment, now }));
  assert.equal(new Set(Object.values(examplePayments).map(seen)).size, Object.keys(examplePayments).length);
});

test("a buyer who changes the payment method does not see a cancelled payment, unless the merchant cancels", () => {
  const payment = { ...examplePayments.changing, cancelRequestedAt: now };
  assert.equal(stateOf({ payment, now }), "closing");
});
