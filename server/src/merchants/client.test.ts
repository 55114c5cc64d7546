import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { isWellFormedClientId, newClientId, sandboxPrefix } from "./client.ts";

const dice = fc.func(fc.nat()).map((fall) => (below: number) => fall(below) % below);
/** Dice that show every face in turn. */
function everyFace(): (below: number) => number {
  let next = -1;
  return (below) => {
    next += 1;
    return next % below;
  };
}

test("a client id of the sandbox says so, and one of live does not", () => {
  fc.assert(
    fc.property(dice, (randomBelow) => {
      assert.match(newClientId("sandbox", randomBelow), /^SANDBOX_[0-9A-Z]{16}$/);
      assert.match(newClientId("live", randomBelow), /^[0-9A-Z]{16}$/);
    }),
  );
});

test("a client id spells no word, and can be read aloud", () => {
  const randomBelow = everyFace();
  const ids = newClientId("live", randomBelow) + newClientId("live", randomBelow);
  assert.equal(new Set(ids).size, 30);
  assert.doesNotMatch(ids, /[AEIOUL]/);
});

test("every client id that we give is one that we take", () => {
  fc.assert(
    fc.property(fc.constantFrom("sandbox", "live"), dice, (environment, randomBelow) =>
      isWellFormedClientId(newClientId(environment, randomBelow)),
    ),
  );
});

for (const [clientId, wellFormed] of [
  ["A", true],
  ["a_b_C_1", true],
  ["X".repeat(64), true],
  ["X".repeat(65), false],
  ["", false],
  ["with blank", false],
  ["dash-dash", false],
  ["5J5XSU7Y2Y182W01981\n", false],
  ["Ä", false],
  ["a,b", false],
  ["{A}", false],
] as const) {
  test(`${JSON.stringify(clientId)} is ${wellFormed ? "" : "not "}a client id`, () => {
    assert.equal(isWellFormedClientId(clientId), wellFormed);
  });
}

test("the prefix is what the interface says", () => assert.equal(sandboxPrefix, "SANDBOX_"));
