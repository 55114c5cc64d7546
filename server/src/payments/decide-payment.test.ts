import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canTransition } from "../core/lifecycle.ts";
import type { Money } from "../core/money.ts";
import type { OrderReport } from "../providers/provider.ts";
import { examplePayment } from "../../test/examples/example-payment.ts";
import { paymentLifecycle, newSessionTimes, type Payment, type PaymentStatus } from "./payment.ts";
import { decidePayment, mayExpire, nextPollAt, nextStep, type PaymentDecision } from "./decide-payment.ts";

const now = new Date("2026-11-15T10:00:00Z");
const amount: Money = { currency: "EUR", minor: 1250n };
const cent: Money = { currency: "EUR", minor: 1n };
const processing = examplePayment();
const accepted: Payment = {
  ...processing,
  order: { connector: "w", reference: "r", acceptedAt: now, code: "c", url: "u" },
};
const paid: OrderReport = { state: "PAID", amount, paidAmount: amount, paidAt: now };
const authorized: OrderReport = { ...paid, state: "AUTHORIZED" };
const manual: Payment = { ...accepted, captureMode: "MANUAL" };
const open: OrderReport = { state: "OPEN", code: "c", url: "u" };
const declined: OrderReport = { state: "DECLINED", resultCode: "USER_BALANCE_NOT_ENOUGH" };
const closed: OrderReport = { state: "CLOSED" };
const session = {
  ...newSessionTimes(new Date("2026-11-15T11:00:00Z")),
  chosenAt: now,
  changeRequestedAt: now,
};
const changing: Payment = { ...accepted, session };

/** `inShort` formats a decision as one line of the expected results. */
function inShort(decision: PaymentDecision): string {
  return decision.kind === "moved"
    ? `${decision.change.status} ${decision.change.resultCode}`
    : decision.kind;
}

const table: readonly (readonly [string, Payment, OrderReport, string])[] = [
  ["an open order is shown to the buyer", processing, open, "accepted"],
  ["an open order that was accepted before changes nothing", accepted, open, "nothing"],
  [
    "a buyer who has approved, with the provider still deciding",
    accepted,
    { state: "PENDING" },
    "PENDING PAYMENT_IN_PROCESS",
  ],
  ["still pending", { ...accepted, status: "PENDING" }, { state: "PENDING" }, "nothing"],
  ["paid", accepted, paid, "SUCCESS SUCCESS"],
  ["paid after pending", { ...accepted, status: "PENDING" }, paid, "SUCCESS SUCCESS"],
  ["paid, reported twice", { ...accepted, status: "SUCCESS", paidAt: now }, paid, "nothing"],
  ["paid before the provider's acceptance arrived", processing, paid, "SUCCESS SUCCESS"],
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
  ["closed for a buyer who wants another payment method", changing, closed, "left"],
  ["paid by a buyer who wanted another payment method", changing, paid, "SUCCESS SUCCESS"],
  [
    "approved by a buyer who wanted another payment method",
    changing,
    { state: "PENDING" },
    "PENDING PAYMENT_IN_PROCESS",
  ],
  ["closed after it was approved", { ...changing, status: "PENDING" }, closed, "FAIL ORDER_IS_CLOSED"],
  [
    "declined while the buyer wanted another payment method",
    changing,
    declined,
    "FAIL USER_BALANCE_NOT_ENOUGH",
  ],
  [
    "closed while the buyer wanted another payment method and the merchant cancelled",
    { ...changing, cancelRequestedAt: now },
    closed,
    "CANCELLED ORDER_IS_CANCELED",
  ],
  [
    "authorized while the close that releases the hold is in flight",
    { ...changing, captureMode: "MANUAL" },
    authorized,
    "nothing",
  ],
  [
    "paid after the merchant was notified of the failure",
    { ...accepted, status: "FAIL" },
    paid,
    "late success",
  ],
  ["paid after it was cancelled", { ...accepted, status: "CANCELLED" }, paid, "late success"],
  ["paid, and cancelled since", { ...accepted, status: "CANCELLED", paidAt: now }, paid, "nothing"],
  ["authorized, to be captured later", manual, authorized, "SUCCESS SUCCESS"],
  ["authorized, reported twice", { ...manual, status: "SUCCESS", paidAt: now }, authorized, "nothing"],
  ["authorized after it was cancelled", { ...manual, status: "CANCELLED" }, authorized, "late success"],
  [
    "authorized, and cancelled since",
    { ...manual, status: "CANCELLED", paidAt: now },
    authorized,
    "held again",
  ],
  [
    "authorized, and released since",
    { ...manual, status: "SUCCESS", paidAt: now, releasedAt: now },
    authorized,
    "held again",
  ],
  [
    "authorized, and captured and released since",
    { ...manual, status: "SUCCESS", paidAt: now, releasedAt: now, capturedMinor: 1n },
    authorized,
    "nothing",
  ],
  ["paid, although only an authorization was requested", manual, paid, "contradiction"],
  ["authorized, although a payment was requested", accepted, authorized, "contradiction"],
  ["another amount", accepted, { ...paid, amount: { currency: "EUR", minor: 1n } }, "contradiction"],
  ["another currency", accepted, { ...paid, amount: { currency: "USD", minor: 1250n } }, "contradiction"],
  ["the buyer paid less", accepted, { ...paid, paidAmount: { currency: "EUR", minor: 1n } }, "contradiction"],
  ["paid for another payment", accepted, { ...paid, paymentId: "other" }, "contradiction"],
  ["open for another payment", processing, { ...open, paymentId: "other" }, "contradiction"],
  ["open with another amount", processing, { ...open, amount: cent }, "contradiction"],
  ["pending with another amount", accepted, { state: "PENDING", amount: cent }, "contradiction"],
  ["declined with another amount", accepted, { ...declined, amount: cent }, "contradiction"],
  ["closed with another amount", accepted, { ...closed, amount: cent }, "contradiction"],
  ["closed for another payment", accepted, { ...closed, paymentId: "other" }, "contradiction"],
  [
    "declined with its amount and payment",
    accepted,
    { ...declined, amount, paymentId: accepted.paymentId },
    "FAIL USER_BALANCE_NOT_ENOUGH",
  ],
  ["paid, though never sent", { ...accepted, amount: undefined }, paid, "contradiction"],
  ["unknown to the provider", accepted, { state: "NOT_FOUND" }, "nothing"],
];

