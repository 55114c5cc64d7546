import assert from "node:assert/strict";
import { test } from "node:test";
import { actDigest, isConfirmed, needsSecondPerson, readSecondPersonRules } from "./second-person.ts";

const rules = readSecondPersonRules("keys.change, payments.refund above EUR 50000 JPY 6000000");
const refund = (currency: string, value: string): object => ({ refundAmount: { currency, value } });

test("an operator says which rights need a second person, and above which sum", () => {
  assert.ok(needsSecondPerson(rules, "keys.change", {}));
  assert.ok(!needsSecondPerson(rules, "payments.cancel", {}));
  assert.ok(!needsSecondPerson(rules, "payments.refund", refund("EUR", "50000")));
  assert.ok(needsSecondPerson(rules, "payments.refund", refund("EUR", "50001")));
  assert.ok(
    needsSecondPerson(rules, "payments.refund", refund("USD", "1")),
    "nobody said how much is little",
  );
  for (const odd of [undefined, {}, { refundAmount: "5" }, refund("EUR", "-1"), refund("EUR", "1e9")])
    assert.ok(needsSecondPerson(rules, "payments.refund", odd), JSON.stringify(odd));
  assert.equal(readSecondPersonRules("").size, 0);
});

test("a rule that is not understood is refused, and not passed over", () => {
  for (const text of ["key.change", "payments.refund above 500", "keys.change above EUR 1", "toString"])
    assert.throws(() => readSecondPersonRules(text), Error, text);
});

test("a confirmation is good for one act with one content by somebody else", () => {
  const asked = { act: "refund", place: "SANDBOX_1", request: { a: 1, b: { c: "2", d: [3] } } };
  const confirmed = { by: "per_2", right: "payments.refund", digest: actDigest(asked) } as const;
  const person = { sub: "per_1", confirmed };
  assert.ok(isConfirmed(person, "payments.refund", asked));
  const sameInOtherOrder = { ...asked, request: { b: { d: [3], c: "2" }, a: 1 } };
  assert.ok(isConfirmed(person, "payments.refund", sameInOtherOrder));
  assert.ok(!isConfirmed({ ...person, sub: "per_2" }, "payments.refund", asked), "oneself");
  assert.ok(!isConfirmed(person, "keys.change", asked), "another right");
  assert.ok(!isConfirmed({ sub: "per_1" }, "payments.refund", asked), "nobody");
  for (const other of [
    { ...asked, act: "capture" },
    { ...asked, place: "SANDBOX_2" },
    { ...asked, request: { ...asked.request, a: 2 } },
  ])
    assert.ok(!isConfirmed(person, "payments.refund", other), JSON.stringify(other));
});
