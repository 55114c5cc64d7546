import assert from "node:assert/strict";
import { test } from "node:test";
import { fingerprintOf } from "./fingerprint.ts";
import { rejectChangedRepeat } from "./idempotency.ts";

const fields = ["paymentId", "refundAmount.value"];
const printOf = (paymentId: string, value: string): Buffer =>
  fingerprintOf({ paymentId, refundAmount: { value } }, fields, Buffer.alloc(32, 7));
const earlier = { fingerprint: printOf("p-1", "350") };

test("a repeat with equal content is accepted", () => {
  assert.equal(rejectChangedRepeat(fields, earlier, printOf("p-1", "350")), undefined);
});

test("a repeated id with other content is rejected, and the rejection names the differing field", () => {
  assert.deepEqual(rejectChangedRepeat(fields, earlier, printOf("p-1", "351")), {
    refused: "REPEAT_REQ_INCONSISTENT",
    field: "refundAmount.value",
    detail: "refundAmount.value is not what it was before.",
  });
  assert.equal(rejectChangedRepeat(fields, earlier, printOf("p-2", "351"))?.field, "paymentId");
});

test("a payment that was cancelled before it arrived has no content to compare", () => {
  assert.equal(rejectChangedRepeat(fields, { fingerprint: undefined }, printOf("p-1", "350")), undefined);
});
