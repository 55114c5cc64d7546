import assert from "node:assert/strict";
import { test } from "node:test";
import { csvLine, csvStart } from "../src/export/csv.ts";

test("a cell that a spreadsheet would run as a formula is escaped (CSV injection)", () => {
  for (const cell of [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "＝1",
    "－1",
    " =1",
    "\u00a0=1",
    "\u200b+1",
    "\ufeff\u3000@a",
    "\u2800−1",
  ])
    assert.equal(csvLine([cell]), `"'${cell}"\r\n`, JSON.stringify(cell));
  assert.equal(csvLine(["1+1", "a=b", "12.50", " a", ""]), '"1+1","a=b","12.50"," a",""\r\n');
});

test("quotes, commas and line breaks stay within their cell", () => {
  assert.equal(csvLine(['a "b", c', "one\ntwo"]), '"a ""b"", c","one\ntwo"\r\n');
  // An unescaped quote would end the cell, and the next cell could begin with a formula.
  assert.equal(csvLine(['","=1']), '""",""=1"\r\n');
});

test("a file begins with the byte order mark that Excel needs for UTF-8", () => {
  assert.deepEqual([...Buffer.from(csvStart)], [0xef, 0xbb, 0xbf]);
});
