import assert from "node:assert/strict";
import { test } from "node:test";
import { lifecycles, transitionCauses } from "../catalog/lifecycles.ts";
import { formatFinality, statusTables } from "../catalog/statuses.ts";
import {
  finalityOf,
  canTransition,
  statesOf,
  toMermaid,
  toTransitionGuard,
  type Lifecycle,
} from "./lifecycle.ts";

/** The lifecycle of a cup of coffee: it may be spilled while it is full, and is never refilled. */
const cup: Lifecycle<"ORDERED" | "FULL" | "EMPTY" | "SPILLED"> = {
  ORDERED: ["FULL"],
  FULL: ["EMPTY", "SPILLED"],
  EMPTY: [],
  SPILLED: [],
};

test("a record changes only along the transitions of its lifecycle", () => {
  const allowed = statesOf(cup).flatMap((from) =>
    statesOf(cup)
      .filter((to) => canTransition(cup, from, to))
      .map((to) => `${from} ${to}`),
  );
  assert.deepEqual(allowed, ["ORDERED FULL", "FULL EMPTY", "FULL SPILLED"]);
});

test("a payment's states and transitions are the ones documented for merchants", () => {
  assert.deepEqual(lifecycles["payment"], {
    PROCESSING: ["PENDING", "SUCCESS", "FAIL", "CANCELLED"],
    PENDING: ["SUCCESS", "FAIL"],
    SUCCESS: ["CANCELLED"],
    FAIL: [],
    CANCELLED: [],
  });
});

test("no lifecycle leads to an undefined state, or back to the same one", () => {
  for (const [noun, lifecycle] of Object.entries(lifecycles)) {
    for (const [from, exits] of Object.entries(lifecycle)) {
      const strange = exits.filter((to) => to === from || !statesOf(lifecycle).includes(to));
      assert.deepEqual(strange, [], `${noun} ${from}`);
      assert.equal(new Set(exits).size, exits.length, `${noun} ${from}`);
    }
  }
});

test("the diagram has an arrow for each transition, labels for named causes, and end marks for final states", () => {
  assert.equal(
    toMermaid(cup, { "ORDERED FULL": "the waiter pours it" }),
    [
      "stateDiagram-v2",
      "  ORDERED --> FULL: the waiter pours it",
      "  FULL --> EMPTY",
      "  FULL --> SPILLED",
      "  ORDERED --> [*]",
      "  EMPTY --> [*]",
      "  SPILLED --> [*]",
    ].join("\n"),
  );
});

test("a status is final if it has no transitions, or only transitions with named causes", () => {
  const causes = { "FULL EMPTY": "the guest drinks it", "FULL SPILLED": "the guest spills it" };
  assert.equal(finalityOf(cup, "EMPTY", causes), "final");
  assert.equal(finalityOf(cup, "ORDERED", causes), "not final");
  assert.deepEqual(finalityOf(cup, "FULL", causes), {
    unless: "the guest drinks it or the guest spills it",
  });
  assert.equal(finalityOf(cup, "FULL", { "FULL EMPTY": "the guest drinks it" }), "not final");
});

test("every named cause belongs to an existing transition", () => {
  for (const [noun, causes] of Object.entries(transitionCauses)) {
    const lifecycle = lifecycles[noun] ?? assert.fail(noun);
    for (const transition of Object.keys(causes)) {
      const [from = "", to = ""] = transition.split(" ");
      assert.ok(canTransition(lifecycle, from, to), `${noun} ${transition}`);
    }
  }
});

test("the page about statuses has every status with a meaning, and says which are final", () => {
  for (const { noun, rows } of statusTables) {
    assert.deepEqual(
      rows.map(({ status }) => status),
      statesOf(lifecycles[noun] ?? {}),
      noun,
    );
    for (const { status, means } of rows) assert.notEqual(means, "", `${noun} ${status}`);
  }
  const payment = statusTables.find(({ noun }) => noun === "payment");
  assert.deepEqual(
    payment?.rows.map(({ status, finality }) => [status, formatFinality(finality)]),
    [
      ["PROCESSING", "no"],
      ["PENDING", "no"],
      ["SUCCESS", "yes, unless the merchant cancels it"],
      ["FAIL", "yes"],
      ["CANCELLED", "yes"],
    ],
  );
});

test("the database trigger is generated from the same table", () => {
  const guard = toTransitionGuard("cup", cup);
  assert.match(guard, /^create or replace function cup_follows_its_lifecycle\(\) returns trigger$/m);
  assert.deepEqual(guard.match(/\('\w+', '\w+'\)/g), [
    "('ORDERED', 'FULL')",
    "('FULL', 'EMPTY')",
    "('FULL', 'SPILLED')",
  ]);
});
