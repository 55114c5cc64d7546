import assert from "node:assert/strict";
import { test } from "node:test";
import type { Transaction } from "../../../clients/typescript/src/generated/models.ts";
import { capturableAmount, refundableAmount } from "./remaining-amount.ts";

const euro = (value: string) => ({ currency: "EUR", value });
const buildTransaction = (
  transactionType: string,
  value: string,
  transactionStatus = "SUCCESS",
): Transaction => ({
  transactionType,
  transactionStatus,
  transactionResult: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "" },
  transactionId: "1",
  transactionRequestId: "1",
  transactionAmount: euro(value),
});
const paidPayment = { paymentId: "7", paymentStatus: "SUCCESS", paymentAmount: euro("1250") };

test("the refundable amount excludes completed refunds and refunds in progress", () => {
  assert.deepEqual(refundableAmount(paidPayment), euro("1250"));
  const transactions = [
    buildTransaction("REFUND", "250"),
    buildTransaction("REFUND", "100", "PROCESSING"),
    buildTransaction("REFUND", "900", "FAIL"),
  ];
  assert.deepEqual(refundableAmount({ ...paidPayment, transactions }), euro("900"));
});

test("of a held payment only the captured amount can be refunded", () => {
  const heldPayment = { ...paidPayment, authExpiryTime: "2026-11-22T09:30:00+00:00" };
  const transactions = [buildTransaction("CAPTURE", "600"), buildTransaction("REFUND", "100")];
  assert.deepEqual(refundableAmount({ ...heldPayment, transactions }), euro("500"));
  assert.throws(() => refundableAmount(heldPayment), /nothing of it is captured: cancel it instead/);
});

test("if nothing is left, the error says why", () => {
  assert.throws(
    () => refundableAmount({ ...paidPayment, transactions: [buildTransaction("REFUND", "1250")] }),
    /All of payment 7, EUR 12.50, is already refunded/,
  );
  assert.throws(
    () => refundableAmount({ ...paidPayment, paymentStatus: "FAIL" }),
    /Payment 7 is FAIL: nothing was paid/,
  );
});

test("the capturable amount excludes completed captures and captures in progress", () => {
  const heldPayment = { ...paidPayment, authExpiryTime: "2026-11-22T09:30:00+00:00" };
  assert.deepEqual(capturableAmount(heldPayment), euro("1250"));
  const transactions = [
    buildTransaction("CAPTURE", "500"),
    buildTransaction("CAPTURE", "50", "PROCESSING"),
    buildTransaction("CAPTURE", "9", "FAIL"),
  ];
  assert.deepEqual(capturableAmount({ ...heldPayment, transactions }), euro("700"));
  const fullyCaptured = { ...heldPayment, transactions: [buildTransaction("CAPTURE", "1250")] };
  assert.throws(() => capturableAmount(fullyCaptured), /All of payment 7, EUR 12.50, is taken already/);
  assert.throws(() => capturableAmount(paidPayment), /Payment 7 is SUCCESS, and has no authorization hold/);
});
