import assert from "node:assert/strict";
import { test } from "node:test";
import { results, type ResultCode } from "../core/result.ts";
import { exampleCheckout } from "../../test/examples/example-checkout.ts";
import { english } from "./language.ts";
import { reasonFor, wordsOf } from "./words.ts";

const codes = Object.keys(results) as ResultCode[];
const failed = (resultCode: ResultCode): string =>
  wordsOf("failed", exampleCheckout("failed", { resultCode })).text?.markup ?? "";
const cancelled = (paidAt: Date | undefined): string =>
  wordsOf("cancelled", exampleCheckout("cancelled", { paidAt })).text?.markup ?? "";

test("a buyer learns what can be done about a failure", () => {
  assert.equal(failed("USER_BALANCE_NOT_ENOUGH"), "Your balance is too low. You have not been charged.");
});

test("whatever the reason, it is said to the buyer, and not about the buyer", () => {
  for (const code of codes) {
    const text = english.texts[reasonFor(code)];
    assert.match(text, /^[A-Z][^.]*\.$/, code);
    assert.doesNotMatch(text, /buyer|merchant|contract|request|_/i, code);
  }
});

test("who is suspected of fraud learns no more than anybody whose wallet says no", () => {
  for (const code of ["RISK_REJECT", "FRAUD_REJECT", "SUSPECTED_RISK", "SUSPECTED_CARD"] as const)
    assert.equal(reasonFor(code), reasonFor("PROCESS_FAIL"));
});

test("a buyer whose paid order was cancelled is told that the money comes back", () => {
  assert.match(cancelled(undefined), /You have not been charged\./);
  assert.match(cancelled(new Date(0)), /What you paid goes back to your wallet\./);
  assert.doesNotMatch(cancelled(new Date(0)), /not been charged/);
});

test("while a payment is closed nobody is asked to pay, and nobody is told that they have not", () => {
  for (const cancelRequestedAt of [undefined, new Date(0)]) {
    const { text } = wordsOf("closing", exampleCheckout("closing", { cancelRequestedAt }));
    assert.match(text?.markup ?? "", /Please do not pay now\./);
    assert.doesNotMatch(text?.markup ?? "", /charged/);
  }
});
