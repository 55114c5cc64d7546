import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { replaceMissing, runsOf, wrapText } from "./text-runs.ts";

const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "12",
        ".",
        " ",
        "(",
        ")",
        "ال",
        "لا",
        "قهوة",
        "น้ำ",
        "咖啡",
        "コ",
        "한국",
        "Łódź",
        "a\u0301",
        "\u200D",
        "😀",
      ),
      fc.string({ unit: "binary", maxLength: 3 }),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(""));

test("runs contain every visible character of any text once", () => {
  const sorted = (text: string): string => Array.from(text.normalize("NFC")).toSorted().join("");
  const mirrored = /[\p{Bidi_Mirrored}\u00AD\u061C\u200B-\u200F\u2060]|\p{Variation_Selector}/gu;
  fc.assert(
    fc.property(texts, (text) => {
      const shown = replaceMissing(text, new Set());
      const drawn = runsOf(shown).map((run) => run.text);
      assert.equal(sorted(drawn.join("").replaceAll(mirrored, "")), sorted(shown.replaceAll(mirrored, "")));
    }),
    // This example was a bug: a control character becomes its code point in brackets, and the Arabic mark after it
    // combines with the bracket.
    { numRuns: 300, examples: [["\u0000\u0610"]] },
  );
});

test("lines are at most as wide as allowed, and together are the text", () => {
  const measure = (text: string): number => text.length;
  fc.assert(
    fc.property(texts, fc.integer({ min: 40, max: 60 }), (text, width) => {
      const lines = wrapText(text, width, measure);
      const bare = (all: string): string => all.replaceAll(/\s/g, "");
      assert.equal(bare(lines.join("")), bare(text));
      for (const line of lines) assert.ok(measure(line) <= width, line);
    }),
    { numRuns: 300 },
  );
});

test("digits in Arabic text stay from left to right, and brackets are mirrored", () => {
  const runs = runsOf("a قهوة (12) b");
  assert.deepEqual(
    runs.map(({ text, isRightToLeft }) => [text, isRightToLeft]),
    [
      ["a ", false],
      ["(", true],
      ["12", false],
      [")", true],
      ["قهوة ", true],
      [" b", false],
    ],
  );
});