for (const [name, payment, report, expected] of table) {
  test(`${name}: ${expected}`, () => assert.equal(inShort(decidePayment(payment, report, now)), expected));
}

test("no report moves a payment against its lifecycle, and the ledger changes only if money was collected", () => {
  const reports: OrderReport[] = [open, { state: "PENDING" }, paid, authorized, declined, closed];
  const statuses = Object.keys(paymentLifecycle) as PaymentStatus[];
  fc.assert(
    fc.property(
      fc.constantFrom(...statuses),
      fc.constantFrom<OrderReport>(...reports, { state: "NOT_FOUND" }),
      fc.constantFrom(accepted, manual),
      fc.boolean(),
      (status, report, payment, cancelled) => {
        const cancelRequestedAt = cancelled ? now : undefined;
        const decision = decidePayment({ ...payment, status, cancelRequestedAt }, report, now);
        if (decision.kind === "late success")
          assert.equal(decision.effect !== undefined, report.state === "PAID");
        if (decision.kind !== "moved") return;
        const { change } = decision;
        assert.ok(canTransition<PaymentStatus>(paymentLifecycle, status, change.status));
        const succeeded = change.status === "SUCCESS";
        assert.equal(change.effect !== undefined, succeeded && report.state === "PAID");
        assert.equal(change.authExpiresAt !== undefined, succeeded && report.state === "AUTHORIZED");
      },
    ),
  );
});

test("an authorization hold can be captured for seven days", () => {
  const decision = decidePayment(manual, authorized, now);
  assert.equal(decision.kind, "moved");
  const { authExpiresAt } = decision.change;
  assert.deepEqual(authExpiresAt, new Date("2026-11-22T10:00:00Z"));
});

const expiry = new Date("2026-11-15T10:14:00Z");
const steps: readonly (readonly [string, Payment, Date, boolean, string])[] = [
  ["a new payment is sent", processing, now, true, "submit"],
  ["an order that must not be sent twice is queried", processing, now, false, "inquire"],
  ["an order that the provider has accepted is queried", accepted, now, true, "inquire"],
  ["an expired order is queried before it is closed", accepted, expiry, true, "expire"],
  ["so is an expired order that must not be sent twice", processing, expiry, false, "expire"],
  ["and an expired order whose buyer has acted", { ...accepted, status: "PENDING" }, expiry, true, "expire"],
  [
    "a cancel closes the order without an inquiry first",
    { ...accepted, cancelRequestedAt: now },
    expiry,
    true,
    "close",
  ],
  [
    "a payment that the merchant cancels is closed",
    { ...processing, cancelRequestedAt: now },
    now,
    true,
    "close",
  ],
];
for (const [name, payment, at, maySubmit, step] of steps) {
  test(`${name}: ${step}`, () => assert.equal(nextStep(payment, at, maySubmit), step));
}

const ends: readonly (readonly [string, OrderReport, boolean])[] = [
  ["the buyer has not paid", open, true],
  ["the provider does not know the order", { state: "NOT_FOUND" }, true],
  ["the buyer has acted, and the provider decides", { state: "PENDING" }, false],
  ["it is paid", paid, false],
  ["the money is authorized", authorized, false],
  ["it was declined", declined, false],
];
for (const [name, report, isClosed] of ends) {
  test(`at the expiry, when ${name}, an order is closed: ${isClosed}`, () =>
    assert.equal(mayExpire(report), isClosed));
}

test("polls of an expired order that the provider decides back off, to at least four a day", () => {
  const pending = examplePayment({ status: "PENDING", expiresAt: now });
  const pollGapMinutes = (hours: number): number => {
    const at = new Date(now.getTime() + hours * 3600 * 1000);
    return (nextPollAt(pending, 9, at).getTime() - at.getTime()) / 60_000;
  };
  assert.deepEqual([0, 0.1, 1, 4, 24, 240].map(pollGapMinutes), [4, 4, 15, 60, 360, 360]);
});

test("polls of an open order back off, with the last one at its expiry", () => {
  const seconds = (at: Date): number => (at.getTime() - now.getTime()) / 1000;
  assert.deepEqual(
    [0, 1, 2, 3, 9].map((attempts) => seconds(nextPollAt(accepted, attempts, now))),
    [30, 60, 120, 240, 240],
  );
  const soon = { ...accepted, expiresAt: new Date("2026-11-15T10:00:10Z") };
  assert.equal(seconds(nextPollAt(soon, 0, now)), 10);
  assert.equal(seconds(nextPollAt({ ...accepted, expiresAt: now }, 0, now)), 0);
  assert.equal(seconds(nextPollAt({ ...accepted, expiresAt: now }, 1, now)), 60);
  assert.equal(seconds(nextPollAt({ ...accepted, status: "PENDING", expiresAt: now }, 0, now)), 30);
});
