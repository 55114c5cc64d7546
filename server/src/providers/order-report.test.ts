import assert from "node:assert/strict";
import { test } from "node:test";
import { readCapture, readOrder, readRefund } from "./order-report.ts";

const amount = { currency: "EUR", value: "1250" };
const paidTime = "2026-11-15T09:32:10+00:00";
const money = { currency: "EUR", minor: 1250n };

for (const state of ["PAID", "AUTHORIZED"] as const) {
  const order = { reference: "r", state, amount, paidAmount: amount, paidTime };

  test(`an order with state ${state} has an amount and a time`, () => {
    const paidAt = new Date("2026-11-15T09:32:10Z");
    assert.deepEqual(readOrder(order, "r"), { state, amount: money, paidAmount: money, paidAt });
  });

  for (const unreadable of [
    "9999-12-31T23:59:59+00:00",
    "1970-01-20T10:00:00+00:00",
    "2026-11-15T09:32:10",
    1794735130,
  ])
    test(`an order with state ${state} since ${unreadable} is malformed`, () => {
      assert.equal(readOrder({ ...order, paidTime: unreadable }, "r"), undefined);
    });

  for (const field of ["amount", "paidAmount", "paidTime"])
    test(`an order with state ${state} without ${field} is malformed`, () => {
      assert.equal(readOrder({ ...order, [field]: undefined }, "r"), undefined);
    });
}

const orders = [
  [
    { reference: "r", state: "OPEN", nextAction: { type: "QR_CODE", code: "c" } },
    { state: "OPEN", nextAction: { type: "QR_CODE", code: "c" } },
  ],
  [
    { reference: "r", state: "OPEN" },
    { state: "OPEN", nextAction: undefined },
  ],
  [{ reference: "r", state: "PENDING" }, { state: "PENDING" }],
  [{ reference: "r", state: "CLOSED" }, { state: "CLOSED" }],
  [
    { reference: "r", state: "DECLINED", resultCode: "RISK_REJECT" },
    { state: "DECLINED", resultCode: "RISK_REJECT" },
  ],
  [
    { reference: "r", state: "DECLINED", resultCode: "NEVER_HEARD" },
    { state: "DECLINED", resultCode: "PROCESS_FAIL" },
  ],
  [
    { reference: "r", state: "DECLINED", resultCode: "SUCCESS" },
    { state: "DECLINED", resultCode: "PROCESS_FAIL" },
  ],
  // The gateway drops text that PostgreSQL cannot store, because it would make every settlement fail.
  [
    { reference: "r", state: "OPEN", nextAction: { type: "QR_CODE", code: "c\0" } },
    { state: "OPEN", nextAction: undefined },
  ],
  [
    { reference: "r", state: "CLOSED", sequence: 3 },
    { state: "CLOSED", sequence: 3 },
  ],
  [{ reference: "r", state: "CLOSED", sequence: "3" }, { state: "CLOSED" }],
  [{ reference: "r", state: "LAPSED" }, { state: "LAPSED" }],
  [
    { reference: "r", state: "PENDING", cancel: { state: "PROCESSING" } },
    { state: "PENDING", cancel: { state: "PROCESSING" } },
  ],
  [
    { reference: "r", state: "CLOSED", cancel: { state: "DONE" } },
    { state: "CLOSED", cancel: { state: "DONE" } },
  ],
  [
    { reference: "r", state: "PENDING", cancel: { state: "FAILED", resultCode: "RISK_REJECT" } },
    { state: "PENDING", cancel: { state: "FAILED", resultCode: "RISK_REJECT" } },
  ],
  [
    { reference: "r", state: "PENDING", cancel: { state: "FAILED" } },
    { state: "PENDING", cancel: { state: "FAILED", resultCode: "PROCESS_FAIL" } },
  ],
  [{ reference: "r", state: "CLOSED", cancel: null }, { state: "CLOSED" }],
  [
    { reference: "r", state: "CLOSED", paymentId: "p", amount },
    { state: "CLOSED", paymentId: "p", amount: money },
  ],
  [
    { reference: "r", state: "OPEN", paymentId: "p", amount },
    { state: "OPEN", nextAction: undefined, paymentId: "p", amount: money },
  ],
  // An optional field of an order report may be absent, but not unreadable.
  [{ reference: "r", state: "CLOSED", amount: { currency: "EUR", value: 1250 } }, undefined],
  [{ reference: "r", state: "CLOSED", paymentId: 7 }, undefined],
  [{ reference: "r", state: "CLOSED", cancel: { state: "ASKED" } }, undefined],
  [{ reference: "r", state: "CLOSED", cancel: "DONE" }, undefined],
  [{ reference: "other", state: "CLOSED" }, undefined],
  [{ reference: "r", state: "CAPTURED" }, undefined],
  ["CLOSED", undefined],
  [undefined, undefined],
] as const;
for (const [order, report] of orders) {
  test(`the order ${JSON.stringify(order)} is read as ${report?.state ?? "nothing"}`, () => {
    assert.deepEqual(readOrder(order, "r"), report);
  });
}

