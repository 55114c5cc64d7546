import assert from "node:assert/strict";
import { statesOf } from "../../src/core/lifecycle.ts";
import { paymentLifecycle } from "../../src/payments/payment.ts";
import { requestPayment, callPay } from "./payment-actions.ts";
import { inBothEnvironments, checked, type Statement } from "./statement.ts";
import {
  assertResult,
  assertString,
  inquire,
  isJsonObject,
  newPayment,
  inquireNewPayment,
  unknownPaymentId,
  type PayingEnvironment,
  type PaymentRecord,
  type TestEnvironment,
} from "./test-environments.ts";
import { payRequest } from "../start/test-stack.ts";

/** Part 2 of docs/interface.md: resources and their fields. */
export const resourceStatements: readonly Statement[] = [
  checked(
    "2.1",
    "an amount is a JSON object",
    inBothEnvironments(async (side) => {
      const { paymentAmount, actualPaymentAmount } = await paidRecord(side);
      assert.ok(isJsonObject(paymentAmount));
      assert.ok(isJsonObject(actualPaymentAmount));
    }),
  ),
  checked(
    "2.2",
    "an amount has the fields currency and value",
    inBothEnvironments(async (side) => {
      const { paymentAmount, actualPaymentAmount } = await paidRecord(side);
      assert.deepEqual(Object.keys(paymentAmount ?? {}).sort(), ["currency", "value"]);
      assert.deepEqual(Object.keys(actualPaymentAmount ?? {}).sort(), ["currency", "value"]);
    }),
  ),
  checked(
    "2.3",
    "currency is a string",
    inBothEnvironments(async (side) => assertString(amountIn(await inquireNewPayment(side))["currency"])),
  ),
  checked("2.4", "currency is a currency code", inBothEnvironments(checkCurrencyCode)),
  checked(
    "2.5",
    "value is the amount",
    inBothEnvironments(async (side) => {
      for (const amountMinor of [1n, 250n, 10_000n]) {
        const record = await inquireNewPayment(side, { amountMinor });
        assert.equal(BigInt(String(amountIn(record)["value"])), amountMinor);
      }
    }),
  ),
  checked(
    "2.6",
    "value is carried as a string",
    inBothEnvironments(async (side) => {
      // In most languages a JSON number of this size would lose its last digit.
      const record = await inquireNewPayment(side, { amountMinor: 9_007_199_254_740_993n });
      assert.equal(amountIn(record)["value"], "9007199254740993");
    }),
  ),
  checked(
    "2.7",
    "a result is a JSON object",
    inBothEnvironments(checkEachResult((result) => assert.ok(isJsonObject(result)))),
  ),
  checked(
    "2.8",
    "a result has a code, a message and a status",
    inBothEnvironments(
      checkEachResult((result) => {
        const names = Object.keys(result).filter((name) => !sandboxHelp.includes(name));
        assert.deepEqual(names.sort(), ["resultCode", "resultMessage", "resultStatus"]);
      }),
    ),
  ),
  checked(
    "2.9",
    "resultCode is a string",
    inBothEnvironments(checkEachResult((result) => assertString(result["resultCode"]))),
  ),
  checked(
    "2.10",
    "resultMessage is a string",
    inBothEnvironments(checkEachResult((result) => assertString(result["resultMessage"]))),
  ),
  checked(
    "2.11",
    "resultStatus is a string",
    inBothEnvironments(checkEachResult((result) => assertString(result["resultStatus"]))),
  ),

  checked(
    "2.12",
    "the payment inquiry returns a payment record",
    inBothEnvironments(async (side) => {
      const record = await paidRecord(side);
      for (const field of recordFields) assert.ok(field in record, field);
    }),
  ),
  checked("2.13", "paymentId is a string", inBothEnvironments(hasText("paymentId"))),
  checked("2.14", "paymentId identifies the payment", inBothEnvironments(checkPaymentIdsDiffer)),
  checked("2.15", "paymentId is assigned by the service", ({ sandbox }) =>
    checkServiceAssignsPaymentId(sandbox),
  ),
  checked("2.16", "paymentRequestId is a string", inBothEnvironments(hasText("paymentRequestId"))),
  checked(
    "2.17",
    "paymentRequestId identifies the payment request",
    inBothEnvironments(checkRequestIdsDiffer),
  ),
  checked("2.18", "paymentRequestId is supplied by the merchant", ({ sandbox }) =>
    checkMerchantSuppliesRequestId(sandbox),
  ),
  checked("2.19", "paymentAmount is an amount object", inBothEnvironments(hasAmount("paymentAmount"))),
  checked(
    "2.20",
    "paymentAmount is the amount of the payment",
    inBothEnvironments(async (side) => {
      const { paymentAmount } = await paidRecord(side);
      assert.deepEqual(paymentAmount, { currency: "EUR", value: "10000" });
    }),
  ),
  checked(
    "2.21",
    "actualPaymentAmount is an amount object",
    inBothEnvironments(hasAmount("actualPaymentAmount")),
  ),
  checked(
    "2.22",
    "actualPaymentAmount is what was actually paid",
    inBothEnvironments(async (side) => {
      const { actualPaymentAmount } = await paidRecord(side);
      assert.deepEqual(actualPaymentAmount, { currency: "EUR", value: "9500" });
    }),
  ),
  checked("2.23", "paymentStatus is a string", inBothEnvironments(hasText("paymentStatus"))),
  checked(
    "2.24",
    "paymentStatus is the status of the payment",
    inBothEnvironments(async (side) => {
      for (const status of statesOf(paymentLifecycle)) {
        assert.equal((await inquireNewPayment(side, { status }))["paymentStatus"], status);
      }
    }),
  ),
  checked(
    "2.25",
    "paymentStatus can be SUCCESS",
    inBothEnvironments(async (side) => assert.equal((await paidRecord(side))["paymentStatus"], "SUCCESS")),
  ),
  checked("2.26", "paymentResultCode is a string", inBothEnvironments(hasText("paymentResultCode"))),
  checked(
    "2.27",
    "paymentResultCode is the payment's result code",
    inBothEnvironments(async (side) => {
      for (const resultCode of ["USER_BALANCE_NOT_ENOUGH", "ORDER_IS_CLOSED"]) {
        const record = await inquireNewPayment(side, { status: "FAIL", resultCode });
        assert.equal(record["paymentResultCode"], resultCode);
      }
    }),
  ),
  checked(
    "2.28",
    "paymentResultCode can be SUCCESS",
    inBothEnvironments(async (side) =>
      assert.equal((await paidRecord(side))["paymentResultCode"], "SUCCESS"),
    ),
  ),
  checked("2.29", "paymentResultMessage is a string", inBothEnvironments(hasText("paymentResultMessage"))),
  checked("2.30", "paymentResultMessage is for people to read", inBothEnvironments(checkMessageReadable)),
  checked("2.31", "paymentTime is a string", inBothEnvironments(hasText("paymentTime"))),
  checked(
    "2.32",
    "paymentTime is the time of the payment",
    inBothEnvironments(async (side) => {
      for (const paidAt of [new Date("2026-03-01T12:59:59Z"), new Date("2026-02-28T23:00:01Z")]) {
        const { paymentTime } = await inquireNewPayment(side, { paidAt });
        assert.equal(Date.parse(String(paymentTime)), paidAt.getTime());
      }
    }),
  ),
  checked(
    "2.33",
    "paymentTime is an ISO 8601 date-time",
    inBothEnvironments(async (side) =>
      assert.match(await timeIn(side), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/),
    ),
  ),
  checked(
    "2.34",
    "paymentTime has a numeric UTC offset",
    inBothEnvironments(async (side) => assert.match(await timeIn(side), /[+-]\d\d:\d\d$/)),
  ),
  checked(
    "2.35",
    "result is a result object",
    inBothEnvironments(async (side) => {
      const { result } = await paidRecord(side);
      assert.ok(isJsonObject(result));
      assert.deepEqual(Object.keys(result).sort(), ["resultCode", "resultMessage", "resultStatus"]);
    }),
  ),
  checked("2.36", "result is the outcome of the call itself", inBothEnvironments(checkResultIsOfRequest)),
  checked("2.37", "its resultCode can be SUCCESS", inBothEnvironments(successHas("resultCode", "SUCCESS"))),
  checked(
    "2.38",
    "its resultMessage can be `success.`",
    inBothEnvironments(successHas("resultMessage", "success.")),
  ),
  checked("2.39", "its resultStatus can be S", inBothEnvironments(successHas("resultStatus", "S"))),
];

