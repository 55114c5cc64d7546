import assert from "node:assert/strict";
import { test } from "node:test";
import { results, type ResultCode } from "../core/result.ts";
import { exampleCheckout } from "../../test/examples/example-checkout.ts";
import { english } from "./language.ts";
import { reasonFor, stateTextsOf } from "./state-texts.ts";

const codes = Object.keys(results) as ResultCode[];
const failed = (resultCode: ResultCode): string =>
  stateTextsOf("failed", exampleCheckout("failed", { resultCode })).text?.markup ?? "";
const cancelled = (paidAt: Date | undefined): string =>
  stateTextsOf("cancelled", exampleCheckout("cancelled", { paidAt })).text?.markup ?? "";

test("a buyer learns what to do about a failure", () => {
  assert.equal(failed("USER_BALANCE_NOT_ENOUGH"), "Your balance is too low. You have not been charged.");
});

test("every reason is addressed to the buyer, and does not accuse the buyer", () => {
  for (const code of codes) {
    const text = english.texts[reasonFor(code)];
    assert.match(text, /^[A-Z][^.]*\.$/, code);
    assert.doesNotMatch(text, /buyer|merchant|contract|request|_/i, code);
  }
});

test("a buyer suspected of fraud sees the same text as after a usual decline", () => {
  for (const code of ["RISK_REJECT", "FRAUD_REJECT", "SUSPECTED_RISK", "SUSPECTED_CARD"] as const)
    assert.equal(reasonFor(code), reasonFor("PROCESS_FAIL"));
});

test("a buyer whose paid order was cancelled reads that the money is returned", () => {
  assert.match(cancelled(undefined), /You have not been charged\./);
  assert.match(cancelled(new Date(0)), /Your money is being returned to your wallet\./);
  assert.doesNotMatch(cancelled(new Date(0)), /not been charged/);
});

test("while a payment is being closed the page neither asks for payment nor says that it is unpaid", () => {
  for (const cancelRequestedAt of [undefined, new Date(0)]) {
    const { text } = stateTextsOf("closing", exampleCheckout("closing", { cancelRequestedAt }));
    assert.match(text?.markup ?? "", /Please do not pay now\./);
    assert.doesNotMatch(text?.markup ?? "", /charged/);
  }
});
