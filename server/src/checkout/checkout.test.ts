import assert from "node:assert/strict";
import { test } from "node:test";
import { paymentLifecycle } from "../payments/payment.ts";
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
  const payment = { ...payments.choosing, session: { expiresAt: now, chosenAt: undefined } };
  assert.equal(stateOf({ payment, now }), "expired");
});

test("a buyer whose wallet is confirming is not told that the time is over", () => {
  const payment = { ...payments.pending, expiresAt: now };
  assert.equal(stateOf({ payment, now }), "pending");
});

test("the buyer can pay when the order stands at the wallet, and until the time is over", () => {
  const statuses = Object.entries(payments).map(([state, payment]) => [state, statusOf({ payment, now })]);
  assert.deepEqual(Object.fromEntries(statuses), {
    choosing: { status: "PROCESSING", sequence: 1, ready: false },
    preparing: { status: "PROCESSING", sequence: 1, ready: false },
    waiting: { status: "PROCESSING", sequence: 1, ready: true },
    closing: { status: "PROCESSING", sequence: 1, ready: false },
    pending: { status: "PENDING", sequence: 2, ready: false },
    paid: { status: "SUCCESS", sequence: 2, ready: false },
    failed: { status: "FAIL", sequence: 2, ready: false },
    expired: { status: "FAIL", sequence: 2, ready: false },
    cancelled: { status: "CANCELLED", sequence: 2, ready: false },
  });
});
