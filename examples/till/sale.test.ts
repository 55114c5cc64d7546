import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isOpen,
  refundableMinor,
  refundRefusal,
  saleLifecycle,
  saleStates,
  totalsOf,
  type Sale,
} from "./sale.ts";

const sale: Sale = {
  id: "till-1-a",
  at: "2026-11-15T09:30:00.000Z",
  way: "code",
  amount: { currency: "EUR", value: "1250" },
  state: "paid",
  paymentId: "p-1",
  refunds: [],
};
const euro = (value: string) => ({ currency: "EUR", value });

test("a final outcome never changes", () => {
  const ended = saleStates.filter((state) => !isOpen({ state }));
  assert.deepEqual(ended, ["paid", "declined", "cancelled"]);
});

test("an unknown sale must be checked or cancelled before anything else", () => {
  assert.deepEqual(saleLifecycle.unknown, ["checking", "cancelling"]);
});

test("after a cancel may have been sent, no code is shown and no confirmation requested", () => {
  assert.deepEqual(
    saleLifecycle.cancelling.filter((state) => isOpen({ state })),
    ["unknown"],
  );
});

test("every open state can become unknown, and only unknown waits for the cashier", () => {
  for (const state of saleStates.filter((each) => each !== "unknown" && isOpen({ state: each })))
    assert.ok(saleLifecycle[state].includes("unknown"), state);
});

test("an amount whose refund has an unknown outcome is not refunded again", () => {
  const part = { id: "r-1", amount: euro("500") };
  assert.equal(refundableMinor({ ...sale, refunds: [{ ...part, state: "unknown" }] }), 750n);
  assert.equal(refundableMinor({ ...sale, refunds: [{ ...part, state: "refused" }] }), 1250n);
  assert.equal(refundableMinor({ ...sale, state: "unknown" }), 0n);
});

test("a refund is rejected with the first reason", () => {
  const open = { ...sale, refunds: [{ id: "r-1", amount: euro("500"), state: "unknown" as const }] };
  const done = { ...sale, refunds: [{ id: "r-1", amount: euro("500"), state: "done" as const }] };
  assert.equal(refundRefusal({ ...sale, state: "cancelled" }, 1n), "NOT_PAID");
  assert.equal(refundRefusal(open, 1n), "REFUND_OPEN");
  assert.equal(refundRefusal(done, 751n), "TOO_MUCH");
  assert.equal(refundRefusal(done, 0n), "TOO_MUCH");
  assert.equal(refundRefusal(done, 750n), undefined);
});

test("a shift sums paid sales and successful refunds by currency", () => {
  const yen: Sale = { ...sale, id: "b", amount: { currency: "JPY", value: "900" } };
  const back: Sale = {
    ...sale,
    id: "c",
    refunds: [
      { id: "r-1", amount: euro("200"), state: "done" },
      { id: "r-2", amount: euro("300"), state: "unknown" },
    ],
  };
  assert.deepEqual(totalsOf([sale, yen, back, { ...sale, id: "d", state: "unknown" }]), [
    { currency: "EUR", count: 2, paidMinor: 2500n, refundedMinor: 200n },
    { currency: "JPY", count: 1, paidMinor: 900n, refundedMinor: 0n },
  ]);
});
