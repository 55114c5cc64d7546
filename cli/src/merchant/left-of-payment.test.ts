import assert from "node:assert/strict";
import { test } from "node:test";
import type { Transaction } from "../../../clients/typescript/src/generated/models.ts";
import { leftToCapture, leftToRefund } from "./left-of-payment.ts";

const euro = (value: string) => ({ currency: "EUR", value });
const moved = (transactionType: string, value: string, transactionStatus = "SUCCESS"): Transaction => ({
  transactionType,
  transactionStatus,
  transactionResult: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "" },
  transactionId: "1",
  transactionRequestId: "1",
  transactionAmount: euro(value),
});
const paid = { paymentId: "7", paymentStatus: "SUCCESS", paymentAmount: euro("1250") };

test("the refundable amount excludes completed refunds and refunds in progress", () => {
  assert.deepEqual(leftToRefund(paid), euro("1250"));
  const transactions = [
    moved("REFUND", "250"),
    moved("REFUND", "100", "PROCESSING"),
    moved("REFUND", "900", "FAIL"),
  ];
  assert.deepEqual(leftToRefund({ ...paid, transactions }), euro("900"));
});

test("of a held payment only the captured amount can be refunded", () => {
  const held = { ...paid, authExpiryTime: "2026-11-22T09:30:00+00:00" };
  const transactions = [moved("CAPTURE", "600"), moved("REFUND", "100")];
  assert.deepEqual(leftToRefund({ ...held, transactions }), euro("500"));
  assert.throws(() => leftToRefund(held), /nothing of it is captured: cancel it instead/);
});

test("if nothing is left, the error says why", () => {
  assert.throws(
    () => leftToRefund({ ...paid, transactions: [moved("REFUND", "1250")] }),
    /All of payment 7, EUR 12.50, is already refunded/,
  );
  assert.throws(
    () => leftToRefund({ ...paid, paymentStatus: "FAIL" }),
    /Payment 7 is FAIL: nothing was paid/,
  );
});

test("the capturable amount excludes completed captures and captures in progress", () => {
  const held = { ...paid, authExpiryTime: "2026-11-22T09:30:00+00:00" };
  assert.deepEqual(leftToCapture(held), euro("1250"));
  const transactions = [
    moved("CAPTURE", "500"),
    moved("CAPTURE", "50", "PROCESSING"),
    moved("CAPTURE", "9", "FAIL"),
  ];
  assert.deepEqual(leftToCapture({ ...held, transactions }), euro("700"));
  const all = { ...held, transactions: [moved("CAPTURE", "1250")] };
  assert.throws(() => leftToCapture(all), /All of payment 7, EUR 12.50, is taken already/);
  assert.throws(() => leftToCapture(paid), /Payment 7 is SUCCESS, and has no authorization hold/);
});
