import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { type JsonValue, parseStrictJson, lineAndColumn } from "./strict-json.ts";

const problems = {
  utf8: "The body is not valid UTF-8.",
  byteOrderMark: "The body starts with a byte order mark.",
  depth: "The body is nested more than 32 levels deep.",
  members: "The body has more than 10000 members.",
  control: "A string holds a control character that is not escaped.",
  escape: "A string holds an escape that JSON does not know.",
  hexadecimal: "A \\u escape needs four hexadecimal digits.",
  nul: "A string holds the character NUL.",
  surrogate: "A string holds half of a surrogate pair.",
  inString: "The body ends inside a string.",
  inexact: "A number is too large to be exact; send it as a string.",
  zero: "A number starts with a superfluous zero.",
  fraction: "A number has no digit after its decimal point.",
  exponent: "A number has no digit in its exponent.",
  commaBrace: "A comma stands before a closing brace.",
  commaBracket: "A comma stands before a closing bracket.",
} as const;

const twice = (key: string) => `The key "${key}" stands twice in one object.`;
const forbidden = (key: string) => `The key "${key}" is not allowed.`;
const noValue = (found: string) => `Expected a value, but found ${found}.`;
const noKey = (found: string) => `Expected a key in double quotes, but found ${found}.`;

const rejectedBodies: readonly (readonly [
  name: string,
  body: string | Uint8Array,
  problem: string,
  at: number,
])[] = [
  ["nothing at all", "", noValue("the end of the body"), 0],
  ["white space alone", " \n", noValue("the end of the body"), 2],
  ["a second value", '{"a":1} {"a":2}', 'The body goes on after its value, with "{".', 8],
  ["a value cut short", '{"a":', noValue("the end of the body"), 5],
  ["an object cut short", '{"a":1', "Expected a comma or a closing brace, but found the end of the body.", 6],
  ["an array cut short", "[1", "Expected a comma or a closing bracket, but found the end of the body.", 2],
  ["a key cut short", '{"a', problems.inString, 3],
  ["a string cut short after an escape", '"a\\nb', problems.inString, 5],
  ["a missing colon", '{"a" 1}', 'Expected a colon after a key, but found "1".', 5],
  [
    "a missing comma in an object",
    '{"a":1 "b":2}',
    'Expected a comma or a closing brace, but found "\\"".',
    7,
  ],
  ["a missing comma in an array", "[1 2]", 'Expected a comma or a closing bracket, but found "2".', 3],
  ["the wrong closing brace", "[1}", 'Expected a comma or a closing bracket, but found "}".', 2],

  ["a duplicate key", '{"amount":1,"amount":2}', twice("amount"), 12],
  ["a duplicate key with a digit", '{"line9":1,"line9":2}', twice("line9"), 11],
  ["a duplicate key with the same value", '{"amount":1,"amount":1}', twice("amount"), 12],
  ["a duplicate key whose value is null", '{"amount":null,"amount":null}', twice("amount"), 15],
  ["a duplicate key two levels down", '{"order":{"goods":{"id":1,"id":2}}}', twice("id"), 26],
  ["a duplicate key inside an array", '[[{"id":1,"id":2}]]', twice("id"), 10],
  ["a duplicate key, once written with an escape", '{"a":1,"\\u0061":2}', twice("a"), 7],
  ["a duplicate of a key that all objects inherit", '{"toString":1,"toString":2}', twice("toString"), 14],
  [
    "a duplicate key that is content, without repeating it",
    '{"é x":1,"é x":2}',
    "A key stands twice in one object.",
    10,
  ],
  [
    "a duplicate key with many digits, without repeating it",
    '{"a411111":1,"a411111":2}',
    "A key stands twice in one object.",
    13,
  ],
  ["the key __proto__", '{"__proto__":{"admin":true}}', forbidden("__proto__"), 1],
  ["the key __proto__ deep in the body", '{"a":[{"__proto__":1}]}', forbidden("__proto__"), 7],
  ["the key __proto__ with an escape", '{"\\u005f_proto__":1}', forbidden("__proto__"), 1],
  ["the key constructor", '{"constructor":1}', forbidden("constructor"), 1],
  ["the key prototype", '{"prototype":1}', forbidden("prototype"), 1],

  ["33 levels of arrays", "[".repeat(33) + "]".repeat(33), problems.depth, 32],
  ["33 levels of objects", '{"a":'.repeat(33) + "1" + "}".repeat(33), problems.depth, 160],
  ["a million levels", "[".repeat(1_000_000), problems.depth, 32],
  ["10,001 elements", JSON.stringify(Array.from({ length: 10_001 }, () => 1)), problems.members, 20_001],
  ["100,000 members", JSON.stringify(objectWithKeys(100_000)), problems.members, 98_891],
  [
    "10,001 members spread over objects",
    JSON.stringify(Array.from({ length: 5_001 }, () => ({ a: 1 }))),
    problems.members,
    40_001,
  ],

  ["an integer above 2^53", "9007199254740993", problems.inexact, 0],
  ["an integer below -2^53", "[-9007199254740992]", problems.inexact, 1],
  ["a large integer in exponent form", "1e16", problems.inexact, 0],
  ["a number beyond all bounds", "1e400", problems.inexact, 0],
  ["a negative number beyond all bounds", "-1e400", problems.inexact, 0],
  ["a leading zero", "01", problems.zero, 0],
  ["a leading zero after a minus", "-01.5", problems.zero, 0],
  ["a hexadecimal number", "0x10", 'The body goes on after its value, with "x".', 1],
  ["a plus sign", "+1", noValue('"+"'), 0],
  ["a minus alone", "-", noValue('"-"'), 0],
  ["a number without a whole part", ".5", noValue('"."'), 0],
  ["a number without a fraction", "[1.]", problems.fraction, 1],
  ["a number without an exponent", "1e", problems.exponent, 0],
  ["a number with the sign of an exponent only", "1E+", problems.exponent, 0],
  ["NaN", "NaN", noValue('"N"'), 0],
  ["Infinity", '{"a":-Infinity}', noValue('"-"'), 5],
  ["a word in capitals", "True", noValue('"T"'), 0],
  ["a word cut short", "nul", noValue('"n"'), 0],
  ["a word that goes on", "falsely", 'The body goes on after its value, with "l".', 5],
  ["undefined", "undefined", noValue('"u"'), 0],

  ["a line comment", '{"a":1}// x', 'The body goes on after its value, with "/".', 7],
  ["a block comment", '{/* x */"a":1}', noKey('"/"'), 1],
  ["a trailing comma in an object", '{"a":1,}', problems.commaBrace, 7],
  ["a trailing comma in an array", "[1, ]", problems.commaBracket, 4],
  ["a comma alone", "[,]", noValue('","'), 1],
  ["single quotes", "{'a':1}", noKey('"\'"'), 1],
  ["a key without quotes", "{a:1}", noKey('"a"'), 1],
  ["a number as a key", "{1:1}", noKey('"1"'), 1],
  ["an emoji out of place", "[😀]", noValue('"😀"'), 1],
  ["a non-breaking space between tokens", "[\u00a01]", noValue('"\u00a0"'), 1],
  ["a form feed between tokens", "[\f1]", noValue('"\\f"'), 1],

  ["a line feed in a string", '"a\nb"', problems.control, 2],
  ["a tab in a string after an escape", '"\\nab\t"', problems.control, 5],
  ["a raw NUL in a string", '"a\u0000"', problems.control, 2],
  ["a raw NUL in a key", '{"a\u0000":1}', problems.control, 3],
  ["an escaped NUL in a string", '"a\\u0000"', problems.nul, 2],
  ["an escaped NUL in a key", '{"\\u0000":1}', problems.nul, 2],
  ["a NUL between tokens", "[\u0000]", noValue('"\\u0000"'), 1],
  ["an unknown escape", '"\\x41"', problems.escape, 1],
  ["an escape cut short", '"\\', problems.escape, 1],
  ["a \\u escape with three digits", '"\\u12"', problems.hexadecimal, 1],
  ["a \\u escape with a sign", '"\\u+123"', problems.hexadecimal, 1],
  ["a \\u escape in capitals", '"\\U0041"', problems.escape, 1],
  ["half a surrogate pair", '"\\ud83d"', problems.surrogate, 0],
  ["the other half", '["é","\\ude00"]', problems.surrogate, 6],
  ["a surrogate pair in the wrong order", '"\\ude00\\ud83d"', problems.surrogate, 0],
  ["half a surrogate pair in a key", '{"\\ud83d":1}', problems.surrogate, 1],

  ["a byte order mark", "\ufeff{}", problems.byteOrderMark, 0],
  ["UTF-16", Buffer.from('{"a":1}', "utf16le"), noKey('"\\u0000"'), 1],
  ["UTF-16 with a byte order mark", Buffer.from("\ufeff{}", "utf16le"), problems.utf8, 0],
  ["Latin-1", Buffer.from('{"a":"é"}', "latin1"), problems.utf8, 6],
  ["overlong UTF-8", bytes('"é€😀', 0xc0, 0xaf), problems.utf8, 10],
  ["truncated UTF-8", bytes('"', 0xe2, 0x82), problems.utf8, 1],
  ["an invalid byte after the first character of two bytes", bytes('"\u0080', 0xff), problems.utf8, 3],
  ["an invalid byte after the first character of three bytes", bytes('"\u0800', 0xff), problems.utf8, 4],
  ["an invalid byte after the first character of four bytes", bytes('"\u{10000}', 0xff), problems.utf8, 5],
  ["a surrogate in UTF-8", bytes('"', 0xed, 0xa0, 0x80, 0x22), problems.utf8, 1],
  ["a character beyond Unicode", bytes('"', 0xf4, 0x90, 0x80, 0x80), problems.utf8, 1],
  ["an invalid byte after a replacement character that is valid", bytes('"\ufffd', 0xff), problems.utf8, 4],
];

