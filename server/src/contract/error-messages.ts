import { parseRequestTime, formatWireTime } from "../core/request-time.ts";
import { findNearest } from "../core/find-nearest.ts";
import type { JsonValue } from "../core/strict-json.ts";
import { statementCursorForm, feedCursorForm, settlementCursorForm } from "../core/cursor-forms.ts";
import { forms } from "./schemas.ts";

/** The problem with a value, and, if known, the text to write instead. */
export interface ValueProblem {
  readonly problem: string;
  readonly instead?: string;
}

/** The subset of JSON Schema that requests use. */
export interface SchemaNode {
  readonly type?: string;
  readonly title?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly "x-secret"?: boolean;
  readonly "x-personal"?: boolean;
}

const cursorDescription = "the `nextCursor` of the previous page";

/** Descriptions of regular expressions for people. A test fails if a pattern has none. */
const patternDescriptions: ReadonlyMap<string, string> = new Map([
  [forms.id, "letters, digits and signs of ASCII, without spaces"],
  [forms.time, "a time with a numeric offset, such as 2026-11-15T09:30:00+00:00"],
  [forms.day, "a day, such as 2026-11-15"],
  [forms.url, "an address with its scheme, such as https://shop.example/notify"],
  [forms.amount, 'a whole number of the smallest unit, as text: "1250" for 12.50 EUR'],
  [forms.currency, "an ISO 4217 code of three capital letters, such as EUR"],
  [forms.region, "an ISO 3166 code of two capital letters, such as DE"],
  [forms.colour, "a hash sign and six hexadecimal digits, such as #0b6b3e"],
  [forms.base64, "base64, without line breaks"],
  [forms.regionOrGlobal, "an ISO 3166 code of two capital letters, such as DE, or GLOBAL"],
  [statementCursorForm, cursorDescription],
  [settlementCursorForm, cursorDescription],
  [feedCursorForm, "a cursor of the feed, or 0, or latest"],
]);

/** Describes the form of a field: "one of A, B or C", "text of up to 64 characters". */
export function describeForm(schema: SchemaNode): string {
  const { type, enum: values, pattern, minimum, maximum, maxLength } = schema;
  if (values) return values.length === 1 ? `${values[0]}` : `one of ${formatList(values)}`;
  const description = pattern === undefined ? undefined : patternDescriptions.get(pattern);
  if (description !== undefined) return description;
  switch (type) {
    case "object":
      return `an object with ${formatList(schema.required ?? [], "and") || "fields"}`;
    case "array":
      return "a list in square brackets";
    case "boolean":
      return "true or false";
    case "integer":
    case "number":
      return [
        "a whole number",
        minimum !== undefined && `from ${minimum}`,
        maximum !== undefined && `up to ${maximum}`,
      ]
        .filter(Boolean)
        .join(" ");
    case "string":
    case undefined:
    default:
      return maxLength === undefined ? "text" : `text of up to ${maxLength} characters`;
  }
}

const typeDescriptions = {
  string: "text",
  number: "a number",
  boolean: "true or false",
  object: "an object",
};

export function wrongType(schema: SchemaNode, value: JsonValue): ValueProblem {
  const given = Array.isArray(value)
    ? "a list"
    : typeDescriptions[typeof value as keyof typeof typeDescriptions];
  const quotes = schema.type === "string" && typeof value !== "string" ? " in double quotes" : "";
  return { problem: `It has to be ${describeForm(schema)}${quotes}, and is ${given}.` };
}

export function wrongCount(
  { minItems = 0, maxItems = Infinity }: SchemaNode,
  count: number,
): ValueProblem | undefined {
  if (count > maxItems)
    return { problem: `It has ${count} entries, ${count - maxItems} more than the ${maxItems} allowed.` };
  return count < minItems
    ? { problem: `It has ${count} entries, and needs at least ${minItems}.` }
    : undefined;
}

/** The problem of a value that violates its schema. The schema is neither of an object nor of a list. */
export function wrongForm(schema: SchemaNode, value: JsonValue): ValueProblem {
  if (schema.enum && typeof value === "string") return wrongChoice(schema.enum, value);
  if (schema.pattern === forms.time) return wrongTime(schema, value);
  if (schema.type === "string" && typeof value !== "string") return wrongTextType(schema, value);
  return typeof value === "string" && schema.type === "string"
    ? wrongText(schema, value)
    : wrongNumber(schema, value);
}

function wrongChoice(values: readonly string[], given: string): ValueProblem {
  const instead = findNearest(given, values);
  const problem = `It has to be ${values.length === 1 ? values[0] : `one of ${formatList(values)}`}.`;
  return instead === undefined ? { problem } : { problem: `${problem} Did you mean ${instead}?`, instead };
}

function wrongTextType(schema: SchemaNode, value: JsonValue): ValueProblem {
  const { problem } = wrongType(schema, value);
  const isHidden = schema["x-secret"] === true || schema["x-personal"] === true;
  const instead = JSON.stringify(value);
  // The message repeats only a number that is shorter than a card number, because responses are logged.
  const isShort = typeof value === "number" && instead.length < 13 && !isHidden;
  return isShort ? { problem, instead } : { problem };
}

function wrongText(schema: SchemaNode, text: string): ValueProblem {
  const { minLength = 0, maxLength = Infinity, pattern } = schema;
  if (text.length < minLength) return { problem: `It is empty, and has to be ${describeForm(schema)}.` };
  if (text.length > maxLength)
    return {
      problem: `It has ${text.length} characters, ${text.length - maxLength} more than the ${maxLength} allowed.`,
    };
  const problem = `It has to be ${describeForm(schema)}.`;
  const upper = text.toUpperCase();
  const isWrongCase = /^[a-z]{2,3}$/i.test(text) && pattern !== undefined && new RegExp(pattern).test(upper);
  return isWrongCase ? { problem, instead: upper } : { problem };
}

function wrongNumber(schema: SchemaNode, value: JsonValue): ValueProblem {
  if (typeof value !== "number") return wrongType(schema, value);
  return { problem: `It has to be ${describeForm(schema)}.` };
}

/**
 * The problem of a time. Most languages write `Z`, and many write milliseconds. The meaning of such a time is certain,
 * so the message shows the correct form.
 */
function wrongTime(schema: SchemaNode, value: JsonValue): ValueProblem {
  const problem = `It has to be ${describeForm(schema)}.`;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const epochMs = parseRequestTime(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
  return epochMs === undefined ? { problem } : { problem, instead: formatWireTime(epochMs) };
}

function formatList(values: readonly string[], last = "or"): string {
  if (values.length < 2) return values.join("");
  return `${values.slice(0, -1).join(", ")} ${last} ${values.at(-1)}`;
}
