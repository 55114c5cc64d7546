import assert from "node:assert/strict";
import { test } from "node:test";
import { usualTerms } from "../wallets/connector.ts";
import { cancelCost, cancelRefusal, cancelRefusals } from "./cancellation.ts";
import { examplePayment } from "../../test/examples/example-payment.ts";

const paidAt = new Date("2026-11-15T10:00:00Z");
const amount = { currency: "EUR", minor: 1250n };
const paid = examplePayment({ status: "SUCCESS", paidAt, paidAmount: amount, capturedMinor: 1250n });
const held = examplePayment({ ...paid, captureMode: "MANUAL", capturedMinor: 0n });

const never = { ...usualTerms, cancelPaid: "NEVER" } as const;
const day = { ...usualTerms, cancelPaid: "DAY" } as const;
const week = { ...usualTerms, cancelPaid: "WEEK" } as const;
const soon = new Date("2026-11-15T10:00:01Z");
const tooLate = new Date("2026-12-15T10:00:00Z");

// In order of precedence: each row passes every check above it, fails its own, and would fail those below.
const refused = [
  ["PAYMENT_METHOD_NOT_SUPPORTED", { ...paid, refundedMinor: 1n }, never, tooLate],
  ["ORDER_STATUS_INVALID", { ...held, capturedMinor: 1n, refundedMinor: 1n }, never, tooLate],
  ["CANCEL_WINDOW_EXCEED", { ...paid, refundedMinor: 1n }, day, tooLate],
  ["PROCESS_FAIL", { ...paid, refundedMinor: 1n }, day, soon],
] as const;

for (const [refusal, payment, terms, now] of refused) {
  test(`a cancel is refused with ${refusal}`, () =>
    assert.equal(cancelRefusal(payment, terms, now), refusal));
}

test("every refusal has a row above", () => {
  assert.deepEqual(
    refused.map(([refusal]) => refusal),
    cancelRefusals,
  );
});

// 10:00 UTC is 18:00 in UTC+8, so the day after begins at 16:00 UTC.
const windows = [
  ["until a quarter past midnight in UTC+8", paid, day, "2026-11-15T16:14:59.999Z", "2026-11-15T16:15:00Z"],
  [
    "a payment made just before that midnight has its quarter of an hour",
    { ...paid, paidAt: new Date("2026-11-15T15:59:59Z") },
    day,
    "2026-11-15T16:14:59.999Z",
    "2026-11-15T16:15:00Z",
  ],
  [
    "a payment made just after that midnight has a whole day",
    { ...paid, paidAt: new Date("2026-11-15T16:00:00Z") },
    day,
    "2026-11-16T16:14:59.999Z",
    "2026-11-16T16:15:00Z",
  ],
  ["seven days where the wallet allows them", paid, week, "2026-11-22T09:59:59.999Z", "2026-11-22T10:00:00Z"],
  [
    "seven days for held money, whatever the wallet says of paid money",
    held,
    never,
    "2026-11-22T09:59:59.999Z",
    "2026-11-22T10:00:00Z",
  ],
] as const;

for (const [name, payment, terms, last, first] of windows) {
  test(`the window of a cancel: ${name}`, () => {
    assert.equal(cancelRefusal(payment, terms, new Date(last)), undefined);
    assert.equal(cancelRefusal(payment, terms, new Date(first)), "CANCEL_WINDOW_EXCEED");
  });
}

test("a cancel costs the merchant what the payment brought", () => {
  assert.deepEqual(cancelCost(paid, amount), amount);
  // 2.9 % of 12.50 is 0.36, and comes back.
  assert.deepEqual(cancelCost({ ...paid, feeBasisPoints: 290 }, amount), { currency: "EUR", minor: 1214n });
});