for (const [name, body, problem, at] of rejectedBodies) {
  test(`a body is rejected for ${name}`, () => {
    assert.deepEqual(parseStrictJson(Buffer.from(body)), { problem, at });
  });
}

const accepted: readonly (readonly [name: string, body: string, value: JsonValue])[] = [
  ["an empty object", "{}", {}],
  ["an empty array with white space", " [ \t\r\n] ", []],
  ["an object with white space everywhere", ' { "a" : [ 1 , 2 ] , "b" : null } ', { a: [1, 2], b: null }],
  ["a word alone", "true", true],
  ["all words", "[true,false,null]", [true, false, null]],
  ["all escapes", '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9z"', '"\\/\b\f\n\r\tA\u00e9z'],
  ["a space after an escape", '"\\n x"', "\n x"],
  ["an escaped surrogate pair", '"\\uD83D\\uDE00"', "😀"],
  ["emoji, right-to-left and zero-width characters, unchanged", '"😀\u202e\u200b"', "😀\u202e\u200b"],
  ["line separators in a string", '"\u2028\u2029"', "\u2028\u2029"],
  ["a byte order mark inside a string", '"\ufeff"', "\ufeff"],
  ["a replacement character that was sent", '"\ufffd"', "\ufffd"],
  ["the delete character", '"\u007f"', "\u007f"],
  ["two keys that differ in normal form only", '{"\u00e9":1,"e\u0301":2}', { "\u00e9": 1, "e\u0301": 2 }],
  ["the same key in two objects", '{"a":{"id":1},"b":{"id":2}}', { a: { id: 1 }, b: { id: 2 } }],
  ["the names of forbidden keys as values", '["__proto__","constructor"]', ["__proto__", "constructor"]],
  [
    "the largest safe integers",
    "[9007199254740991,-9007199254740991]",
    [9007199254740991, -9007199254740991],
  ],
  ["fractions and exponents", "[0.5,-1.25,1e3,1E+2,25e-1,0e0,1.0]", [0.5, -1.25, 1000, 100, 2.5, 0, 1]],
  ["a number too small to tell from zero", "-1e-400", 0],
  ["minus zero, as zero", "[-0,-0.0]", [0, 0]],
  ["an empty key", '{"":1}', { "": 1 }],
];

