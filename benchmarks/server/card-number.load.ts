import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { randomOrderText } from "../../server/test/examples/order-texts.ts";
import { containsCardNumber } from "../../server/src/core/card-number.ts";

const count = 1_000_000;
const refusedMax = 10;

test("of a million texts about orders, almost none is detected as a card number", (t) => {
  const refused: string[] = [];
  for (let each = 0; each < count; each += 1) {
    const text = randomOrderText((below) => randomInt(below));
    if (containsCardNumber(text)) refused.push(text);
  }
  t.diagnostic(`${refused.length} of ${count} were refused`);
  for (const text of refused.slice(0, 20)) t.diagnostic(text);
  assert.ok(refused.length <= refusedMax, `${refused.length} were refused.`);
});
