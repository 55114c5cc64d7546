import assert from "node:assert/strict";
import { test } from "node:test";
import { changesBetween, reportOf } from "./report.ts";

const before = reportOf("TypeScript", [
  { owner: "PayRequest", signature: "interface" },
  { owner: "PayRequest", signature: "paymentRequestId: string", isDemanded: true },
  { owner: "PayRequest", signature: "buyerName?: string" },
]);

test("what stays breaks nobody, in whatever order it stands", () => {
  const again = before.split("\n").toReversed().join("\n");
  assert.deepEqual(changesBetween(before, again), { breaks: [], additions: [] });
});

test("something new that nobody has to give is an addition", () => {
  const now = `${before}PayRequest | orderNote?: string\nRefundRequest | ! refundRequestId: string\n`;
  assert.deepEqual(changesBetween(before, now), {
    breaks: [],
    additions: ["PayRequest | orderNote?: string", "RefundRequest | ! refundRequestId: string"],
  });
});

test("what is gone, what reads otherwise, and what has to be given now are breaks", () => {
  const without = before.replace("PayRequest | buyerName?: string\n", "");
  assert.deepEqual(changesBetween(before, without).breaks, ["gone: PayRequest | buyerName?: string"]);
  const otherwise = before.replace("buyerName?: string", "buyerName?: number");
  assert.deepEqual(changesBetween(before, otherwise).breaks, ["gone: PayRequest | buyerName?: string"]);
  const demanding = `${before}PayRequest | ! orderNote: string\n`;
  assert.deepEqual(changesBetween(before, demanding).breaks, [
    "has to be given now: PayRequest | ! orderNote: string",
  ]);
});
