import assert from "node:assert/strict";
import { test } from "node:test";
import { barsPicture, code128, startC, stop, symbols } from "./code-128.ts";

const widthOf = (widths: string): number => widths.split("").reduce((sum, width) => sum + Number(width), 0);
const barsOf = (widths: string): number =>
  widthOf(
    widths
      .split("")
      .filter((_, index) => index % 2 === 0)
      .join(""),
  );

test("every symbol is 11 modules wide, with an even number of black modules, and is unique", () => {
  assert.equal(symbols.length, 106);
  assert.equal(new Set(symbols).size, 106);
  for (const symbol of symbols) {
    assert.equal(widthOf(symbol), 11, symbol);
    assert.equal(barsOf(symbol) % 2, 0, symbol);
  }
  assert.equal(widthOf(stop), 13);
});

test("the bars of a code are equal to a calculation by hand", () => {
  // 105 + 1 × 12 + 2 × 34 = 185, and 185 mod 103 = 82.
  assert.equal(code128("1234"), ["211232", "112232", "131123", "121241", "2331112"].join(""));
});

test("the picture is white, with a bar for every second width and a quiet zone on both sides", () => {
  const digits = "281000028312907745120953";
  const picture = barsPicture(digits, "A code");
  assert.match(picture, /viewBox="0 0 187 60"/);
  const bars = [...picture.matchAll(/M(\d+) 0h(\d+)v60/g)]
    .slice(1)
    .map(([, x, width]) => [Number(x), Number(width)]);
  assert.equal(bars.length, Math.ceil(code128(digits).length / 2));
  assert.equal(bars[0]?.[0], 10);
  assert.equal((bars.at(-1)?.[0] ?? 0) + (bars.at(-1)?.[1] ?? 0), 177);
  assert.ok(code128(digits).startsWith(symbols[startC] ?? "x"));
});

test("an odd number of digits, or any other character, fails an assertion", () => {
  for (const text of ["123", "", "12a4"]) assert.throws(() => code128(text), /pairs of digits/);
});
