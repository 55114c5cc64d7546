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

test("nobody can pay while the merchant cancels", () => {
  const payment = { ...payments.waiting, cancelRequestedAt: now };
  assert.equal(stateOf({ payment, now }), "closing");
});

test("nobody can choose when the time is over, and nobody can have paid", () => {
  const payment = { ...payments.choosing, session: sessionUntil(now) };
  assert.equal(stateOf({ payment, now }), "expired");
});

test("a buyer whose wallet is confirming is not told that the time is over", () => {
  const payment = { ...payments.pending, expiresAt: now };
  assert.equal(stateOf({ payment, now }), "pending");
});

test("a page whose state has changed shows a new one, whether or not the payment has moved", () => {
  const seen = (payment: Payment): string => JSON.stringify(statusOf({ payment, now }));
  assert.equal(new Set(Object.values(payments).map(seen)).size, Object.keys(payments).length);
});

test("a buyer who wants another wallet is not told that the merchant cancels, unless it does", () => {
  const payment = { ...payments.changing, cancelRequestedAt: now };
  assert.equal(stateOf({ payment, now }), "closing");
});
