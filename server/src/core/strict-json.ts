/** A JSON value. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** The result of parsing: the value, or the problem as a sentence for a developer, with its byte offset. */
export type StrictJson = { readonly value: JsonValue } | { readonly problem: string; readonly at: number };

/**
 * The only parser of signed request bodies. A signature covers bytes, so two parsers must never read two meanings from
 * the same bytes, and the value must fit into PostgreSQL unchanged. Therefore `parseStrictJson` rejects more than
 * JSON.parse: duplicate keys, prototype pollution, NUL, lone surrogates, numbers that would be rounded, and excessive
 * depth or size.
 */
export function parseStrictJson(bytes: Uint8Array): StrictJson {
  let text: string;
  try {
    text = strictUtf8.decode(bytes);
  } catch {
    return { problem: "The body is not valid UTF-8.", at: firstInvalidByte(bytes) };
  }

  const reader: ParserState = { text, at: 0, members: 0, problem: "" };
  const value = readDocument(reader);
  if (value === undefined) return { problem: reader.problem, at: byteLength(text.slice(0, reader.at)) };
  return { value };
}

/** The position of a byte for a person with an editor: both numbers start at 1, columns count characters. */
export function lineAndColumn(
  bytes: Uint8Array,
  at: number,
): { readonly line: number; readonly column: number } {
  const lines = lenientUtf8.decode(bytes.subarray(0, at)).split(/\r\n?|\n/);
  return { line: lines.length, column: Array.from(lines.at(-1) ?? "").length + 1 };
}

const depthMax = 32;
const membersMax = 10_000;

/** The decoder keeps the byte order mark, so that the parser can reject it. */
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenientUtf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The state of the parser. After a problem, `at` is the position of the problem. */
interface ParserState {
  readonly text: string;
  at: number;
  members: number;
  problem: string;
}

const bodyEnd = -1;
const tab = 0x09;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const doubleQuote = 0x22;
const plus = 0x2b;
const comma = 0x2c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const upperE = 0x45;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const lowerE = 0x65;
const lowerF = 0x66;
const lowerN = 0x6e;
const lowerT = 0x74;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const byteOrderMark = 0xfeff;

// Reads the whole document. This function and those that it calls return undefined after a problem, because no JSON
// value is undefined.

function readDocument(reader: ParserState): JsonValue | undefined {
  if (reader.text.charCodeAt(0) === byteOrderMark) {
    return fail(reader, "The body starts with a byte order mark.");
  }
  const value = readValue(reader, depthMax);
  if (value === undefined) return undefined;
  if (nextToken(reader) !== bodyEnd)
    return fail(reader, `The body goes on after its value, with ${describeNext(reader)}.`);
  return value;
}

function readValue(reader: ParserState, depthLeft: number): JsonValue | undefined {
  switch (nextToken(reader)) {
    case doubleQuote:
      return readString(reader);
    case openBrace:
      return readObject(reader, depthLeft);
    case openBracket:
      return readArray(reader, depthLeft);
    case lowerT:
      return readLiteral(reader, "true", true);
    case lowerF:
      return readLiteral(reader, "false", false);
    case lowerN:
      return readLiteral(reader, "null", null);
    default:
      return readNumber(reader);
  }
}

function readObject(reader: ParserState, depthLeft: number): JsonObject | undefined {
  if (depthLeft === 0) return fail(reader, tooDeepProblem);
  reader.at += 1;

  const object: Record<string, JsonValue> = {};
  let token = nextToken(reader);
  while (token !== closeBrace) {
    const keyAt = reader.at;
    const key = readKey(reader, token);
    if (key === undefined) return undefined;
    // The plain look-up comes before `hasOwn`, because it nearly always misses and is cheaper.
    if (object[key] !== undefined && Object.hasOwn(object, key)) {
      reader.at = keyAt;
      return fail(reader, `${quoteKey(key)} stands twice in one object.`);
    }

    const value = readValue(reader, depthLeft - 1);
    if (value === undefined) return undefined;
    object[key] = value;

    token = nextToken(reader);
    if (token === closeBrace) break;
    if (token !== comma)
      return fail(reader, `Expected a comma or a closing brace, but found ${describeNext(reader)}.`);
    reader.at += 1;
    token = nextToken(reader);
    if (token === closeBrace) return fail(reader, "A comma stands before a closing brace.");
  }
  reader.at += 1;
  return object;
}