for (const [name, body, value] of accepted) {
  test(`a body is accepted with ${name}`, () =>
    assert.deepEqual(parseStrictJson(Buffer.from(body)), { value }));
}

test("keys of Object.prototype are ordinary keys", () => {
  const body = '{"toString":"a","hasOwnProperty":"b","valueOf":null}';
  assert.deepEqual(parseStrictJson(Buffer.from(body)), { value: JSON.parse(body) });
});

test("a body at every limit is accepted", () => {
  for (const body of [
    "[".repeat(32) + "]".repeat(32),
    '{"a":'.repeat(32) + "1" + "}".repeat(32),
    JSON.stringify(Array.from({ length: 10_000 }, () => 1)),
    JSON.stringify(objectWithKeys(10_000)),
    JSON.stringify("x".repeat(10_000_000)),
  ]) {
    assert.deepEqual(parseStrictJson(Buffer.from(body)), { value: JSON.parse(body) });
  }
});

test("a body in the middle of a buffer is parsed from its offset", () => {
  assert.deepEqual(parseStrictJson(Buffer.from('xx{"a":1}xx').subarray(2, 9)), { value: { a: 1 } });
});

const permittedText = fc
  .string({ unit: "binary" })
  .filter((text) => text.isWellFormed() && !text.includes("\0"));
