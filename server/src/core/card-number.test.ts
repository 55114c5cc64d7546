import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { randomOrderText } from "../../test/examples/order-texts.ts";
import { containsCardNumber } from "./card-number.ts";

// This test checks random texts about orders. card-number.load.ts checks a million of them.
test("texts about orders are not taken for card numbers", (t) => {
  const count = 20_000;
  const refused = Array.from({ length: count }, () => randomOrderText((below) => randomInt(below))).filter(
    containsCardNumber,
  );
  t.diagnostic(`${refused.length} of ${count} were refused`);
  // About 30 of a million such texts are refused. Without a mistake, this test fails once in 200,000 runs.
  assert.ok(refused.length <= 7, refused.join("\n"));
});

test("a long text is checked in linear time, with any separators between its digits", () => {
  const length = 100_000;
  for (const part of [
    "7",
    "7    ",
    "7x",
    "7 x ",
    "4111----",
    "4111x",
    "4111    x",
    "x77777    ",
    "7\u00e9",
    "7\u2009",
  ]) {
    const text = part.repeat(length / part.length);
    const began = performance.now();
    containsCardNumber(text);
    assert.ok(performance.now() - began < 1_000, JSON.stringify(part));
  }
});
