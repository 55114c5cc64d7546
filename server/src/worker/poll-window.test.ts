import assert from "node:assert/strict";
import { test } from "node:test";
import { newPollWindow } from "./poll-window.ts";

/** Simulates a queue that is polled at intervals; times are in seconds from its start. */
function newQueue() {
  let seconds = 0;
  const lookBack = newPollWindow({
    now: () => new Date(seconds * 1000),
    monotonicMs: () => seconds * 1000,
  });
  return {
    forget: () => lookBack.forget(),
    /** Polls, and returns the low-water mark of the poll, or "all". */
    look(atSeconds: number, wasComplete = true, takesSeconds = 0): number | "all" {
      seconds = atSeconds;
      const { from, end } = lookBack.begin();
      seconds += takesSeconds;
      end(wasComplete);
      return from ? from.getTime() / 1000 : "all";
    },
  };
}

test("after a full poll, the next polls start shortly before the last poll that left nothing", () => {
  const { look } = newQueue();
  assert.deepEqual([look(100), look(101), look(102, false), look(103)], ["all", 90, 91, 91]);
});

test(
  "every five seconds there is a full poll, for late commits and for jobs that were moved to an earlier " +
    "time",
  () => {
    const { look } = newQueue();
    assert.deepEqual([look(100), look(104.9), look(105), look(106)], ["all", 90, "all", 95]);
  },
);

test("a full poll that left jobs is followed by another full poll", () => {
  const { look } = newQueue();
  assert.deepEqual([look(100, false), look(101), look(102)], ["all", "all", 91]);
});

test("when jobs are known to be left, the next poll is a full poll", () => {
  const { look, forget } = newQueue();
  look(100);
  forget();
  assert.deepEqual([look(101), look(102)], ["all", 91]);
});

test("a slow full poll runs less often, but at least every half minute", () => {
  const { look } = newQueue();
  assert.deepEqual(
    [look(100, true, 0.01), look(109), look(110, true, 60), look(139), look(171)],
    ["all", 90, "all", 100, "all"],
  );
});
