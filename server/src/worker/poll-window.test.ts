import assert from "node:assert/strict";
import { test } from "node:test";
import { newPollWindow } from "./poll-window.ts";

/** Simulates a queue that is polled at intervals; times are in seconds from its start. */
function newQueue() {
  let seconds = 0;
  const pollWindow = newPollWindow({
    now: () => new Date(seconds * 1000),
    monotonicMs: () => seconds * 1000,
  });
  return {
    forget: () => pollWindow.forceFullPoll(),
    /** Polls, and returns the low-water mark of the poll, or "all". */
    look(atSeconds: number, wasComplete = true, takesSeconds = 0): number | "all" {
      seconds = atSeconds;
      const { from, end } = pollWindow.begin();
      seconds += takesSeconds;
      end(wasComplete);
      return from ? from.getTime() / 1000 : "all";
    },
  };
}

test("after a full poll, the next polls start shortly before the last poll that left nothing", () => {
  const { look: poll } = newQueue();
  assert.deepEqual([poll(100), poll(101), poll(102, false), poll(103)], ["all", 90, 91, 91]);
});

test(
  "every five seconds there is a full poll, for late commits and for jobs that were moved to an earlier " +
    "time",
  () => {
    const { look: poll } = newQueue();
    assert.deepEqual([poll(100), poll(104.9), poll(105), poll(106)], ["all", 90, "all", 95]);
  },
);

test("a full poll that left jobs is followed by another full poll", () => {
  const { look: poll } = newQueue();
  assert.deepEqual([poll(100, false), poll(101), poll(102)], ["all", "all", 91]);
});

test("when jobs are known to be left, the next poll is a full poll", () => {
  const { look: poll, forget } = newQueue();
  poll(100);
  forget();
  assert.deepEqual([poll(101), poll(102)], ["all", 91]);
});

test("a slow full poll runs less often, but at least every half minute", () => {
  const { look: poll } = newQueue();
  assert.deepEqual(
    [poll(100, true, 0.01), poll(109), poll(110, true, 60), poll(139), poll(171)],
    ["all", 90, "all", 100, "all"],
  );
});
