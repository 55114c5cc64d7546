import assert from "node:assert/strict";
import { test } from "node:test";
import { failedChecks, unheardMs, watchForgers } from "./forgers.ts";

test("a network whose signatures fail again and again is not checked for a second; others are", () => {
  let nowMs = 0;
  const forgers = watchForgers(() => nowMs);
  for (let count = 0; count < failedChecks.burst; count += 1) {
    assert.ok(forgers.mayTry("a"), `after ${count}`);
    forgers.failed("a");
  }
  assert.ok(forgers.mayTry("a"));
  forgers.failed("a");
  assert.ok(!forgers.mayTry("a") && forgers.mayTry("b"));
  nowMs += unheardMs;
  let checked = 0;
  for (; forgers.mayTry("a"); checked += 1) forgers.failed("a");
  assert.equal(checked, failedChecks.ratePerSecond + 1);
});
