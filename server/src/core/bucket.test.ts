import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import * as fc from "fast-check";
import { bucketCount, bucketOf } from "./bucket.ts";

// The expected buckets were computed with OpenSSL. The bucket is the shard key of a merchant's data, so it can never
// change.
for (const [clientId, bucket] of [
  ["SANDBOX_5X00000000000000", 952],
  ["5J5XSU7Y2Y182W01981", 334],
  ["", 910],
] as const) {
  test(`the bucket of "${clientId}" is ${bucket} and must never change`, () => {
    assert.equal(bucketOf(clientId), bucket);
  });
}

test("a bucket is the first ten bits of the client id's SHA-256", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (clientId) => {
      const bits = BigInt(`0x${createHash("sha256").update(clientId, "utf8").digest("hex")}`);
      assert.equal(bucketOf(clientId), Number(bits >> 246n));
    }),
  );
});

test("merchants spread evenly over all buckets", () => {
  const counts = Array.from({ length: bucketCount }, () => 0);
  const merchants = 100_000;
  for (let number = 0; number < merchants; number += 1) {
    const bucket = bucketOf(`SANDBOX_${number}`);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  assert.equal(counts.length, bucketCount);
  const fair = merchants / bucketCount;
  const chiSquare = counts.reduce((sum, count) => sum + (count - fair) ** 2 / fair, 0);
  // Chi-squared test with 1023 degrees of freedom: its mean is 1023, and a value above 1250 has a probability of one in
  // a million.
  assert.ok(chiSquare < 1_250, `χ² is ${chiSquare}.`);
  assert.ok(Math.min(...counts) > fair / 2 && Math.max(...counts) < fair * 1.5);
});
