import assert from "node:assert/strict";
import { test } from "node:test";
import { readCapture, readOrder, readRefund } from "./order-report.ts";

const amount = { currency: "EUR", value: "1250" };
const paidTime = "2026-11-15T09:32:10+00:00";
const money = { currency: "EUR", minor: 1250n };

for (const state of ["PAID", "AUTHORIZED"] as const) {
  const order = { reference: "r", state, amount, paidAmount: amount, paidTime };

  test(`an order that is ${state} says of how much, and since when`, () => {
    const paidAt = new Date("2026-11-15T09:32:10Z");
    assert.deepEqual(readOrder(order, "r"), { state, amount: money, paidAmount: money, paidAt });
  });

  for (const unreadable of [
    "9999-12-31T23:59:59+00:00",
    "1970-01-20T10:00:00+00:00",
    "2026-11-15T09:32:10",
    1794735130,
  ])
    test(`an order that is ${state} since ${unreadable} says nothing`, () => {
      assert.equal(readOrder({ ...order, paidTime: unreadable }, "r"), undefined);
    });

  for (const field of ["amount", "paidAmount", "paidTime"])
    test(`an order that is ${state} without ${field} says nothing`, () => {
      assert.equal(readOrder({ ...order, [field]: undefined }, "r"), undefined);
    });
}

const orders = [
  [
    { reference: "r", state: "OPEN", code: "c", url: "u" },
    { state: "OPEN", code: "c", url: "u" },
  ],
  [
    { reference: "r", state: "OPEN" },
    { state: "OPEN", code: undefined, url: undefined },
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
  // Text that PostgreSQL cannot store is dropped, rather than failing every settlement.
  [
    { reference: "r", state: "OPEN", code: "c\0", url: "\ud800" },
    { state: "OPEN", code: undefined, url: undefined },
  ],
  [
    { reference: "r", state: "CLOSED", sequence: 3 },
    { state: "CLOSED", sequence: 3 },
  ],
  [{ reference: "r", state: "CLOSED", sequence: "3" }, { state: "CLOSED" }],
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

const refunds = [
  [{ refundReference: "r", state: "DONE" }, { state: "DONE" }],
  [{ refundReference: "r", state: "PROCESSING" }, { state: "PROCESSING" }],
  [{ refundReference: "r", state: "LOST" }, undefined],
  [{ refundReference: "r" }, undefined],
  [{ refundReference: "other", state: "DONE" }, undefined],
  [undefined, undefined],
] as const;
for (const [refund, report] of refunds) {
  test(`the refund ${JSON.stringify(refund)} is read as ${report?.state ?? "nothing"}`, () => {
    assert.deepEqual(readRefund(refund, "r"), report);
  });
}

test("a capture is done when the wallet shows the one that was asked for", () => {
  assert.deepEqual(readCapture({ captureReference: "c" }, "c"), { state: "DONE" });
  assert.equal(readCapture({ captureReference: "other" }, "c"), undefined);
  assert.equal(readCapture(undefined, "c"), undefined);
});
