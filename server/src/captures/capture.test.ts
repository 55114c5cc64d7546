import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Payment } from "../payments/payment.ts";
import { examplePayment } from "../../test/examples/example-payment.ts";
import { captureFailureCode, checkCapture, captureRefusals } from "./capture.ts";

const now = new Date("2026-11-16T10:00:00Z");
const authorized: Payment = examplePayment({
  status: "SUCCESS",
  captureMode: "MANUAL",
  paidAmount: { currency: "EUR", minor: 1250n },
  paidAt: new Date("2026-11-15T10:00:00Z"),
  authExpiresAt: new Date("2026-11-22T10:00:00Z"),
  capturedMinor: 1250n,
});
const expired = { ...authorized, authExpiresAt: now };
const singleCapture = { captures: "ONE" } as const;
const multipleCaptures = { captures: "MANY" } as const;
const usd = { currency: "USD", minor: 1251n };
const eur = (minor: bigint): { currency: string; minor: bigint } => ({ currency: "EUR", minor });

// Reasons to refuse a capture, in order of precedence: each row passes all earlier checks, and fails its own check and
// all later ones.
const refusalCases = [
  ["AUTH_NOT_FOUND", undefined, singleCapture, usd],
  ["AUTH_CANCELLED", { ...expired, status: "CANCELLED" }, singleCapture, usd],
  ["ORDER_IS_CANCELED", { ...expired, status: "CANCELLED", paidAt: undefined }, singleCapture, usd],
  ["ORDER_STATUS_INVALID", { ...expired, status: "PENDING" }, singleCapture, usd],
  ["AUTH_EXPIRED", expired, singleCapture, usd],
  ["CURRENCY_NOT_SUPPORT", authorized, singleCapture, usd],
  ["MULTI_CAPTURE_NOT_SUPPORTED", authorized, singleCapture, eur(1n)],
  ["CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT", authorized, multipleCaptures, eur(1n)],
] as const;

for (const [refusal, payment, terms, amount] of refusalCases) {
  test(`a capture is refused with ${refusal}`, () =>
    assert.equal(
      checkCapture({ payment, hasLastCapture: false }, () => terms, amount, now),
      refusal,
    ));
}

test("each refusal code has a row in the table", () => {
  assert.deepEqual(
    refusalCases.map(([refusal]) => refusal),
    captureRefusals,
  );
});

const otherCases: readonly (readonly [string, Payment, boolean, string | undefined])[] = [
  ["the rest of the amount", { ...authorized, capturedMinor: 1249n }, false, undefined],
  ["after the last capture", { ...authorized, capturedMinor: 1n }, true, "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT"],
  [
    "money that was collected immediately",
    { ...authorized, captureMode: "AUTOMATIC" },
    false,
    "ORDER_STATUS_INVALID",
  ],
  ["while a cancel is in progress", { ...authorized, cancelRequestedAt: now }, false, "ORDER_STATUS_INVALID"],
  ["after the hold was released", { ...authorized, releasedAt: now }, false, "AUTH_EXPIRED"],
  [
    "paid money that was cancelled",
    { ...authorized, captureMode: "AUTOMATIC", status: "CANCELLED" },
    false,
    "ORDER_IS_CANCELED",
  ],
];

for (const [name, payment, hasLastCapture, expected] of otherCases) {
  test(`a capture of ${name}: ${expected ?? "goes ahead"}`, () =>
    assert.equal(
      checkCapture({ payment, hasLastCapture }, () => multipleCaptures, eur(1n), now),
      expected,
    ));
}

test("a provider that allows one capture accepts the first", () => {
  const payment = { ...authorized, capturedMinor: 0n };
  assert.equal(
    checkCapture({ payment, hasLastCapture: false }, () => singleCapture, eur(1n), now),
    undefined,
  );
});

test("no sequence of accepted captures exceeds the authorized amount", () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: 1n, max: 900n })), (attempts) => {
      let payment: Payment = { ...authorized, capturedMinor: 0n };
      for (const minor of attempts) {
        if (checkCapture({ payment, hasLastCapture: false }, () => multipleCaptures, eur(minor), now))
          continue;
        payment = { ...payment, capturedMinor: payment.capturedMinor + minor };
      }
      assert.ok(payment.capturedMinor <= 1250n);
    }),
  );
});

test("a provider's refusal reason is passed on if it is meaningful to a merchant", () => {
  assert.equal(captureFailureCode("ORDER_STATUS_INVALID"), "ORDER_STATUS_INVALID");
  assert.equal(captureFailureCode("ORDER_NOT_EXIST"), "PROCESS_FAIL");
});
