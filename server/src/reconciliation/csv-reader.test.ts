import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { newCsvReader, type CsvRecord } from "./csv-reader.ts";

function read(pieces: readonly string[], recordLengthMax = 100): readonly CsvRecord[] {
  const reader = newCsvReader(recordLengthMax);
  return [...pieces.flatMap((piece) => reader.read(piece)), ...reader.end()];
}

const fieldsOf = (text: string): readonly (readonly string[])[] => read([text]).map(({ fields }) => fields);

const well: readonly (readonly [what: string, text: string, fields: readonly (readonly string[])[]])[] = [
  [
    "a line feed ends a record",
    "a,b\nc,d\n",
    [
      ["a", "b"],
      ["c", "d"],
    ],
  ],
  [
    "so does a carriage return with one",
    "a,b\r\nc,d\r\n",
    [
      ["a", "b"],
      ["c", "d"],
    ],
  ],
  [
    "the last record needs no end",
    "a,b\nc,d",
    [
      ["a", "b"],
      ["c", "d"],
    ],
  ],
  [
    "a field may be empty",
    ",\n,",
    [
      ["", ""],
      ["", ""],
    ],
  ],
  ["a quoted field may hold anything", '"a,""b""\r\nc",d\n', [['a,"b"\r\nc', "d"]]],
  ["and be empty, or the last", '"",""', [["", ""]]],
  ["a line with nothing in it is a record with one empty field", "a\n\nb\n", [["a"], [""], ["b"]]],
  ["nothing is no record", "", []],
];

for (const [description, text, fields] of well)
  test(description, () => assert.deepEqual(fieldsOf(text), fields));

const broken: readonly (readonly [what: string, text: string, problem: RegExp])[] = [
  ["a quotation mark inside of a field", 'a,b\nc,d"e\n', /^Line 2: An unquoted field contains/],
  ["a quotation mark that is not closed", 'a,b\n"c,d\n', /^Line 2: A quotation mark is not closed/],
  ["text behind a closing mark", 'a,b\n"c"d\n', /^Line 2: There is text after/],
  ["a carriage return alone", "a,b\nc\rd\n", /^Line 2: There is a carriage return/],
  ["a carriage return as the last sign", "a,b\nc\r", /^Line 2: There is a carriage return/],
  ["a record without end", `a,b\n${"c".repeat(101)}`, /^Line 2: The record is longer than 100/],
  ["a quoted field without end", `a,b\n"${"c,\n".repeat(40)}`, /^Line 2: /],
];

for (const [description, text, problem] of broken) {
  test(`a file is rejected with its line number, for ${description}`, () => {
    assert.throws(() => fieldsOf(text), { name: "FileProblem", message: problem });
  });
}

test("records are numbered by their first line", () => {
  assert.deepEqual(
    read(['a\n"b\nb\nb"\nc']).map(({ line }) => line),
    [1, 2, 5],
  );
});

test("parsing returns the written records, wherever the file is split into chunks", () => {
  const field = fc.string({ unit: fc.constantFrom("a", ",", '"', "\r", "\n", "é", " "), maxLength: 6 });
  const table = fc.array(fc.array(field, { minLength: 1, maxLength: 3 }), { maxLength: 5 });
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  fc.assert(
    fc.property(table, fc.constantFrom("\n", "\r\n"), fc.integer({ min: 1, max: 7 }), (rows, end, size) => {
      const text = rows.map((row) => row.map(quoted).join(",") + end).join("");
      const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
      assert.deepEqual(
        read(pieces).map(({ fields }) => fields),
        rows,
      );
    }),
  );
});
