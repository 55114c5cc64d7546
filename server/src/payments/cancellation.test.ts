import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultTerms } from "../providers/connector.ts";
import { cancelCost, cancelRefusal, cancelRefusals } from "./cancellation.ts";
import { examplePayment } from "../../test/examples/example-payment.ts";

const paidAt = new Date("2026-11-15T10:00:00Z");
const amount = { currency: "EUR", minor: 1250n };
const paid = examplePayment({ status: "SUCCESS", paidAt, paidAmount: amount, capturedMinor: 1250n });
const held = examplePayment({ ...paid, captureMode: "MANUAL", capturedMinor: 0n });

const never = { ...defaultTerms, cancelPaid: "NEVER" } as const;
const day = { ...defaultTerms, cancelPaid: "DAY" } as const;
const week = { ...defaultTerms, cancelPaid: "WEEK" } as const;
const soon = new Date("2026-11-15T10:00:01Z");
const tooLate = new Date("2026-12-15T10:00:00Z");

// Reasons to refuse a cancel, in order of precedence: each row passes all earlier checks, and fails its own check and
// all later ones.
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

test("each refusal code has a row in the table", () => {
  assert.deepEqual(
    refused.map(([refusal]) => refusal),
    cancelRefusals,
  );
});

// The payment is at 10:00 UTC, which is 18:00 in UTC+8, so its next day begins at 16:00 UTC.
const windows = [
  ["until a quarter past midnight in UTC+8", paid, day, "2026-11-15T16:14:59.999Z", "2026-11-15T16:15:00Z"],
  [
    "a payment made just before that midnight can be cancelled for a quarter of an hour",
    { ...paid, paidAt: new Date("2026-11-15T15:59:59Z") },
    day,
    "2026-11-15T16:14:59.999Z",
    "2026-11-15T16:15:00Z",
  ],
  [
    "a payment made just after that midnight can be cancelled for a whole day",
    { ...paid, paidAt: new Date("2026-11-15T16:00:00Z") },
    day,
    "2026-11-16T16:14:59.999Z",
    "2026-11-16T16:15:00Z",
  ],
  ["seven days if the provider allows them", paid, week, "2026-11-22T09:59:59.999Z", "2026-11-22T10:00:00Z"],
  [
    "seven days for an authorization hold, whatever the provider allows for paid money",
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

test("a cancel debits the merchant the paid amount less the fee", () => {
  assert.deepEqual(cancelCost(paid, amount), amount);
  // The fee of 2.9 % of 12.50 is 0.36, and the cancel returns it.
  assert.deepEqual(cancelCost({ ...paid, feeBasisPoints: 290 }, amount), { currency: "EUR", minor: 1214n });
});
