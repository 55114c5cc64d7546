import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mayBecome } from "../core/lifecycle.ts";
import type { Money } from "../core/money.ts";
import type { OrderReport } from "../wallets/wallet.ts";
import { paymentLifecycle, type Payment, type PaymentStatus } from "./payment.ts";
import { decide, nextLookAt, nextStep, retryAt, type Decision } from "./settlement.ts";

const now = new Date("2026-11-15T10:00:00Z");
const amount: Money = { currency: "EUR", minor: 1250n };
const processing: Payment = {
  bucket: 1,
  clientId: "SANDBOX_A",
  paymentId: "20261115100000000000101000000000001",
  paymentRequestId: "order-1",
  productCode: "CASHIER_PAYMENT",
  status: "PROCESSING",
  resultCode: "PAYMENT_IN_PROCESS",
  amount,
  paidAmount: undefined,
  createdAt: now,
  paidAt: undefined,
  sequence: 1,
  fingerprint: undefined,
  paymentMethodType: "GCASH",
  orderDescription: "Two coffees",
  redirectUrl: undefined,
  notifyUrl: undefined,
  metadata: undefined,
  wallet: { connector: "w", reference: "r", acceptedAt: undefined, code: undefined, url: undefined },
  expiresAt: new Date("2026-11-15T10:14:00Z"),
  cancelRequestedAt: undefined,
  cancelledAt: undefined,
};
const accepted: Payment = {
  ...processing,
  wallet: { connector: "w", reference: "r", acceptedAt: now, code: "c", url: "u" },
};
const paid: OrderReport = { state: "PAID", amount, paidAmount: amount, paidAt: now };
const open: OrderReport = { state: "OPEN", code: "c", url: "u" };
const declined: OrderReport = { state: "DECLINED", resultCode: "USER_BALANCE_NOT_ENOUGH" };
const closed: OrderReport = { state: "CLOSED" };

/** What a decision comes to, in one line of a table. */
function inShort(decision: Decision): string {
  return decision.kind === "moved"
    ? `${decision.change.status} ${decision.change.resultCode}`
    : decision.kind;
}

const table: readonly (readonly [string, Payment, OrderReport, string])[] = [
  ["an order that stands is shown to the buyer", processing, open, "accepted"],
  ["an order that stood before is no news", accepted, open, "nothing"],
  ["a buyer who has done the own part", accepted, { state: "PENDING" }, "PENDING PAYMENT_IN_PROCESS"],
  ["still pending", { ...accepted, status: "PENDING" }, { state: "PENDING" }, "nothing"],
  ["paid", accepted, paid, "SUCCESS SUCCESS"],
  ["paid after pending", { ...accepted, status: "PENDING" }, paid, "SUCCESS SUCCESS"],
  ["paid twice over", { ...accepted, status: "SUCCESS", paidAt: now }, paid, "nothing"],
  ["paid before the wallet's acceptance was seen", processing, paid, "SUCCESS SUCCESS"],
  ["declined", accepted, declined, "FAIL USER_BALANCE_NOT_ENOUGH"],
  ["closed by expiry", accepted, closed, "FAIL ORDER_IS_CLOSED"],
  [
    "closed by the merchant's cancel",
    { ...accepted, cancelRequestedAt: now },
    closed,
    "CANCELLED ORDER_IS_CANCELED",
  ],
  [
    "declined while a cancel was under way",
    { ...accepted, cancelRequestedAt: now },
    declined,
    "CANCELLED ORDER_IS_CANCELED",
  ],
  ["paid while a cancel was under way", { ...accepted, cancelRequestedAt: now }, paid, "SUCCESS SUCCESS"],
  ["paid after the merchant was told it failed", { ...accepted, status: "FAIL" }, paid, "late success"],
  ["paid after it was cancelled", { ...accepted, status: "CANCELLED" }, paid, "late success"],
  ["paid, and cancelled since", { ...accepted, status: "CANCELLED", paidAt: now }, paid, "nothing"],
  ["another amount", accepted, { ...paid, amount: { currency: "EUR", minor: 1n } }, "contradiction"],
  ["another currency", accepted, { ...paid, amount: { currency: "USD", minor: 1250n } }, "contradiction"],
  ["the buyer paid less", accepted, { ...paid, paidAmount: { currency: "EUR", minor: 1n } }, "contradiction"],
  ["paid, though never sent", { ...accepted, amount: undefined }, paid, "contradiction"],
  ["not known to the wallet", accepted, { state: "NOT_FOUND" }, "nothing"],
];

for (const [name, payment, report, expected] of table) {
  test(`${name}: ${expected}`, () => assert.equal(inShort(decide(payment, report, now)), expected));
}

test("whatever a wallet reports, a payment moves only as its lifecycle says, and money only with a success", () => {
  const reports: OrderReport[] = [open, { state: "PENDING" }, paid, declined, closed, { state: "NOT_FOUND" }];
  const statuses = Object.keys(paymentLifecycle) as PaymentStatus[];
  fc.assert(
    fc.property(
      fc.constantFrom(...statuses),
      fc.constantFrom(...reports),
      fc.boolean(),
      (status, report, cancelled) => {
        const decision = decide(
          { ...accepted, status, cancelRequestedAt: cancelled ? now : undefined },
          report,
          now,
        );
        if (decision.kind !== "moved") return;
        assert.ok(mayBecome<PaymentStatus>(paymentLifecycle, status, decision.change.status));
        assert.equal(decision.change.effect !== undefined, decision.change.status === "SUCCESS");
      },
    ),
  );
});

test("a payment is first sent, then asked after, and closed when it has expired or was cancelled", () => {
  assert.equal(nextStep(processing, now), "submit");
  assert.equal(nextStep(accepted, now), "inquire");
  assert.equal(nextStep(accepted, new Date("2026-11-15T10:14:00Z")), "close");
  assert.equal(nextStep({ ...processing, cancelRequestedAt: now }, now), "close");
});

test("an open order is looked at ever more seldom, and at its expiry at the latest", () => {
  const seconds = (at: Date): number => (at.getTime() - now.getTime()) / 1000;
  assert.deepEqual(
    [0, 1, 2, 3, 9].map((attempts) => seconds(nextLookAt(accepted, attempts, now))),
    [30, 60, 120, 240, 240],
  );
  const soon = { ...accepted, expiresAt: new Date("2026-11-15T10:00:10Z") };
  assert.equal(seconds(nextLookAt(soon, 0, now)), 10);
  assert.equal(seconds(nextLookAt({ ...accepted, expiresAt: now }, 0, now)), 30);
  assert.deepEqual(
    [0, 1, 6, 99].map((attempts) => seconds(retryAt(attempts, now))),
    [1, 2, 60, 60],
  );
});
