import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { orderText } from "../../test/examples/order-texts.ts";
import { holdsCardNumber } from "./card-number.ts";

// A million of them are asked in card-number.load.ts.
test("texts about orders are not taken for card numbers", (t) => {
  const count = 20_000;
  const refused = Array.from({ length: count }, () => orderText((below) => randomInt(below))).filter(
    holdsCardNumber,
  );
  t.diagnostic(`${refused.length} of ${count} were refused`);
  assert.ok(refused.length <= 2, refused.join("\n"));
});
