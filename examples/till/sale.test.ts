import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isOpen,
  leftToRefund,
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

test("what has ended stays as it ended", () => {
  const ended = saleStates.filter((state) => !isOpen({ state }));
  assert.deepEqual(ended, ["paid", "declined", "cancelled"]);
});

test("an unknown sale becomes nothing by itself: it is checked or cancelled first", () => {
  assert.deepEqual(saleLifecycle.unknown, ["checking", "cancelling"]);
});

test("once a cancel may be out, nothing is shown or asked for any more", () => {
  assert.deepEqual(
    saleLifecycle.cancelling.filter((state) => isOpen({ state })),
    ["unknown"],
  );
});

test("from wherever it is not over, a sale can come to unknown, and only there it waits for the cashier", () => {
  for (const state of saleStates.filter((each) => each !== "unknown" && isOpen({ state: each })))
    assert.ok(saleLifecycle[state].includes("unknown"), state);
});

test("what may have gone back is not given back again", () => {
  const part = { id: "r-1", amount: euro("500") };
  assert.equal(leftToRefund({ ...sale, refunds: [{ ...part, state: "unknown" }] }), 750n);
  assert.equal(leftToRefund({ ...sale, refunds: [{ ...part, state: "refused" }] }), 1250n);
  assert.equal(leftToRefund({ ...sale, state: "unknown" }), 0n);
});

test("a refund is refused by the first reason", () => {
  const open = { ...sale, refunds: [{ id: "r-1", amount: euro("500"), state: "unknown" as const }] };
  const done = { ...sale, refunds: [{ id: "r-1", amount: euro("500"), state: "done" as const }] };
  assert.equal(refundRefusal({ ...sale, state: "cancelled" }, 1n), "NOT_PAID");
  assert.equal(refundRefusal(open, 1n), "REFUND_OPEN");
  assert.equal(refundRefusal(done, 751n), "TOO_MUCH");
  assert.equal(refundRefusal(done, 0n), "TOO_MUCH");
  assert.equal(refundRefusal(done, 750n), undefined);
});

test("a shift counts what is paid, and what is known to have gone back, by currency", () => {
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
    { currency: "EUR", count: 2, takenMinor: 2500n, givenBackMinor: 200n },
    { currency: "JPY", count: 1, takenMinor: 900n, givenBackMinor: 0n },
  ]);
});