const sandboxHelp: readonly string[] = ["resultHint", "resultField", "docUrl"];

const recordFields = [
  "paymentId",
  "paymentRequestId",
  "paymentAmount",
  "actualPaymentAmount",
  "paymentStatus",
  "paymentResultCode",
  "paymentResultMessage",
  "paymentTime",
  "result",
];

async function paidRecord(side: TestEnvironment): Promise<PaymentRecord> {
  const { paymentId } = side.paidPayment;
  return (await inquire(side, { paymentId })).json;
}

function amountIn({ paymentAmount }: PaymentRecord): Readonly<Record<string, unknown>> {
  assert.ok(isJsonObject(paymentAmount));
  return paymentAmount;
}

async function timeIn(side: TestEnvironment): Promise<string> {
  const { paymentTime } = await paidRecord(side);
  assertString(paymentTime);
  return paymentTime;
}

async function checkCurrencyCode(side: TestEnvironment): Promise<void> {
  const codes = new Set(Intl.supportedValuesOf("currency"));
  for (const currency of ["USD", "JPY", "KWD"]) {
    const currencyInRecord = amountIn(await inquireNewPayment(side, { currency }))["currency"];
    assert.equal(currencyInRecord, currency);
    assert.ok(codes.has(currencyInRecord));
  }
}

