import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { backOff, retryAt } from "./backoff.ts";

const now = new Date("2026-11-15T10:00:00Z");
const secondsTo = (at: Date): number => (at.getTime() - now.getTime()) / 1000;

test("each attempt waits for its gap, and later ones for the last gap", () => {
  const gaps = [0, 1, 2, 3, 99].map((attempts) => secondsTo(backOff([3, 7, 30], attempts, now)));
  assert.deepEqual(gaps, [3, 7, 30, 30, 30]);
});

test("a failing provider is called again after a second, then less often, and at least once a minute", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6, 99].map((attempts) => secondsTo(retryAt(attempts, now))),
    [1, 2, 5, 10, 20, 40, 60, 60],
  );
  fc.assert(
    fc.property(fc.nat(1000), (attempts) => {
      assert.ok(retryAt(attempts + 1, now) >= retryAt(attempts, now));
    }),
  );
});
