import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCsvLine, escapeFormula } from "./csv-line.ts";

test("a cell is quoted only if it needs quotation marks", () => {
  assert.equal(
    formatCsvLine(["a", "b,c", 'say "no"', "two\nlines", "-12.50", ""]),
    'a,"b,c","say ""no""","two\nlines",-12.50,\r\n',
  );
});

test("text of other people that begins like a formula is escaped", () => {
  assert.equal(escapeFormula("=1+1"), "'=1+1");
  assert.equal(escapeFormula("＝1"), "'＝1");
  assert.equal(escapeFormula("two coffees"), "two coffees");
});

test("a formula after characters that a spreadsheet trims or does not show is text", () => {
  const fronts = [
    " ",
    "\u00a0",
    "\u200b",
    "\ufeff",
    "\u00ad",
    "\u3000",
    "\u2800",
    "\u034f",
    "\u3164",
    "\u0000",
  ];
  for (const front of [...fronts, fronts.join("")])
    for (const sign of ["=", "+", "-", "@", "＝", "﹦", "−"]) {
      const cell = `${front}${sign}1`;
      assert.equal(escapeFormula(cell), `'${cell}`, JSON.stringify(cell));
    }
  for (const cell of [" two coffees", "\u200b1+1", "a =1", " ", ""]) assert.equal(escapeFormula(cell), cell);
});
