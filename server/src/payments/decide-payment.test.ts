import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mayBecome } from "../core/lifecycle.ts";
import type { Money } from "../core/money.ts";
import type { OrderReport } from "../wallets/wallet.ts";
import { examplePayment } from "../../test/examples/example-payment.ts";
import { paymentLifecycle, sessionUntil, type Payment, type PaymentStatus } from "./payment.ts";
import { decidePayment, mayExpire, nextLookAt, nextStep, type PaymentDecision } from "./decide-payment.ts";

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
const session = { ...sessionUntil(new Date("2026-11-15T11:00:00Z")), chosenAt: now, changeRequestedAt: now };
const changing: Payment = { ...accepted, session };

/** What a decision comes to, in one line of a table. */
function inShort(decision: PaymentDecision): string {
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
  ["closed for a buyer who wants another wallet", changing, closed, "left"],
  ["paid by a buyer who wanted another wallet", changing, paid, "SUCCESS SUCCESS"],
  [
    "approved by a buyer who wanted another wallet",
    changing,
    { state: "PENDING" },
    "PENDING PAYMENT_IN_PROCESS",
  ],
  ["closed after it was approved", { ...changing, status: "PENDING" }, closed, "FAIL ORDER_IS_CLOSED"],
  ["declined while another wallet was wanted", changing, declined, "FAIL USER_BALANCE_NOT_ENOUGH"],
  [
    "closed while the buyer wanted another wallet, and the merchant none",
    { ...changing, cancelRequestedAt: now },
    closed,
    "CANCELLED ORDER_IS_CANCELED",
  ],
  [
    "held while the close is on its way that lets go",
    { ...changing, captureMode: "MANUAL" },
    authorized,
    "nothing",
  ],
  ["paid after the merchant was told it failed", { ...accepted, status: "FAIL" }, paid, "late success"],
  ["paid after it was cancelled", { ...accepted, status: "CANCELLED" }, paid, "late success"],
  ["paid, and cancelled since", { ...accepted, status: "CANCELLED", paidAt: now }, paid, "nothing"],
  ["held until it is captured", manual, authorized, "SUCCESS SUCCESS"],
  ["held twice over", { ...manual, status: "SUCCESS", paidAt: now }, authorized, "nothing"],
  ["held after it was cancelled", { ...manual, status: "CANCELLED" }, authorized, "late success"],
  ["held, and cancelled since", { ...manual, status: "CANCELLED", paidAt: now }, authorized, "held again"],
  [
    "held, and let go since",
    { ...manual, status: "SUCCESS", paidAt: now, releasedAt: now },
    authorized,
    "held again",
  ],
  [
    "held, and captured and let go since",
    { ...manual, status: "SUCCESS", paidAt: now, releasedAt: now, capturedMinor: 1n },
    authorized,
    "nothing",
  ],
  ["taken, though it was to be held", manual, paid, "contradiction"],
  ["held, though it was to be taken", accepted, authorized, "contradiction"],
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
  ["not known to the wallet", accepted, { state: "NOT_FOUND" }, "nothing"],
];

for (const [name, payment, report, expected] of table) {
  test(`${name}: ${expected}`, () => assert.equal(inShort(decidePayment(payment, report, now)), expected));
}

test("whatever a wallet reports, a payment moves only as its lifecycle says, and money only when it was taken", () => {
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
        assert.ok(mayBecome<PaymentStatus>(paymentLifecycle, status, change.status));
        const succeeded = change.status === "SUCCESS";
        assert.equal(change.effect !== undefined, succeeded && report.state === "PAID");
        assert.equal(change.authExpiresAt !== undefined, succeeded && report.state === "AUTHORIZED");
      },
    ),
  );
});

test("held money can be captured for seven days", () => {
  const decision = decidePayment(manual, authorized, now);
  assert.equal(decision.kind, "moved");
  const { authExpiresAt } = decision.change;
  assert.deepEqual(authExpiresAt, new Date("2026-11-22T10:00:00Z"));
});

const expiry = new Date("2026-11-15T10:14:00Z");
const steps: readonly (readonly [string, Payment, Date, boolean, string])[] = [
  ["a new payment is sent", processing, now, true, "submit"],
  ["one that may not be sent twice is asked after", processing, now, false, "inquire"],
  ["one that stands at the wallet is asked after", accepted, now, true, "inquire"],
  ["one that has expired is asked after before it is closed", accepted, expiry, true, "expire"],
  ["so is one that may not be sent twice", processing, expiry, false, "expire"],
  ["and one whose buyer has acted", { ...accepted, status: "PENDING" }, expiry, true, "expire"],
  ["a cancel waits for no answer", { ...accepted, cancelRequestedAt: now }, expiry, true, "close"],
  ["one that the merchant cancels is closed", { ...processing, cancelRequestedAt: now }, now, true, "close"],
];
for (const [name, payment, at, maySubmit, step] of steps) {
  test(`${name}: ${step}`, () => assert.equal(nextStep(payment, at, maySubmit), step));
}

const ends: readonly (readonly [string, OrderReport, boolean])[] = [
  ["nobody has paid", open, true],
  ["the wallet has never heard of it", { state: "NOT_FOUND" }, true],
  ["the buyer has acted, and the wallet decides", { state: "PENDING" }, false],
  ["it is paid", paid, false],
  ["the money is held", authorized, false],
  ["it was declined", declined, false],
];
for (const [name, report, isClosed] of ends) {
  test(`at the expiry, when ${name}, an order is closed: ${isClosed}`, () =>
    assert.equal(mayExpire(report), isClosed));
}

test("what is the wallet's to decide is looked at ever more seldom after its expiry, and four times a day at least", () => {
  const pending = examplePayment({ status: "PENDING", expiresAt: now });
  const gapAfter = (hours: number): number => {
    const at = new Date(now.getTime() + hours * 3600 * 1000);
    return (nextLookAt(pending, 9, at).getTime() - at.getTime()) / 60_000;
  };
  assert.deepEqual([0, 0.1, 1, 4, 24, 240].map(gapAfter), [4, 4, 15, 60, 360, 360]);
});

test("an open order is looked at ever more seldom, and at its expiry at the latest", () => {
  const seconds = (at: Date): number => (at.getTime() - now.getTime()) / 1000;
  assert.deepEqual(
    [0, 1, 2, 3, 9].map((attempts) => seconds(nextLookAt(accepted, attempts, now))),
    [30, 60, 120, 240, 240],
  );
  const soon = { ...accepted, expiresAt: new Date("2026-11-15T10:00:10Z") };
  assert.equal(seconds(nextLookAt(soon, 0, now)), 10);
  assert.equal(seconds(nextLookAt({ ...accepted, expiresAt: now }, 0, now)), 0);
  assert.equal(seconds(nextLookAt({ ...accepted, expiresAt: now }, 1, now)), 60);
  assert.equal(seconds(nextLookAt({ ...accepted, status: "PENDING", expiresAt: now }, 0, now)), 30);
});
