import assert from "node:assert/strict";
import { test } from "node:test";
import { examplePayment } from "../../test/examples/example-payment.ts";
import { flatRateTerms, formatFeeTerms } from "../ledger/fee.ts";
import type { Payment } from "../payments/payment.ts";
import { defaultTerms, type ConnectorTerms } from "../providers/connector.ts";
import { cancelOption, captureOption, refundOption } from "./payment-options.ts";

const now = new Date("2026-11-16T10:00:00Z");
const eur = (minor: bigint): { currency: string; minor: bigint } => ({ currency: "EUR", minor });
const paid: Payment = examplePayment({
  status: "SUCCESS",
  paidAmount: eur(1250n),
  paidAt: new Date("2026-11-16T09:00:00Z"),
  capturedMinor: 1250n,
});
const authorizedPayment: Payment = {
  ...paid,
  captureMode: "MANUAL",
  capturedMinor: 0n,
  authExpiresAt: new Date("2026-11-22T10:00:00Z"),
};

function factsOf(
  payment: Payment,
  options: { readonly terms?: Partial<ConnectorTerms>; readonly available?: bigint } = {},
) {
  const { terms = {}, available = 99_999n } = options;
  return {
    payment,
    capturedMinor: payment.capturedMinor,
    hadLast: false,
    availableMinor: available,
    termsOf: () => ({ ...defaultTerms, ...terms }),
    now,
  };
}

test("the refundable amount is the captured amount less refunds and disputes", () => {
  const option = refundOption(factsOf({ ...paid, refundedMinor: 300n, disputedMinor: 100n }));
  assert.deepEqual(option, { left: eur(850n), most: eur(850n), inParts: true, whyNot: undefined });
});

test("the balance limits the refundable amount, and an empty balance allows nothing", () => {
  assert.deepEqual(refundOption(factsOf(paid, { available: 200n })), {
    left: eur(1250n),
    most: eur(200n),
    inParts: true,
    whyNot: undefined,
  });
  for (const available of [0n, -500n]) {
    const option = refundOption(factsOf(paid, { available }));
    assert.deepEqual([option?.most, option?.whyNot], [eur(0n), "MERCHANT_BALANCE_NOT_ENOUGH"]);
  }
});

test("with a fee rule the balance must cover the refund fee, less the returned fee", () => {
  const rule = { ...flatRateTerms(290), refundFixedMinor: 25n };
  const payment = { ...paid, feeTerms: formatFeeTerms({ ...rule, refundPolicy: "return all" }) };
  // A full refund needs 12.50 plus 0.25 for the refund, minus 0.36 of the fee that is returned.
  assert.deepEqual(refundOption(factsOf(payment, { available: 1239n }))?.most, eur(1250n));
  assert.deepEqual(refundOption(factsOf(payment, { available: 1238n }))?.most, eur(1213n));
  const refusedOption = refundOption(factsOf(payment, { available: 25n }));
  assert.deepEqual([refusedOption?.most, refusedOption?.whyNot], [eur(0n), "MERCHANT_BALANCE_NOT_ENOUGH"]);
});

test("a provider with full refunds only offers the full amount, if the balance covers it", () => {
  const terms = { refunds: "FULL" } as const;
  assert.deepEqual(refundOption(factsOf(paid, { terms })), {
    left: eur(1250n),
    most: eur(1250n),
    inParts: false,
    whyNot: undefined,
  });
  assert.equal(refundOption(factsOf(paid, { terms, available: 1n }))?.whyNot, "MERCHANT_BALANCE_NOT_ENOUGH");
});

test("a refund is not offered if nothing is left, or if the payment was never paid", () => {
  assert.equal(refundOption(factsOf({ ...paid, refundedMinor: 1250n }))?.whyNot, "REFUND_AMOUNT_EXCEED");
  assert.equal(refundOption(factsOf(authorizedPayment))?.whyNot, "REFUND_AMOUNT_EXCEED");
  assert.equal(refundOption(factsOf(paid, { terms: { refunds: "NONE" } }))?.whyNot, "REFUND_NOT_SUPPORTED");
  for (const status of ["PROCESSING", "PENDING", "FAIL", "CANCELLED"] as const)
    assert.equal(refundOption(factsOf({ ...paid, status })), undefined);
});

test("the amount left to capture is the authorized amount less captures, including those in progress", () => {
  assert.deepEqual(captureOption(factsOf({ ...authorizedPayment, capturedMinor: 1000n })), {
    left: eur(250n),
    whyNot: undefined,
  });
  assert.equal(
    captureOption({ ...factsOf({ ...authorizedPayment, capturedMinor: 1000n }), hadLast: true })?.whyNot,
    "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT",
  );
  assert.equal(
    captureOption(factsOf({ ...authorizedPayment, capturedMinor: 1250n }))?.whyNot,
    "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT",
  );
  assert.equal(captureOption(factsOf({ ...authorizedPayment, authExpiresAt: now }))?.whyNot, "AUTH_EXPIRED");
  assert.equal(captureOption(factsOf(paid)), undefined);
});

const cancels: readonly (readonly [string, Payment, string | undefined])[] = [
  ["an unpaid payment is offered", { ...paid, status: "PROCESSING" }, undefined],
  ["a paid payment is offered", paid, undefined],
  ["an authorized payment is offered", authorizedPayment, undefined],
  [
    "a payment that the provider still decides is refused",
    { ...paid, status: "PENDING" },
    "ORDER_STATUS_INVALID",
  ],
  ["a partly refunded payment is refused", { ...paid, refundedMinor: 1n }, "PROCESS_FAIL"],
];

for (const [description, payment, whyNot] of cancels) {
  test(`a cancel of ${description}`, () =>
    assert.deepEqual(cancelOption(factsOf(payment, { terms: { cancelPaid: "DAY" } })), { whyNot }));
}

test("a cancel is not offered for a failed, cancelled or cancelling payment", () => {
  const over = [{ status: "FAIL" }, { status: "CANCELLED" }, { cancelRequestedAt: now }] as const;
  for (const each of over) assert.equal(cancelOption(factsOf({ ...paid, ...each })), undefined);
});

test("a cancel needs the paid amount in the balance, unless the money is only authorized", () => {
  const terms = { cancelPaid: "DAY" } as const;
  assert.equal(cancelOption(factsOf(paid, { terms, available: 10n }))?.whyNot, "MERCHANT_BALANCE_NOT_ENOUGH");
  assert.equal(cancelOption(factsOf(authorizedPayment, { terms, available: 0n }))?.whyNot, undefined);
});
