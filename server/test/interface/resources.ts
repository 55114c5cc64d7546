import assert from "node:assert/strict";
import { statesOf } from "../../src/core/lifecycle.ts";
import { paymentLifecycle } from "../../src/payments/payment.ts";
import { askForPayment, callPay } from "./payments.ts";
import { inBoth, shown, type Statement } from "./statements.ts";
import {
  assertResult,
  assertString,
  inquire,
  isJsonObject,
  newPayment,
  recordOf,
  unknownPaymentId,
  type PayingSide,
  type PaymentRecord,
  type Side,
} from "./world.ts";
import { payRequest } from "../start/test-stack.ts";

/** Part 2 of docs/interface.md: resources and their fields. */
export const resourceStatements: readonly Statement[] = [
  shown(
    "2.1",
    "an amount is a JSON object",
    inBoth(async (side) => {
      const { paymentAmount, actualPaymentAmount } = await paidRecord(side);
      assert.ok(isJsonObject(paymentAmount));
      assert.ok(isJsonObject(actualPaymentAmount));
    }),
  ),
  shown(
    "2.2",
    "an amount has the fields currency and value",
    inBoth(async (side) => {
      const { paymentAmount, actualPaymentAmount } = await paidRecord(side);
      assert.deepEqual(Object.keys(paymentAmount ?? {}).sort(), ["currency", "value"]);
      assert.deepEqual(Object.keys(actualPaymentAmount ?? {}).sort(), ["currency", "value"]);
    }),
  ),
  shown(
    "2.3",
    "currency is a string",
    inBoth(async (side) => assertString(amountIn(await recordOf(side))["currency"])),
  ),
  shown("2.4", "currency is a currency code", inBoth(currencyIsACode)),
  shown(
    "2.5",
    "value is the amount",
    inBoth(async (side) => {
      for (const amountMinor of [1n, 250n, 10_000n]) {
        const record = await recordOf(side, { amountMinor });
        assert.equal(BigInt(String(amountIn(record)["value"])), amountMinor);
      }
    }),
  ),
  shown(
    "2.6",
    "value is carried as a string",
    inBoth(async (side) => {
      // In most languages a JSON number of this size would lose its last digit.
      const record = await recordOf(side, { amountMinor: 9_007_199_254_740_993n });
      assert.equal(amountIn(record)["value"], "9007199254740993");
    }),
  ),
  shown("2.7", "a result is a JSON object", inBoth(eachResult((result) => assert.ok(isJsonObject(result))))),
  shown(
    "2.8",
    "a result has a code, a message and a status",
    inBoth(
      eachResult((result) => {
        const names = Object.keys(result).filter((name) => !sandboxHelp.includes(name));
        assert.deepEqual(names.sort(), ["resultCode", "resultMessage", "resultStatus"]);
      }),
    ),
  ),
  shown("2.9", "resultCode is a string", inBoth(eachResult((result) => assertString(result["resultCode"])))),
  shown(
    "2.10",
    "resultMessage is a string",
    inBoth(eachResult((result) => assertString(result["resultMessage"]))),
  ),
  shown(
    "2.11",
    "resultStatus is a string",
    inBoth(eachResult((result) => assertString(result["resultStatus"]))),
  ),

  shown(
    "2.12",
    "the payment inquiry returns a payment record",
    inBoth(async (side) => {
      const record = await paidRecord(side);
      for (const field of recordFields) assert.ok(field in record, field);
    }),
  ),
  shown("2.13", "paymentId is a string", inBoth(hasText("paymentId"))),
  shown("2.14", "paymentId identifies the payment", inBoth(idsTellPaymentsApart)),
  shown("2.15", "paymentId is assigned by the service", ({ sandbox }) => serviceNamesThePayment(sandbox)),
  shown("2.16", "paymentRequestId is a string", inBoth(hasText("paymentRequestId"))),
  shown("2.17", "paymentRequestId identifies the payment request", inBoth(requestIdsTellPaymentsApart)),
  shown("2.18", "paymentRequestId is supplied by the merchant", ({ sandbox }) =>
    merchantNamesTheRequest(sandbox),
  ),
  shown("2.19", "paymentAmount is an amount object", inBoth(hasAmount("paymentAmount"))),
  shown(
    "2.20",
    "paymentAmount is the amount of the payment",
    inBoth(async (side) => {
      const { paymentAmount } = await paidRecord(side);
      assert.deepEqual(paymentAmount, { currency: "EUR", value: "10000" });
    }),
  ),
  shown("2.21", "actualPaymentAmount is an amount object", inBoth(hasAmount("actualPaymentAmount"))),
  shown(
    "2.22",
    "actualPaymentAmount is what was actually paid",
    inBoth(async (side) => {
      const { actualPaymentAmount } = await paidRecord(side);
      assert.deepEqual(actualPaymentAmount, { currency: "EUR", value: "9500" });
    }),
  ),
  shown("2.23", "paymentStatus is a string", inBoth(hasText("paymentStatus"))),
  shown(
    "2.24",
    "paymentStatus is the status of the payment",
    inBoth(async (side) => {
      for (const status of statesOf(paymentLifecycle)) {
        assert.equal((await recordOf(side, { status }))["paymentStatus"], status);
      }
    }),
  ),
  shown(
    "2.25",
    "paymentStatus can be SUCCESS",
    inBoth(async (side) => assert.equal((await paidRecord(side))["paymentStatus"], "SUCCESS")),
  ),
  shown("2.26", "paymentResultCode is a string", inBoth(hasText("paymentResultCode"))),
  shown(
    "2.27",
    "paymentResultCode is the payment's result code",
    inBoth(async (side) => {
      for (const resultCode of ["USER_BALANCE_NOT_ENOUGH", "ORDER_IS_CLOSED"]) {
        const record = await recordOf(side, { status: "FAIL", resultCode });
        assert.equal(record["paymentResultCode"], resultCode);
      }
    }),
  ),
  shown(
    "2.28",
    "paymentResultCode can be SUCCESS",
    inBoth(async (side) => assert.equal((await paidRecord(side))["paymentResultCode"], "SUCCESS")),
  ),
  shown("2.29", "paymentResultMessage is a string", inBoth(hasText("paymentResultMessage"))),
  shown("2.30", "paymentResultMessage is for people to read", inBoth(messageIsForPeople)),
  shown("2.31", "paymentTime is a string", inBoth(hasText("paymentTime"))),
  shown(
    "2.32",
    "paymentTime is the time of the payment",
    inBoth(async (side) => {
      for (const paidAt of [new Date("2026-03-01T12:59:59Z"), new Date("2026-02-28T23:00:01Z")]) {
        const { paymentTime } = await recordOf(side, { paidAt });
        assert.equal(Date.parse(String(paymentTime)), paidAt.getTime());
      }
    }),
  ),
  shown(
    "2.33",
    "paymentTime is an ISO 8601 date-time",
    inBoth(async (side) =>
      assert.match(await timeIn(side), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/),
    ),
  ),
  shown(
    "2.34",
    "paymentTime has a numeric UTC offset",
    inBoth(async (side) => assert.match(await timeIn(side), /[+-]\d\d:\d\d$/)),
  ),
  shown(
    "2.35",
    "result is a result object",
    inBoth(async (side) => {
      const { result } = await paidRecord(side);
      assert.ok(isJsonObject(result));
      assert.deepEqual(Object.keys(result).sort(), ["resultCode", "resultMessage", "resultStatus"]);
    }),
  ),
  shown("2.36", "result is the outcome of the call itself", inBoth(resultIsOfTheCall)),
  shown("2.37", "its resultCode can be SUCCESS", inBoth(successSays("resultCode", "SUCCESS"))),
  shown("2.38", "its resultMessage can be `success.`", inBoth(successSays("resultMessage", "success."))),
  shown("2.39", "its resultStatus can be S", inBoth(successSays("resultStatus", "S"))),
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

async function paidRecord(side: Side): Promise<PaymentRecord> {
  const { paymentId } = side.paid;
  return (await inquire(side, { paymentId })).json;
}

function amountIn({ paymentAmount }: PaymentRecord): Readonly<Record<string, unknown>> {
  assert.ok(isJsonObject(paymentAmount));
  return paymentAmount;
}

async function timeIn(side: Side): Promise<string> {
  const { paymentTime } = await paidRecord(side);
  assertString(paymentTime);
  return paymentTime;
}

async function currencyIsACode(side: Side): Promise<void> {
  const codes = new Set(Intl.supportedValuesOf("currency"));
  for (const currency of ["USD", "JPY", "KWD"]) {
    const told = amountIn(await recordOf(side, { currency }))["currency"];
    assert.equal(told, currency);
    assert.ok(codes.has(told));
  }
}

/** Checks the result of every kind of response. */
function eachResult(
  look: (result: Readonly<Record<string, unknown>>) => void,
): (side: Side) => Promise<void> {
  return async ({ answers }) => {
    for (const { answer } of answers) look(JSON.parse(answer.text).result);
  };
}

function hasText(field: string): (side: Side) => Promise<void> {
  return async (side) => {
    const value = (await paidRecord(side))[field];
    assertString(value);
    assert.notEqual(value, "");
  };
}

function hasAmount(field: string): (side: Side) => Promise<void> {
  return async (side) => {
    const amount = (await paidRecord(side))[field];
    assert.ok(isJsonObject(amount));
    assertString(amount["currency"]);
    assertString(amount["value"]);
  };
}

async function idsTellPaymentsApart(side: Side): Promise<void> {
  const [first, second] = [await newPayment(side), await newPayment(side)];
  assert.notEqual(first.paymentId, second.paymentId);
  for (const { paymentId, paymentRequestId } of [first, second]) {
    const { json } = await inquire(side, { paymentId });
    assert.partialDeepStrictEqual(json, { paymentId, paymentRequestId });
  }
}

async function requestIdsTellPaymentsApart(side: Side): Promise<void> {
  const [first, second] = [await newPayment(side), await newPayment(side)];
  assert.notEqual(first.paymentRequestId, second.paymentRequestId);
  for (const { paymentId, paymentRequestId } of [first, second]) {
    const { json } = await inquire(side, { paymentRequestId });
    assert.partialDeepStrictEqual(json, { paymentId, paymentRequestId });
  }
}

async function serviceNamesThePayment(side: PayingSide): Promise<void> {
  const first = await askForPayment(side);
  const second = await askForPayment(side, { paymentId: unknownPaymentId });
  for (const { paymentId, paymentRequestId } of [first, second]) {
    assert.match(paymentId, /^\d{35}$/);
    const { json } = await inquire(side, { paymentId });
    assert.partialDeepStrictEqual(json, { paymentId, paymentRequestId });
  }
  assert.notEqual(first.paymentId, second.paymentId);
  // The gateway ignores the payment id in the second request, because a merchant cannot choose a payment id.
  assertResult(await inquire(side, { paymentId: unknownPaymentId }), "ORDER_NOT_EXIST");
}

async function merchantNamesTheRequest(side: PayingSide): Promise<void> {
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

async function messageIsForPeople(side: Side): Promise<void> {
  for (const resultCode of ["USER_BALANCE_NOT_ENOUGH", "ORDER_IS_CLOSED"]) {
    const { paymentResultMessage: message } = await recordOf(side, { status: "FAIL", resultCode });
    assert.match(String(message), /^[A-Za-z][a-z']*( [A-Za-z][a-z']*)+\.$/);
  }
}

/**
 * Checks that the result is about the request. An inquiry of a failed payment succeeds, and an inquiry of an unknown
 * payment fails.
 */
async function resultIsOfTheCall(side: Side): Promise<void> {
  const failed = await recordOf(side, { status: "FAIL", resultCode: "RISK_REJECT" });
  assert.partialDeepStrictEqual(failed, {
    result: { resultStatus: "S" },
    paymentStatus: "FAIL",
    paymentResultCode: "RISK_REJECT",
  });
  const missing = await inquire(side, { paymentId: unknownPaymentId });
  assertResult(missing, "ORDER_NOT_EXIST");
  assert.deepEqual(Object.keys(missing.json), ["result"]);
}

function successSays(field: string, value: string): (side: Side) => Promise<void> {
  return async (side) => {
    const { result } = await paidRecord(side);
    assert.ok(isJsonObject(result));
    assert.equal(result[field], value);
  };
}
