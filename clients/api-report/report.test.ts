import assert from "node:assert/strict";
import { test } from "node:test";
import { changesBetween, reportOf } from "./report.ts";

const before = reportOf("TypeScript", [
  { owner: "PayRequest", signature: "interface" },
  { owner: "PayRequest", signature: "paymentRequestId: string", isRequired: true },
  { owner: "PayRequest", signature: "buyerName?: string" },
]);

test("unchanged lines in another order are compatible", () => {
  const reordered = before.split("\n").toReversed().join("\n");
  assert.deepEqual(changesBetween(before, reordered), { breaks: [], additions: [] });
});

test("a new optional part is an addition", () => {
  const now = `${before}PayRequest | orderNote?: string\nRefundRequest | ! refundRequestId: string\n`;
  assert.deepEqual(changesBetween(before, now), {
    breaks: [],
    additions: ["PayRequest | orderNote?: string", "RefundRequest | ! refundRequestId: string"],
  });
});

test("removed, changed and newly required parts are breaking changes", () => {
  const without = before.replace("PayRequest | buyerName?: string\n", "");
  assert.deepEqual(changesBetween(before, without).breaks, ["gone: PayRequest | buyerName?: string"]);
  const changed = before.replace("buyerName?: string", "buyerName?: number");
  assert.deepEqual(changesBetween(before, changed).breaks, ["gone: PayRequest | buyerName?: string"]);
  const withRequired = `${before}PayRequest | ! orderNote: string\n`;
  assert.deepEqual(changesBetween(before, withRequired).breaks, [
    "newly required: PayRequest | ! orderNote: string",
  ]);
});
