import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canTransition } from "../core/lifecycle.ts";
import type { Money } from "../core/money.ts";
import type { OrderReport } from "../providers/provider.ts";
import { examplePayment } from "../../test/examples/example-payment.ts";
import { orderOf, paymentLifecycle, newSessionTimes, type Payment, type PaymentStatus } from "./payment.ts";
import { decidePayment, mayExpire, nextPollAt, nextStep, type PaymentDecision } from "./decide-payment.ts";

const now = new Date("2026-11-15T10:00:00Z");
const amount: Money = { currency: "EUR", minor: 1250n };
const cent: Money = { currency: "EUR", minor: 1n };
const processing = examplePayment();
const accepted: Payment = {
  ...processing,
  order: {
    connector: "w",
    reference: "r",
    account: undefined,
    registrationId: undefined,
    acceptedAt: now,
    nextAction: { type: "QR_CODE", code: "c", url: "u" },
    actionSequence: 1,
  },
};
const paid: OrderReport = { state: "PAID", amount, paidAmount: amount, paidAt: now };
const authorized: OrderReport = { ...paid, state: "AUTHORIZED" };
const manual: Payment = { ...accepted, captureMode: "MANUAL" };
const lapsed: OrderReport = { state: "LAPSED" };
const held: Payment = { ...manual, status: "SUCCESS", paidAt: now };
const cancelling: Payment = { ...held, cancelRequestedAt: now };
const cancelFailed = { state: "FAILED", resultCode: "PROCESS_FAIL" } as const;
const open: OrderReport = {
  state: "OPEN",
  nextAction: { type: "QR_CODE", code: "c", url: "u" },
  sequence: 1,
};
const renewed: OrderReport = { ...open, nextAction: { type: "QR_CODE", code: "d" }, sequence: 2 };
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
    "an open order with another code and a higher sequence is shown to the buyer",
    accepted,
    renewed,
    "accepted",
  ],
  [
    "another code without a higher sequence changes nothing",
    accepted,
    { ...renewed, sequence: 1 },
    "nothing",
  ],
  [
    "another code after the buyer has approved changes nothing",
    { ...accepted, status: "PENDING" },
    renewed,
    "nothing",
  ],
  [
    "another code of a paid order changes nothing",
    { ...accepted, status: "SUCCESS", paidAt: now },
    renewed,
    "nothing",
  ],
  [
    "an open order without an action keeps the code",
    accepted,
    { ...open, nextAction: undefined, sequence: 2 },
    "nothing",
  ],
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
  ["lapsed", held, lapsed, "hold lapsed"],
  ["lapsed after a part was captured", { ...held, capturedMinor: 1n }, lapsed, "hold lapsed"],
  ["lapsed, reported twice", { ...held, releasedAt: now }, lapsed, "nothing"],
  ["lapsed before its approval was reported", manual, lapsed, "FAIL ORDER_IS_CLOSED"],
  [
    "lapsed before its approval was reported, with a cancel under way",
    { ...manual, cancelRequestedAt: now },
    lapsed,
    "CANCELLED ORDER_IS_CANCELED",
  ],
  [
    "lapsed for a buyer who wants another payment method",
    { ...changing, captureMode: "MANUAL" },
    lapsed,
    "left",
  ],
  ["lapsed after it was cancelled", { ...manual, status: "CANCELLED", paidAt: now }, lapsed, "nothing"],
  ["lapsed, although it was collected", { ...accepted, status: "SUCCESS", paidAt: now }, lapsed, "nothing"],
  ["lapsed with another amount", held, { ...lapsed, amount: cent }, "contradiction"],
  ["lapsed while the merchant cancels it", cancelling, lapsed, "cancel ended"],
  ["closed by the merchant's cancel of the hold", cancelling, closed, "cancel ended"],
  [
    "still held, with a cancel that failed",
    cancelling,
    { ...authorized, cancel: cancelFailed },
    "cancel ended",
  ],
  [
    "still held, with a cancel in progress",
    cancelling,
    { ...authorized, cancel: { state: "PROCESSING" } },
    "nothing",
  ],
  ["still held, with a failed cancel that is over", held, { ...authorized, cancel: cancelFailed }, "nothing"],
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
  const reports: OrderReport[] = [open, { state: "PENDING" }, paid, authorized, declined, closed, lapsed];
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

const details = { cardBrand: "VISA", cardLastFour: "1111" };
for (const [name, payment, report] of [
  ["paid", accepted, paid],
  ["authorized", manual, authorized],
  ["declined", accepted, declined],
] as const)
  test(`the report that makes a payment ${name} stores its details`, () => {
    const decision = decidePayment(payment, { ...report, details }, now);
    assert.equal(decision.kind, "moved");
    assert.equal(decision.change.providerDetails, JSON.stringify(details));
    assert.equal(decision.why, undefined);
  });

test("a card number in the details settles the payment, and alerts the operator once", () => {
  const report: OrderReport = { ...paid, details, hasCardNumber: true };
  const first = decidePayment(accepted, report, now);
  assert.equal(first.kind, "moved");
  assert.equal(first.why, "The payment provider's details contained a card number, which was dropped.");
  assert.equal(first.change.providerDetails, JSON.stringify(details));
  assert.deepEqual(decidePayment({ ...accepted, ...first.change }, report, now), { kind: "nothing" });
});

test("an authorization hold can be captured for seven days", () => {
  const decision = decidePayment(manual, authorized, now);
  assert.equal(decision.kind, "moved");
  const { authExpiresAt } = decision.change;
  assert.deepEqual(authExpiresAt, new Date("2026-11-22T10:00:00Z"));
});

test("the connector's length of a hold replaces the seven days, and the provider's end of this hold replaces both", () => {
  const holdEnd = (report: OrderReport): Date | undefined => {
    const decision = decidePayment(manual, report, now, 3_600);
    return decision.kind === "moved" ? decision.change.authExpiresAt : undefined;
  };
  assert.deepEqual(holdEnd(authorized), new Date("2026-11-15T11:00:00Z"));
  const holdExpiresAt = new Date("2026-12-15T10:00:00Z");
  assert.deepEqual(holdEnd({ ...authorized, holdExpiresAt }), holdExpiresAt);
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
    assert.equal(mayExpire(report, { status: "PROCESSING" }), isClosed));
}

test("at the expiry, an order that cannot be inquired about is closed, unless the provider decides", () => {
  assert.equal(mayExpire({ state: "NO_QUERY" }, { status: "PROCESSING" }), true);
  assert.equal(mayExpire({ state: "NO_QUERY" }, { status: "PENDING" }), false);
});

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

test("a code that expires is polled after its expiry, and for a minute until the provider has renewed it", () => {
  const pollAfterSeconds = (codeSeconds: number, attempts = 0): number => {
    const expiresAt = new Date(now.getTime() + codeSeconds * 1000);
    const nextAction = { type: "QR_CODE", code: "c", expiresAt } as const;
    const payment: Payment = { ...accepted, order: { ...orderOf(accepted), nextAction } };
    return (nextPollAt(payment, attempts, now).getTime() - now.getTime()) / 1000;
  };
  assert.deepEqual(
    [20, 25].map((seconds) => pollAfterSeconds(seconds)),
    [21, 26],
  );
  // At most one poll in ten seconds, however short the codes are.
  assert.equal(pollAfterSeconds(2), 10);
  assert.equal(pollAfterSeconds(-1, 9), 10);
  assert.equal(pollAfterSeconds(-61, 9), 240);
});
