import assert from "node:assert/strict";
import { test } from "node:test";
import {
  failureRate,
  rejectedUnverifiedMs,
  newInvalidSignatureLimiter,
} from "./invalid-signature-limiter.ts";

test("a network with repeated invalid signatures is rejected unverified for a second; other networks are not", () => {
  let nowMs = 0;
  const limiter = newInvalidSignatureLimiter(() => nowMs);
  for (let count = 0; count < failureRate.burst; count += 1) {
    assert.ok(limiter.mayVerify("a"), `after ${count}`);
    limiter.recordFailure("a");
  }
  assert.ok(limiter.mayVerify("a"));
  limiter.recordFailure("a");
  assert.ok(!limiter.mayVerify("a") && limiter.mayVerify("b"));
  nowMs += rejectedUnverifiedMs;
  let checked = 0;
  for (; limiter.mayVerify("a"); checked += 1) limiter.recordFailure("a");
  assert.equal(checked, failureRate.ratePerSecond + 1);
});
