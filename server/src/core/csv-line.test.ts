import assert from "node:assert/strict";
import { test } from "node:test";
import { csvLine, csvText } from "./csv-line.ts";

test("a cell stands in quotation marks where it needs them, and nowhere else", () => {
  assert.equal(
    csvLine(["a", "b,c", 'say "no"', "two\nlines", "-12.50", ""]),
    'a,"b,c","say ""no""","two\nlines",-12.50,\r\n',
  );
});

test("words of other people that begin like a formula are no formula", () => {
  assert.equal(csvText("=1+1"), "'=1+1");
  assert.equal(csvText("＝1"), "'＝1");
  assert.equal(csvText("two coffees"), "two coffees");
});