function readArray(reader: ParserState, depthLeft: number): readonly JsonValue[] | undefined {
  if (depthLeft === 0) return fail(reader, tooDeepProblem);
  reader.at += 1;

  const array: JsonValue[] = [];
  let token = nextToken(reader);
  while (token !== closeBracket) {
    if (!countMember(reader)) return undefined;
    const value = readValue(reader, depthLeft - 1);
    if (value === undefined) return undefined;
    array.push(value);

    token = nextToken(reader);
    if (token === closeBracket) break;
    if (token !== comma)
      return fail(reader, `Expected a comma or a closing bracket, but found ${describeNext(reader)}.`);
    reader.at += 1;
    token = nextToken(reader);
    if (token === closeBracket) return fail(reader, "A comma stands before a closing bracket.");
  }
  reader.at += 1;
  return array;
}

/** Reads the key of an object's member and the colon after it. */
function readKey(reader: ParserState, token: number): string | undefined {
  if (token !== doubleQuote)
    return fail(reader, `Expected a key in double quotes, but found ${describeNext(reader)}.`);
  if (!countMember(reader)) return undefined;
  const keyAt = reader.at;
  const key = readString(reader);
  if (key === undefined) return undefined;
  if (key === "__proto__" || key === "constructor" || key === "prototype") {
    reader.at = keyAt;
    return fail(reader, `The key "${key}" is not allowed.`);
  }
  if (nextToken(reader) !== colon)
    return fail(reader, `Expected a colon after a key, but found ${describeNext(reader)}.`);
  reader.at += 1;
  return key;
}

function readString(reader: ParserState): string | undefined {
  const { text } = reader;
  const start = reader.at + 1;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === doubleQuote) {
      reader.at = at + 1;
      return text.slice(start, at);
    }
    if (code === backslash) return readStringWithEscapes(reader, at);
    if (code < space) {
      reader.at = at;
      return fail(reader, rawControlProblem);
    }
  }
  reader.at = text.length;
  return fail(reader, "The body ends inside a string.");
}

function readStringWithEscapes(reader: ParserState, firstEscape: number): string | undefined {
  const { text } = reader;
  const stringAt = reader.at;
  let value = "";
  let copiedTo = stringAt + 1;
  for (let at = firstEscape; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === backslash) {
      value += text.slice(copiedTo, at);
      reader.at = at;
      const character = readEscape(reader);
      if (character === undefined) return undefined;
      value += character;
      copiedTo = reader.at;
      at = copiedTo - 1;
    } else if (code === doubleQuote) {
      value += text.slice(copiedTo, at);
      reader.at = value.isWellFormed() ? at + 1 : stringAt;
      return reader.at === stringAt ? fail(reader, "A string holds half of a surrogate pair.") : value;
    } else if (code < space) {
      reader.at = at;
      return fail(reader, rawControlProblem);
    }
  }
  reader.at = text.length;
  return fail(reader, "The body ends inside a string.");
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** Reads one escape, starting at its backslash. */
function readEscape(reader: ParserState): string | undefined {
  const { text, at } = reader;
  const letter = text.charAt(at + 1);
  if (letter !== "u") {
    const character = escapes.get(letter);
    if (character === undefined) return fail(reader, "A string holds an escape that JSON does not know.");
    reader.at = at + 2;
    return character;
  }
  const digits = text.slice(at + 2, at + 6);
  if (!/^[0-9A-Fa-f]{4}$/.test(digits)) return fail(reader, "A \\u escape needs four hexadecimal digits.");
  if (digits === "0000") return fail(reader, "A string holds the character NUL.");
  reader.at = at + 6;
  return String.fromCharCode(Number.parseInt(digits, 16));
}

