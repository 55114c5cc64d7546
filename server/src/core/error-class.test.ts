import assert from "node:assert/strict";
import { test } from "node:test";
import { errorClassOf, isRetryable } from "./error-class.ts";
import { results, type ResultCode } from "./result.ts";

const codes = Object.keys(results) as ResultCode[];

test("a rejection is an error; a success or a payment in progress is not", () => {
  for (const code of codes.filter((each) => results[each].status === "F"))
    assert.ok(errorClassOf(code), code);
  const others = codes.filter((code) => results[code].status !== "F" && errorClassOf(code) === undefined);
  assert.deepEqual(others.toSorted(), [
    "AUTH_IN_PROCESS",
    "CAPTURE_IN_PROCESS",
    "PAYMENT_IN_PROCESS",
    "REFUND_IN_PROCESS",
    "SUCCESS",
  ]);
});

test("a request is retried only if its outcome is unknown", () => {
  assert.deepEqual(codes.filter(isRetryable), ["REQUEST_TRAFFIC_EXCEED_LIMIT", "UNKNOWN_EXCEPTION"]);
});

test("a rejection by the buyer or the provider is a decline; an error that the merchant can fix is not", () => {
  assert.equal(errorClassOf("USER_BALANCE_NOT_ENOUGH"), "DeclinedError");
  assert.equal(errorClassOf("PARAM_ILLEGAL"), "InvalidRequestError");
  assert.equal(errorClassOf("INVALID_SIGNATURE"), "AuthenticationError");
});
