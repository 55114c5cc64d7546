import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { costAt, costPage, inputFile, outputPage, rates, readInput } from "./cells-cost.ts";

const input = readInput(inputFile);

test("the page is the output of the command for its input", () => {
  assert.equal(readFileSync(outputPage, "utf8"), costPage(input), "Run `node scripts/cells-cost.ts`.");
});

test("a fleet's cost grows with its rate, and the cost per payment does not", () => {
  const costs = rates.map((rate) => costAt(rate, input));
  for (const [index, cost] of costs.entries()) {
    const before = costs[index - 1];
    if (!before) continue;
    assert.ok(cost.cells > before.cells && cost.diskTb > before.diskTb);
    assert.ok(cost.perMillion <= before.perMillion);
  }
});

test("no cell is planned above its fill limit", () => {
  for (const rate of [1, 799, 800, 801, 99_999]) {
    const { cells } = costAt(rate, input);
    assert.ok(rate / cells <= input.assumed.paymentsPerSecondPerCell, String(rate));
  }
});

test("a double price of a core doubles the cost of cores", () => {
  const dearer = { ...input, prices: { ...input.prices, coreHour: 2 * input.prices.coreHour } };
  assert.equal(costAt(100, dearer).month.cores, 2 * costAt(100, input).month.cores);
});