function readNumber(reader: ParserState): number | undefined {
  const { text, at: start } = reader;
  const whole = text.charCodeAt(start) === minus ? start + 1 : start;
  let end = afterDigits(text, whole);
  if (end === whole) return fail(reader, `Expected a value, but found ${describeNext(reader)}.`);
  if (text.charCodeAt(whole) === zero && end > whole + 1) {
    return fail(reader, "A number starts with a superfluous zero.");
  }
  if (text.charCodeAt(end) === point) {
    const fraction = end + 1;
    end = afterDigits(text, fraction);
    if (end === fraction) return fail(reader, "A number has no digit after its decimal point.");
  }
  if (text.charCodeAt(end) === lowerE || text.charCodeAt(end) === upperE) {
    const sign = text.charCodeAt(end + 1);
    const exponent = sign === plus || sign === minus ? end + 2 : end + 1;
    end = afterDigits(text, exponent);
    if (end === exponent) return fail(reader, "A number has no digit in its exponent.");
  }

  const value = Number(text.slice(start, end));
  if (Number.isInteger(value) ? !Number.isSafeInteger(value) : !Number.isFinite(value)) {
    return fail(reader, "A number is too large to be exact; send it as a string.");
  }
  reader.at = end;
  // Minus zero becomes zero, because only some forms of storage keep the sign.
  return value === 0 ? 0 : value;
}

function afterDigits(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) >= zero && text.charCodeAt(at) <= nine) at += 1;
  return at;
}

function readLiteral<Value extends JsonValue>(
  reader: ParserState,
  word: string,
  value: Value,
): Value | undefined {
  if (!reader.text.startsWith(word, reader.at))
    return fail(reader, `Expected a value, but found ${describeNext(reader)}.`);
  reader.at += word.length;
  return value;
}

/** Skips white space, and returns the code of the next character without consuming it. */
function nextToken(reader: ParserState): number {
  const { text } = reader;
  let { at } = reader;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code > space || !(code === space || code === lineFeed || code === carriageReturn || code === tab)) {
      reader.at = at;
      return code;
    }
    at += 1;
  }
  reader.at = at;
  return bodyEnd;
}

function countMember(reader: ParserState): boolean {
  reader.members += 1;
  if (reader.members <= membersMax) return true;
  fail(reader, `The body has more than ${membersMax} members.`);
  return false;
}

const tooDeepProblem = `The body is nested more than ${depthMax} levels deep.`;
const rawControlProblem = "A string holds a control character that is not escaped.";

function fail(reader: ParserState, problem: string): undefined {
  reader.problem = problem;
  return undefined;
}

function describeNext(reader: ParserState): string {
  const character = reader.text.codePointAt(reader.at);
  return character === undefined ? "the end of the body" : JSON.stringify(String.fromCodePoint(character));
}

/**
 * The key in an error message. Problems are logged and returned, so the message quotes a key only if it looks like a
 * name.
 */
function quoteKey(key: string): string {
  return /^[A-Za-z][A-Za-z0-9]{0,63}$/.test(key) && !/[0-9]{6}/.test(key) ? `The key "${key}"` : "A key";
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/**
 * The position of the first invalid byte. The lenient decoder writes U+FFFD for invalid bytes; a U+FFFD in the body
 * itself is valid.
 */
function firstInvalidByte(bytes: Uint8Array): number {
  let at = 0;
  for (const character of lenientUtf8.decode(bytes)) {
    const isReplacementCharacter = bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd;
    if (character === "\ufffd" && !isReplacementCharacter) break;
    at += encodedLength(character.codePointAt(0) ?? 0);
  }
  return at;
}

/** The number of bytes of a character in UTF-8. */
function encodedLength(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
