import assert from "node:assert/strict";
import { test } from "node:test";
import {
  failedChecks,
  rejectedUnverifiedMs,
  newInvalidSignatureLimiter,
} from "./invalid-signature-limiter.ts";

test("a network with repeated invalid signatures is rejected unverified for a second; other networks are not", () => {
  let nowMs = 0;
  const forgers = newInvalidSignatureLimiter(() => nowMs);
  for (let count = 0; count < failedChecks.burst; count += 1) {
    assert.ok(forgers.mayTry("a"), `after ${count}`);
    forgers.failed("a");
  }
  assert.ok(forgers.mayTry("a"));
  forgers.failed("a");
  assert.ok(!forgers.mayTry("a") && forgers.mayTry("b"));
  nowMs += rejectedUnverifiedMs;
  let checked = 0;
  for (; forgers.mayTry("a"); checked += 1) forgers.failed("a");
  assert.equal(checked, failedChecks.ratePerSecond + 1);
});
