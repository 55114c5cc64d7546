import assert from "node:assert/strict";
import { test } from "node:test";
import { lifecycles } from "../api/lifecycles.ts";
import { mayBecome, statesOf, toMermaid, toTransitionGuard, type Lifecycle } from "./lifecycle.ts";

/** A cup of coffee: it may be spilled as long as it is full, and is never filled again. */
const cup: Lifecycle<"ORDERED" | "FULL" | "EMPTY" | "SPILLED"> = {
  ORDERED: ["FULL"],
  FULL: ["EMPTY", "SPILLED"],
  EMPTY: [],
  SPILLED: [],
};

test("a record moves where its lifecycle says, and nowhere else", () => {
  const allowed = statesOf(cup).flatMap((from) =>
    statesOf(cup)
      .filter((to) => mayBecome(cup, from, to))
      .map((to) => `${from} ${to}`),
  );
  assert.deepEqual(allowed, ["ORDERED FULL", "FULL EMPTY", "FULL SPILLED"]);
});

test("a payment's states and changes are those that merchants are told of", () => {
  assert.deepEqual(lifecycles["payment"], {
    PROCESSING: ["PENDING", "SUCCESS", "FAIL", "CANCELLED"],
    PENDING: ["SUCCESS", "FAIL"],
    SUCCESS: ["CANCELLED"],
    FAIL: [],
    CANCELLED: [],
  });
});

test("no lifecycle leads to a state that it does not describe, or back to the same one", () => {
  for (const [noun, lifecycle] of Object.entries(lifecycles)) {
    for (const [from, exits] of Object.entries(lifecycle)) {
      const strange = exits.filter((to) => to === from || !statesOf(lifecycle).includes(to));
      assert.deepEqual(strange, [], `${noun} ${from}`);
      assert.equal(new Set(exits).size, exits.length, `${noun} ${from}`);
    }
  }
});

test("the diagram has an arrow for each change", () => {
  assert.equal(
    toMermaid(cup),
    ["stateDiagram-v2", "  ORDERED --> FULL", "  FULL --> EMPTY", "  FULL --> SPILLED"].join("\n"),
  );
});

test("the database's guard is made from the same table", () => {
  const guard = toTransitionGuard("cup", cup);
  assert.match(guard, /^create or replace function cup_follows_its_lifecycle\(\) returns trigger$/m);
  assert.deepEqual(guard.match(/\('\w+', '\w+'\)/g), [
    "('ORDERED', 'FULL')",
    "('FULL', 'EMPTY')",
    "('FULL', 'SPILLED')",
  ]);
});
