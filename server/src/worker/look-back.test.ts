import assert from "node:assert/strict";
import { test } from "node:test";
import { newLookBack } from "./look-back.ts";

/** A queue that is looked at now and then; times are in seconds from its start. */
function newQueue() {
  let seconds = 0;
  const lookBack = newLookBack({
    now: () => new Date(seconds * 1000),
    monotonicMs: () => seconds * 1000,
  });
  return {
    forget: () => lookBack.forget(),
    /** From when on the look was, or "all". */
    look(atSeconds: number, wasComplete = true, takesSeconds = 0): number | "all" {
      seconds = atSeconds;
      const { from, end } = lookBack.begin();
      seconds += takesSeconds;
      end(wasComplete);
      return from ? from.getTime() / 1000 : "all";
    },
  };
}

test("after a look at all, the next ones begin a while before the last that left nothing", () => {
  const { look } = newQueue();
  assert.deepEqual([look(100), look(101), look(102, false), look(103)], ["all", 90, 91, 91]);
});

test("every five seconds all is looked at, for what was committed late or moved to an earlier time", () => {
  const { look } = newQueue();
  assert.deepEqual([look(100), look(104.9), look(105), look(106)], ["all", 90, "all", 95]);
});

test("a look at all that left something is followed by another", () => {
  const { look } = newQueue();
  assert.deepEqual([look(100, false), look(101), look(102)], ["all", "all", 91]);
});

test("when something is known to be left behind, the next look is at all", () => {
  const { look, forget } = newQueue();
  look(100);
  forget();
  assert.deepEqual([look(101), look(102)], ["all", 91]);
});

test("a look at all that takes long is made less often, but at least every half minute", () => {
  const { look } = newQueue();
  assert.deepEqual(
    [look(100, true, 0.01), look(109), look(110, true, 60), look(139), look(171)],
    ["all", 90, "all", 100, "all"],
  );
});