/** Checks the result of every kind of response. */
function checkEachResult(
  checkResult: (result: Readonly<Record<string, unknown>>) => void,
): (side: TestEnvironment) => Promise<void> {
  return async ({ answers }) => {
    for (const { answer } of answers) checkResult(JSON.parse(answer.text).result);
  };
}

function hasText(field: string): (side: TestEnvironment) => Promise<void> {
  return async (side) => {
    const value = (await paidRecord(side))[field];
    assertString(value);
    assert.notEqual(value, "");
  };
}

function hasAmount(field: string): (side: TestEnvironment) => Promise<void> {
  return async (side) => {
    const amount = (await paidRecord(side))[field];
    assert.ok(isJsonObject(amount));
    assertString(amount["currency"]);
    assertString(amount["value"]);
  };
}

async function checkPaymentIdsDiffer(side: TestEnvironment): Promise<void> {
  const [first, second] = [await newPayment(side), await newPayment(side)];
  assert.notEqual(first.paymentId, second.paymentId);
  for (const { paymentId, paymentRequestId } of [first, second]) {
    const { json } = await inquire(side, { paymentId });
    assert.partialDeepStrictEqual(json, { paymentId, paymentRequestId });
  }
}

async function checkRequestIdsDiffer(side: TestEnvironment): Promise<void> {
  const [first, second] = [await newPayment(side), await newPayment(side)];
  assert.notEqual(first.paymentRequestId, second.paymentRequestId);
  for (const { paymentId, paymentRequestId } of [first, second]) {
    const { json } = await inquire(side, { paymentRequestId });
    assert.partialDeepStrictEqual(json, { paymentId, paymentRequestId });
  }
}

async function checkServiceAssignsPaymentId(side: PayingEnvironment): Promise<void> {
  const first = await requestPayment(side);
  const second = await requestPayment(side, { paymentId: unknownPaymentId });
  for (const { paymentId, paymentRequestId } of [first, second]) {
    assert.match(paymentId, /^\d{35}$/);
    const { json } = await inquire(side, { paymentId });
    assert.partialDeepStrictEqual(json, { paymentId, paymentRequestId });
  }
  assert.notEqual(first.paymentId, second.paymentId);
  // The gateway ignores the payment id in the second request, because a merchant cannot choose a payment id.
  assertResult(await inquire(side, { paymentId: unknownPaymentId }), "ORDER_NOT_EXIST");
}

async function checkMerchantSuppliesRequestId(side: PayingEnvironment): Promise<void> {
  const paymentRequestId = "Invoice-2026/0042:a";
  const answer = await callPay(side, payRequest(paymentRequestId));
  assertResult(answer, "PAYMENT_IN_PROCESS");
  assert.equal(answer.json["paymentRequestId"], paymentRequestId);
  const { json } = await inquire(side, { paymentId: answer.json["paymentId"] });
  assert.equal(json["paymentRequestId"], paymentRequestId);

  const nameless = await callPay(side, { ...payRequest(""), paymentRequestId: undefined });
  const refusal = { resultCode: "PARAM_ILLEGAL", resultField: "paymentRequestId" };
  assert.partialDeepStrictEqual(nameless.json.result, refusal);
}

async function checkMessageReadable(side: TestEnvironment): Promise<void> {
  for (const resultCode of ["USER_BALANCE_NOT_ENOUGH", "ORDER_IS_CLOSED"]) {
    const { paymentResultMessage: message } = await inquireNewPayment(side, { status: "FAIL", resultCode });
    assert.match(String(message), /^[A-Za-z][a-z']*( [A-Za-z][a-z']*)+\.$/);
  }
}

/**
 * Checks that the result is about the request. An inquiry of a failed payment succeeds, and an inquiry of an unknown
 * payment fails.
 */
async function checkResultIsOfRequest(side: TestEnvironment): Promise<void> {
  const failed = await inquireNewPayment(side, { status: "FAIL", resultCode: "RISK_REJECT" });
  assert.partialDeepStrictEqual(failed, {
    result: { resultStatus: "S" },
    paymentStatus: "FAIL",
    paymentResultCode: "RISK_REJECT",
  });
  const missing = await inquire(side, { paymentId: unknownPaymentId });
  assertResult(missing, "ORDER_NOT_EXIST");
  assert.deepEqual(Object.keys(missing.json), ["result"]);
}

function successHas(field: string, value: string): (side: TestEnvironment) => Promise<void> {
  return async (side) => {
    const { result } = await paidRecord(side);
    assert.ok(isJsonObject(result));
    assert.equal(result[field], value);
  };
}