const permittedKey = fc
  .oneof(permittedText, fc.constantFrom("amount", "toString", "0", "a.b"))
  .filter((key) => !["__proto__", "constructor", "prototype"].includes(key));
const permittedNumber = fc
  .oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .filter((number) => !Number.isInteger(number) || Number.isSafeInteger(number));
const permittedValue: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.constant(null),
    fc.boolean(),
    permittedNumber,
    permittedText,
    fc.array(tie("value")),
    fc.dictionary(permittedKey, tie("value"), { noNullPrototype: true }),
  ),
})).value;

test("every value within the rules is parsed as by JSON.parse, in any layout", () => {
  fc.assert(
    fc.property(permittedValue, fc.constantFrom(undefined, "\t", " \r\n"), (value, indent) => {
      const body = JSON.stringify(value, undefined, indent);
      assert.deepEqual(parseStrictJson(Buffer.from(body)), { value: JSON.parse(body) });
    }),
    { numRuns: 500 },
  );
});

/** Damages a body by replacing a piece, so that most results are almost JSON. */
const damage = fc.record({
  from: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat({ max: 4 }),
  insert: fc.oneof(
    fc.constantFrom('"', "\\", "{", "}", "[", "]", ",", ":", "-", "0", "1e400", ".", "e", "\\u", "\\ud800"),
    fc.constantFrom(
      "",
      " ",
      "\n",
      "\u0000",
      "\ufeff",
      "null",
      '"amount":1,',
      '"__proto__":1,',
      "9007199254740993",
    ),
    fc.string({ unit: "binary", maxLength: 3 }),
  ),
});

test("a damaged body is never parsed differently from JSON.parse, and the named problem is true", () => {
  fc.assert(
    fc.property(permittedValue, fc.array(damage, { minLength: 1, maxLength: 3 }), (value, damages) => {
      let body = JSON.stringify(value);
      for (const { from, length, insert } of damages) {
        const at = Math.floor(from * body.length);
        body = body.slice(0, at) + insert + body.slice(at + length);
      }
      checkAgainstJsonParse(Buffer.from(body));
    }),
    { numRuns: 3000 },
  );
});

test("arbitrary bytes are rejected, or parsed as by JSON.parse", () => {
  const damagedBytes = fc
    .tuple(permittedValue, fc.nat(), fc.uint8Array({ maxLength: 3 }))
    .map(([value, at, insert]) => {
      const body = Buffer.from(JSON.stringify(value));
      return Buffer.concat([body.subarray(0, at % body.length), insert, body.subarray(at % body.length)]);
    });
  fc.assert(fc.property(fc.oneof(fc.uint8Array(), damagedBytes), checkAgainstJsonParse), { numRuns: 3000 });
});

/** Problems by rules beyond the JSON grammar. JSON.parse must reject a body with any other problem, too. */
const rules = /stands twice|is not allowed|surrogate|NUL|too large to be exact|levels deep|members/;

function checkAgainstJsonParse(body: Uint8Array): void {
  const result = parseStrictJson(body);
  const parsed = jsonParse(body);
  if ("value" in result) {
    assert.deepEqual(result.value, parsed);
  } else {
    assert.ok(result.at >= 0 && result.at <= body.length);
    assert.ok(parsed === undefined || rules.test(result.problem), result.problem);
  }
}

function jsonParse(body: Uint8Array): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    return JSON.parse(text, (_key, value: unknown) => (value === 0 ? 0 : value));
  } catch {
    return undefined;
  }
}

function bytes(text: string, ...rest: readonly number[]): Uint8Array {
  return Buffer.concat([Buffer.from(text), Buffer.from(rest)]);
}

function objectWithKeys(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
}

for (const [body, at, line, column] of [
  ['{"a":1,}', 7, 1, 8],
  ['{\n  "a": 1,\n}', 12, 3, 1],
  ['{\r\n"a":x', 7, 2, 5],
  ['{"é€💶":x', 13, 1, 8],
  ["", 0, 1, 1],
] as const) {
  test(`byte ${at} of ${JSON.stringify(body)} is at line ${line}, column ${column}`, () => {
    assert.deepEqual(lineAndColumn(Buffer.from(body), at), { line, column });
  });
}
