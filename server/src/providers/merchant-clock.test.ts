import assert from "node:assert/strict";
import { test } from "node:test";
import { shiftToMerchantClock } from "./merchant-clock.ts";
import type { DisputeReport, OrderReport } from "./provider.ts";

const at = new Date("2026-11-15T10:00:00Z");
const dayLater = new Date("2026-11-16T10:00:00Z");
const ahead = { aheadMs: 24 * 3600 * 1000 };
const amount = { currency: "EUR", minor: 1250n };

test("every time in a provider's report is moved to the merchant's clock, and nothing else changes", () => {
  const paid: OrderReport = { state: "PAID", amount, paidAmount: amount, paidAt: at };
  assert.deepEqual(shiftToMerchantClock(paid, ahead), { ...paid, paidAt: dayLater });
  const open: OrderReport = { state: "OPEN", nextAction: { type: "QR_CODE", code: "code", expiresAt: at } };
  const shifted = { state: "OPEN", nextAction: { type: "QR_CODE", code: "code", expiresAt: dayLater } };
  assert.deepEqual(shiftToMerchantClock(open, ahead), shifted);
});

test("a dispute without a deadline gets none from the merchant's clock", () => {
  const times: Pick<DisputeReport, "createdAt" | "changedAt" | "dueAt"> = {
    createdAt: at,
    changedAt: at,
    dueAt: undefined,
  };
  assert.deepEqual(shiftToMerchantClock(times, ahead), {
    createdAt: dayLater,
    changedAt: dayLater,
    dueAt: undefined,
  });
  assert.deepEqual(shiftToMerchantClock({ ...times, dueAt: at }, ahead).dueAt, dayLater);
});
