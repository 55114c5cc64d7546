import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { part1 } from "./testing/interface-part-1.ts";
import { part2 } from "./testing/interface-part-2.ts";
import { part3 } from "./testing/interface-part-3.ts";
import { part4 } from "./testing/interface-part-4.ts";
import { part5 } from "./testing/interface-part-5.ts";
import { part6 } from "./testing/interface-part-6.ts";
import { part7 } from "./testing/interface-part-7.ts";
import { part9 } from "./testing/interface-part-9.ts";
import { isProven, isShown } from "./testing/interface-statements.ts";
import { startWorld } from "./testing/interface-world.ts";

/**
 * How many statements wait for something that is not built yet. A ratchet: this number only ever falls. A
 * change that shows a statement lowers it, and no statement that was shown goes back to waiting.
 */
const waitingNow = 2;

const statements = [...part1, ...part2, ...part3, ...part4, ...part5, ...part6, ...part7, ...part9];

const document = await readFile(new URL("../../docs/interface.md", import.meta.url), "utf8");
const numbers = [...document.matchAll(/^- \*\*(\d+\.\d+)\*\* /gm)].map(([, number]) => number);

// Started before the first test is registered: a test that ends while no other is registered would end the run.
const world = await startWorld();

test("every statement of the interface has one entry here, and every entry is a statement", () => {
  assert.deepEqual(
    statements.map(({ number }) => number),
    numbers,
  );
});

let shownCount = 0;

for (const statement of statements) {
  const name = `${statement.number} ${statement.says}`;
  if (isProven(statement)) {
    test(`${name}, in ${statement.provenIn}`, async () => {
      const proof = await readFile(new URL(statement.provenIn, import.meta.url), "utf8");
      assert.match(proof, new RegExp(String.raw`\b${statement.number.replace(".", String.raw`\.`)}\b`));
      shownCount += 1;
    });
    continue;
  }
  if (!isShown(statement)) {
    test(name, { todo: `waits for ${statement.waitsFor}` });
    continue;
  }
  test(name, async () => {
    await statement.proof(world);
    shownCount += 1;
  });
}

test("no more statements wait than before", (context) => {
  const waitingCount = statements.filter((each) => !isShown(each) && !isProven(each)).length;
  context.diagnostic(`interface: ${numbers.length} statements, ${shownCount} shown, ${waitingCount} waiting`);
  assert.equal(waitingCount, waitingNow);
});
