import assert from "node:assert/strict";
import { test } from "node:test";
import { bookedReport, statusReport } from "../../test/examples/settled-merchants.ts";
import { readBankWords } from "./bank-word.ts";
import { mayBecome, statesOf } from "../core/lifecycle.ts";
import { payoutLifecycle, statesBy, waitReasonOf, type PayoutStatus } from "./payout.ts";

const wordsOf = (text: string): readonly unknown[] =>
  readBankWords(text).told.map(({ of, word, reasonCode }) => [Object.values(of)[0], word, reasonCode]);

test("pain.002: executed and refused are words, accepted is only noted", () => {
  const text = statusReport("F", [
    { endToEndId: "a", status: "ACSC" },
    { endToEndId: "b", status: "RJCT", reason: "AC01" },
    { endToEndId: "c", status: "ACSP" },
  ]);
  assert.deepEqual(wordsOf(text), [
    ["a", "paid", undefined],
    ["b", "failed", "AC01"],
  ]);
  assert.equal(readBankWords(text).notedCount, 1);
});

test("pain.002: a whole file that is refused", () => {
  assert.deepEqual(wordsOf(statusReport("F", [], "RJCT")), [["F", "failed", undefined]]);
  assert.throws(() => readBankWords(statusReport("", [], "RJCT")), /which file it is about/);
  assert.throws(() => readBankWords(statusReport("F", [], "XXXX")), /GrpSts "XXXX" is not known/);
});

test("camt.054: what left was executed, what came back under its name was returned, and both is returned", () => {
  const booked = (endToEndId: string, isCredit: boolean): Parameters<typeof bookedReport>[0][number] => ({
    endToEndId,
    amount: "1.00",
    isCredit,
  });
  const text = bookedReport([booked("b", true), booked("a", false), booked("b", false)]);
  assert.deepEqual(wordsOf(text), [
    ["b", "returned", "AC04"],
    ["a", "paid", undefined],
  ]);
});

test("each word leads along the lifecycle, and only what failed is contradicted", () => {
  for (const status of statesOf(payoutLifecycle)) {
    for (const word of ["paid", "failed", "returned"] as const) {
      const states = statesBy(status, word);
      if (!states) {
        assert.deepEqual([status, word], ["FAILED", "paid"]);
        continue;
      }
      let at: PayoutStatus = status;
      for (const next of states) {
        assert.ok(mayBecome(payoutLifecycle, at, next), `${status} ${word}: ${at} to ${next}`);
        at = next;
      }
      const again = statesBy(at, word);
      assert.deepEqual(again, [], `${status} ${word}: the same word again changes nothing`);
    }
  }
});

test("the first reason to wait is told", () => {
  const now = new Date("2026-11-17T00:00:00Z");
  const fine = { hold: undefined, hasBank: true, usableFrom: now, freeMinor: 10n, netMinor: 10n, now };
  assert.equal(waitReasonOf(fine), undefined);
  assert.equal(waitReasonOf({ ...fine, freeMinor: 9n }), "not covered");
  assert.equal(
    waitReasonOf({ ...fine, freeMinor: 9n, usableFrom: new Date(now.getTime() + 1) }),
    "cooling-off",
  );
  assert.equal(waitReasonOf({ ...fine, usableFrom: undefined }), "no bank account");
  assert.equal(waitReasonOf({ ...fine, hasBank: false, usableFrom: undefined }), "no bank of ours");
  assert.equal(waitReasonOf({ ...fine, hold: "payouts on hold", hasBank: false }), "payouts on hold");
});
