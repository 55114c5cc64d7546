import assert from "node:assert/strict";
import { test } from "node:test";
import { actDigest, isConfirmed, isApprovalRequired, parseApprovalRules } from "./approval-rules.ts";

const rules = parseApprovalRules("keys.change, payments.refund above EUR 50000 JPY 6000000");
const refund = (currency: string, value: string): object => ({ refundAmount: { currency, value } });

test("the operator configures the permissions that need approval, and the amounts above which they do", () => {
  assert.ok(isApprovalRequired(rules, "keys.change", {}));
  assert.ok(!isApprovalRequired(rules, "payments.cancel", {}));
  assert.ok(!isApprovalRequired(rules, "payments.refund", refund("EUR", "50000")));
  assert.ok(isApprovalRequired(rules, "payments.refund", refund("EUR", "50001")));
  assert.ok(isApprovalRequired(rules, "payments.refund", refund("USD", "1")), "no limit is configured");
  for (const invalid of [undefined, {}, { refundAmount: "5" }, refund("EUR", "-1"), refund("EUR", "1e9")])
    assert.ok(isApprovalRequired(rules, "payments.refund", invalid), JSON.stringify(invalid));
  assert.equal(parseApprovalRules("").size, 0);
});

test("an invalid rule is rejected, not ignored", () => {
  for (const text of ["key.change", "payments.refund above 500", "keys.change above EUR 1", "toString"])
    assert.throws(() => parseApprovalRules(text), Error, text);
});

test("a confirmation is valid for one act with one content by another person", () => {
  const approvalRequest = { act: "refund", place: "SANDBOX_1", request: { a: 1, b: { c: "2", d: [3] } } };
  const confirmed = {
    by: "per_2",
    permission: "payments.refund",
    digest: actDigest(approvalRequest),
  } as const;
  const person = { sub: "per_1", confirmed };
  assert.ok(isConfirmed(person, "payments.refund", approvalRequest));
  const reordered = { ...approvalRequest, request: { b: { d: [3], c: "2" }, a: 1 } };
  assert.ok(isConfirmed(person, "payments.refund", reordered));
  assert.ok(!isConfirmed({ ...person, sub: "per_2" }, "payments.refund", approvalRequest), "oneself");
  assert.ok(!isConfirmed(person, "keys.change", approvalRequest), "another permission");
  assert.ok(!isConfirmed({ sub: "per_1" }, "payments.refund", approvalRequest), "no confirmation");
  for (const other of [
    { ...approvalRequest, act: "capture" },
    { ...approvalRequest, place: "SANDBOX_2" },
    { ...approvalRequest, request: { ...approvalRequest.request, a: 2 } },
  ])
    assert.ok(!isConfirmed(person, "payments.refund", other), JSON.stringify(other));
});