const refundRequest = { reference: "o", refundReference: "r", amount: money };
const refundDone = {
  reference: "o",
  refundReference: "r",
  state: "DONE",
  amount,
  refundTime: paidTime,
};
const captureRequest = { reference: "o", captureReference: "c", amount: money };
const captureDone = {
  reference: "o",
  captureReference: "c",
  state: "DONE",
  amount,
  captureTime: paidTime,
};
const processing = { state: "PROCESSING" };
const ofAmount = { state: "MISMATCH", field: "amount" };
const ofOrder = { state: "MISMATCH", field: "reference" };
const ofItself = { state: "MISMATCH", field: "moneyReference" };

/** Maps fields that replace those of a correct report to the expected result. */
const moneyReports: readonly (readonly [object, object | undefined])[] = [
  [{ amount: { currency: "EUR", value: "1" } }, ofAmount],
  [{ amount: { currency: "EUR", value: "1251" } }, ofAmount],
  [{ amount: { currency: "USD", value: "1250" } }, ofAmount],
  [{ reference: "another" }, ofOrder],
  // A report that does not match the request is a mismatch in any state, and without a time.
  [{ amount: { currency: "EUR", value: "1" }, ...processing }, ofAmount],
  [{ amount: { currency: "EUR", value: "1" }, captureTime: undefined, refundTime: undefined }, ofAmount],
  [{ amount: undefined }, undefined],
  [{ amount: { currency: "EUR", value: 1250 } }, undefined],
  [{ amount: { currency: "EUR", value: "12.50" } }, undefined],
  [{ amount: { value: "1250" } }, undefined],
  [{ reference: undefined }, undefined],
  [{ ...processing }, processing],
  [{ ...processing, captureTime: undefined, refundTime: undefined }, processing],
  [
    { state: "FAILED", resultCode: "RISK_REJECT" },
    { state: "FAILED", resultCode: "RISK_REJECT" },
  ],
  [
    { state: "FAILED", resultCode: "NEVER_HEARD" },
    { state: "FAILED", resultCode: "PROCESS_FAIL" },
  ],
  [
    { state: "FAILED", resultCode: "SUCCESS" },
    { state: "FAILED", resultCode: "PROCESS_FAIL" },
  ],
  [{ state: "FAILED" }, { state: "FAILED", resultCode: "PROCESS_FAIL" }],
  [{ state: "FAILED", amount: { currency: "EUR", value: "1" } }, ofAmount],
  [{ state: "REFUSED" }, undefined],
  [{ state: undefined }, undefined],
  [{ captureTime: undefined, refundTime: undefined }, undefined],
  [{ captureTime: "yesterday", refundTime: "yesterday" }, undefined],
];
for (const [differingFields, report] of moneyReports) {
  test(`a refund or a capture that is reported with ${JSON.stringify(differingFields)} is read as ${JSON.stringify(report)}`, () => {
    assert.deepEqual(readRefund({ ...refundDone, ...differingFields }, refundRequest), report);
    assert.deepEqual(readCapture({ ...captureDone, ...differingFields }, captureRequest), report);
  });
}

const refunds: readonly (readonly [unknown, object | undefined])[] = [
  [refundDone, { state: "DONE" }],
  [{ ...refundDone, refundReference: "another" }, ofItself],
  [{ ...refundDone, refundReference: undefined }, undefined],
  ["DONE", undefined],
  [undefined, undefined],
];
for (const [refund, report] of refunds) {
  test(`the refund ${JSON.stringify(refund)} is read as ${JSON.stringify(report)}`, () => {
    assert.deepEqual(readRefund(refund, refundRequest), report);
  });
}

const captures: readonly (readonly [unknown, object | undefined])[] = [
  [captureDone, { state: "DONE" }],
  [{ ...captureDone, captureReference: "another" }, ofItself],
  [{ ...captureDone, captureReference: undefined }, undefined],
  ["DONE", undefined],
  [undefined, undefined],
];
for (const [capture, report] of captures) {
  test(`the capture ${JSON.stringify(capture)} is read as ${JSON.stringify(report)}`, () => {
    assert.deepEqual(readCapture(capture, captureRequest), report);
  });
}
