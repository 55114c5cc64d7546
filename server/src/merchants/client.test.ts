import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { isWellFormedClientId, newClientId, sandboxPrefix } from "./client.ts";

const randomSource = fc.func(fc.nat()).map((fall) => (below: number) => fall(below) % below);
/** A random source that returns each value in turn. */
function everyFace(): (below: number) => number {
  let next = -1;
  return (below) => {
    next += 1;
    return next % below;
  };
}

test("a client id of the sandbox has the sandbox prefix, and one of live does not", () => {
  fc.assert(
    fc.property(randomSource, (randomBelow) => {
      assert.match(newClientId("sandbox", randomBelow), /^SANDBOX_[0-9A-Z]{16}$/);
      assert.match(newClientId("live", randomBelow), /^[0-9A-Z]{16}$/);
    }),
  );
});

test("a client id contains no word, and can be read aloud", () => {
  const randomBelow = everyFace();
  const ids = newClientId("live", randomBelow) + newClientId("live", randomBelow);
  assert.equal(new Set(ids).size, 30);
  assert.doesNotMatch(ids, /[AEIOUL]/);
});

test("every generated client id is well-formed", () => {
  fc.assert(
    fc.property(fc.constantFrom("sandbox", "live"), randomSource, (environment, randomBelow) =>
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

test("the prefix is that of the interface", () => assert.equal(sandboxPrefix, "SANDBOX_"));
