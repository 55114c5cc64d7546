import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { newRateLimiter, type RateLimiter } from "./limits.ts";

interface Turnstile {
  readonly limiter: RateLimiter;
  nowMs: number;
}

/** A limiter with a clock that only the test moves. */
function turnstile(): Turnstile {
  const clock = { nowMs: 1_000_000 };
  return Object.assign(clock, { limiter: newRateLimiter(() => clock.nowMs) });
}

/** The number of concurrent calls that are allowed. */
function through(
  { limiter }: Turnstile,
  calls: number,
  key = "A",
  rate = { ratePerSecond: 2, burst: 5 },
): number {
  return Array.from({ length: calls }, () => limiter.take(key, rate)).filter((wait) => wait === 0).length;
}

test("exactly one burst is allowed at once", () => {
  assert.equal(through(turnstile(), 20), 5);
});

test("after a burst, calls are allowed at the rate", () => {
  const gate = turnstile();
  through(gate, 20);
  gate.nowMs += 499;
  assert.equal(through(gate, 5), 0);
  gate.nowMs += 1;
  assert.equal(through(gate, 5), 1);
  gate.nowMs += 1_000;
  assert.equal(through(gate, 5), 2);
});

test("a long idle time saves up one burst, and not more", () => {
  const gate = turnstile();
  through(gate, 20);
  gate.nowMs += 3_600_000;
  assert.equal(through(gate, 100), 5);
});

test("one caller's flood does not affect the others", () => {
  const gate = turnstile();
  assert.equal(through(gate, 1_000, "greedy"), 5);
  assert.equal(through(gate, 5, "modest"), 5);
});

test("a changed limit applies from the next call on", () => {
  const gate = turnstile();
  through(gate, 20);
  gate.nowMs += 1_000;
  assert.equal(through(gate, 100, "A", { ratePerSecond: 50, burst: 60 }), 50);
  gate.nowMs += 60_000;
  assert.equal(through(gate, 100, "A", { ratePerSecond: 1, burst: 1 }), 1);
});

test("in any period at most the burst plus the rate is allowed", () => {
  const rates = fc.record({
    ratePerSecond: fc.integer({ min: 1, max: 400 }),
    burst: fc.integer({ min: 1, max: 800 }),
  });
  const steps = fc.array(fc.record({ waitMs: fc.nat({ max: 3_000 }), calls: fc.nat({ max: 60 }) }), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(rates, steps, (rate, arrivals) => {
      const gate = turnstile();
      const startedAtMs = gate.nowMs;
      let passed = 0;
      for (const { waitMs, calls } of arrivals) {
        gate.nowMs += waitMs;
        passed += through(gate, calls, "A", rate);
        const seconds = (gate.nowMs - startedAtMs) / 1000;
        assert.ok(passed <= rate.burst + rate.ratePerSecond * seconds + 1e-6);
      }
    }),
  );
});

test("a caller that waits for the returned time is allowed, and the time is in whole seconds", () => {
  const rates = fc.record({
    ratePerSecond: fc.integer({ min: 1, max: 400 }),
    burst: fc.integer({ min: 1, max: 20 }),
  });
  fc.assert(
    fc.property(rates, fc.nat({ max: 900 }), (rate, laterMs) => {
      const gate = turnstile();
      through(gate, 50, "A", rate);
      gate.nowMs += laterMs / rate.ratePerSecond;
      const waitSeconds = gate.limiter.take("A", rate);
      assert.ok(Number.isInteger(waitSeconds) && waitSeconds >= 1, `The wait is ${waitSeconds} s.`);
      gate.nowMs += waitSeconds * 1000;
      assert.equal(gate.limiter.take("A", rate), 0);
    }),
  );
});

const keysMax = 100_000;

test("the caller that was idle for a minute is evicted first", () => {
  const gate = turnstile();
  for (let number = 1; number < keysMax; number += 1)
    gate.limiter.take(`idle ${number}`, { ratePerSecond: 1, burst: 5 });
  gate.nowMs += 60_001;
  // This is the last key that fits. The next key evicts another one, and that must not be a key that is being limited.
  assert.equal(through(gate, 20, "limited"), 5);
  assert.equal(through(gate, 1, "one more"), 1);
  assert.equal(through(gate, 20, "limited"), 0);
});

test("made-up callers do not exhaust the memory", () => {
  const gate = turnstile();
  assert.equal(through(gate, 20, "remembered"), 5);
  for (let number = 1; number < keysMax; number += 1)
    gate.limiter.take(`made up ${number}`, { ratePerSecond: 1, burst: 5 });
  assert.equal(through(gate, 20, "remembered"), 0);
  gate.limiter.take("one too many", { ratePerSecond: 1, burst: 5 });
  // The limiter has reset all limits, which is better than running out of memory.
  assert.equal(through(gate, 20, "remembered"), 5);
});
