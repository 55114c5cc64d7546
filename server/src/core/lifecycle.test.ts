import assert from "node:assert/strict";
import { test } from "node:test";
import { lifecycles, transitionCauses } from "../api/lifecycles.ts";
import { finalityInWords, statusTables } from "../api/statuses.ts";
import {
  finalityOf,
  mayBecome,
  statesOf,
  toMermaid,
  toTransitionGuard,
  type Lifecycle,
} from "./lifecycle.ts";

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

test("the diagram has an arrow for each change, labels for named causes, and ends for final states", () => {
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

test("a status is final without exits, or unless the named causes of all exits happen", () => {
  const causes = { "FULL EMPTY": "the guest drinks it", "FULL SPILLED": "the guest spills it" };
  assert.equal(finalityOf(cup, "EMPTY", causes), "final");
  assert.equal(finalityOf(cup, "ORDERED", causes), "not final");
  assert.deepEqual(finalityOf(cup, "FULL", causes), {
    unless: "the guest drinks it or the guest spills it",
  });
  assert.equal(finalityOf(cup, "FULL", { "FULL EMPTY": "the guest drinks it" }), "not final");
});

test("every named cause is of a transition that exists", () => {
  for (const [noun, causes] of Object.entries(transitionCauses)) {
    const lifecycle = lifecycles[noun] ?? assert.fail(noun);
    for (const transition of Object.keys(causes)) {
      const [from = "", to = ""] = transition.split(" ");
      assert.ok(mayBecome(lifecycle, from, to), `${noun} ${transition}`);
    }
  }
});

test("the page about statuses has every status with a meaning, and says of a payment which are final", () => {
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
    payment?.rows.map(({ status, finality }) => [status, finalityInWords(finality)]),
    [
      ["PROCESSING", "no"],
      ["PENDING", "no"],
      ["SUCCESS", "yes, unless the merchant cancels it"],
      ["FAIL", "yes"],
      ["CANCELLED", "yes"],
    ],
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
