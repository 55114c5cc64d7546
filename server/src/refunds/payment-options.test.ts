import assert from "node:assert/strict";
import { test } from "node:test";
import { examplePayment } from "../../test/examples/example-payment.ts";
import { termsAtRate, writeFeeTerms } from "../ledger/fee.ts";
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
const held: Payment = {
  ...paid,
  captureMode: "MANUAL",
  capturedMinor: 0n,
  authExpiresAt: new Date("2026-11-22T10:00:00Z"),
};

function asked(
  payment: Payment,
  more: { readonly terms?: Partial<ConnectorTerms>; readonly available?: bigint } = {},
) {
  const { terms = {}, available = 99_999n } = more;
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
  const option = refundOption(asked({ ...paid, refundedMinor: 300n, disputedMinor: 100n }));
  assert.deepEqual(option, { left: eur(850n), most: eur(850n), inParts: true, whyNot: undefined });
});

test("the balance limits the refundable amount, and an empty balance allows nothing", () => {
  assert.deepEqual(refundOption(asked(paid, { available: 200n })), {
    left: eur(1250n),
    most: eur(200n),
    inParts: true,
    whyNot: undefined,
  });
  for (const available of [0n, -500n]) {
    const option = refundOption(asked(paid, { available }));
    assert.deepEqual([option?.most, option?.whyNot], [eur(0n), "MERCHANT_BALANCE_NOT_ENOUGH"]);
  }
});

test("with a fee rule the balance must cover the refund fee, less the returned fee", () => {
  const rule = { ...termsAtRate(290), refundFixedMinor: 25n };
  const payment = { ...paid, feeTerms: writeFeeTerms({ ...rule, refundPolicy: "return all" }) };
  // A full refund needs 12.50 plus 0.25 for the refund, minus 0.36 of the fee that is returned.
  assert.deepEqual(refundOption(asked(payment, { available: 1239n }))?.most, eur(1250n));
  assert.deepEqual(refundOption(asked(payment, { available: 1238n }))?.most, eur(1213n));
  const none = refundOption(asked(payment, { available: 25n }));
  assert.deepEqual([none?.most, none?.whyNot], [eur(0n), "MERCHANT_BALANCE_NOT_ENOUGH"]);
});

test("a provider with full refunds only offers the full amount, if the balance covers it", () => {
  const terms = { refunds: "FULL" } as const;
  assert.deepEqual(refundOption(asked(paid, { terms })), {
    left: eur(1250n),
    most: eur(1250n),
    inParts: false,
    whyNot: undefined,
  });
  assert.equal(refundOption(asked(paid, { terms, available: 1n }))?.whyNot, "MERCHANT_BALANCE_NOT_ENOUGH");
});

test("a refund is not offered if nothing is left, or if the payment was never paid", () => {
  assert.equal(refundOption(asked({ ...paid, refundedMinor: 1250n }))?.whyNot, "REFUND_AMOUNT_EXCEED");
  assert.equal(refundOption(asked(held))?.whyNot, "REFUND_AMOUNT_EXCEED");
  assert.equal(refundOption(asked(paid, { terms: { refunds: "NONE" } }))?.whyNot, "REFUND_NOT_SUPPORTED");
  for (const status of ["PROCESSING", "PENDING", "FAIL", "CANCELLED"] as const)
    assert.equal(refundOption(asked({ ...paid, status })), undefined);
});

test("the amount left to capture is the authorized amount less captures, including those in progress", () => {
  assert.deepEqual(captureOption(asked({ ...held, capturedMinor: 1000n })), {
    left: eur(250n),
    whyNot: undefined,
  });
  assert.equal(
    captureOption({ ...asked({ ...held, capturedMinor: 1000n }), hadLast: true })?.whyNot,
    "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT",
  );
  assert.equal(
    captureOption(asked({ ...held, capturedMinor: 1250n }))?.whyNot,
    "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT",
  );
  assert.equal(captureOption(asked({ ...held, authExpiresAt: now }))?.whyNot, "AUTH_EXPIRED");
  assert.equal(captureOption(asked(paid)), undefined);
});

const cancels: readonly (readonly [string, Payment, string | undefined])[] = [
  ["an unpaid payment is offered", { ...paid, status: "PROCESSING" }, undefined],
  ["a paid payment is offered", paid, undefined],
  ["an authorized payment is offered", held, undefined],
  [
    "a payment that the provider still decides is refused",
    { ...paid, status: "PENDING" },
    "ORDER_STATUS_INVALID",
  ],
  ["a partly refunded payment is refused", { ...paid, refundedMinor: 1n }, "PROCESS_FAIL"],
];

for (const [what, payment, whyNot] of cancels) {
  test(`a cancel of ${what}`, () =>
    assert.deepEqual(cancelOption(asked(payment, { terms: { cancelPaid: "DAY" } })), { whyNot }));
}

test("a cancel is not offered for a failed, cancelled or cancelling payment", () => {
  const over = [{ status: "FAIL" }, { status: "CANCELLED" }, { cancelRequestedAt: now }] as const;
  for (const each of over) assert.equal(cancelOption(asked({ ...paid, ...each })), undefined);
});

test("a cancel needs the paid amount in the balance, unless the money is only authorized", () => {
  const terms = { cancelPaid: "DAY" } as const;
  assert.equal(cancelOption(asked(paid, { terms, available: 10n }))?.whyNot, "MERCHANT_BALANCE_NOT_ENOUGH");
  assert.equal(cancelOption(asked(held, { terms, available: 0n }))?.whyNot, undefined);
});
