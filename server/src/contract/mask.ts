import { sha256 } from "../core/digest.ts";
import type { JsonObject, JsonValue } from "../core/strict-json.ts";

interface SchemaNode {
  readonly type?: string;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  /** A bearer credential: a token, a code, a link. */
  readonly "x-secret"?: boolean;
  /** Personal data. */
  readonly "x-personal"?: boolean;
  /** An address of the merchant, whose query may contain secrets. */
  readonly "x-address"?: boolean;
  /** True for a large field that need not be secret: the log has its SHA-256 instead. */
  readonly "x-digest"?: boolean;
  readonly properties?: { readonly [name: string]: SchemaNode };
  readonly items?: SchemaNode;
}

/** Masks a document for the request log. */
export type Mask = (value: JsonValue) => JsonValue;

const maskText = "***";
/** Maximum length of an undeclared field name in the log. A longer name is more likely a token. */
const nameLengthMax = 32;
const unknownFieldsMax = 20;
/** Maximum length of a logged text, if the schema has no maximum length. */
const defaultLengthMax = 256;

/**
 * Masks by an allow list: keeps valid values of declared fields, and masks those declared secret or personal. Of any
 * other value, the log has only the name and the length: a secret under another name, or in a wrong place, is not
 * declared in any schema.
 */
export function maskBy(schema: SchemaNode): Mask {
  if (schema["x-digest"])
    return (value) =>
      typeof value === "string" ? `sha256:${sha256(value).toString("hex")}` : outline(value);
  if (schema["x-secret"] || schema["x-personal"]) return (value) => (value === null ? null : maskText);
  if (schema.properties) return objectMask(schema.properties);
  if (schema.items) {
    const item = maskBy(schema.items);
    return (value) => (Array.isArray(value) ? value.map(item) : outline(value));
  }
  const isValid = validatorOf(schema);
  if (schema["x-address"])
    return (value) => (typeof value === "string" && isValid(value) ? withoutQuery(value) : outline(value));
  return (value) => (isValid(value) ? value : outline(value));
}

/** Whether the mask hides anything. */
export function masksAnyField(schema: SchemaNode): boolean {
  const nested = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])];
  const maskingMarks = ["x-secret", "x-personal", "x-address", "x-digest"] as const;
  return maskingMarks.some((mark) => schema[mark] === true) || nested.some(masksAnyField);
}

function objectMask(properties: { readonly [name: string]: SchemaNode }): Mask {
  const masks = new Map(Object.entries(properties).map(([name, schema]) => [name, maskBy(schema)]));
  return (value) => {
    if (!isObject(value)) return outline(value);
    const masked: { [name: string]: JsonValue } = {};
    let unknownCount = 0;
    for (const name of Object.keys(value)) {
      const field = value[name];
      if (field === undefined) continue;
      const mask = masks.get(name);
      if (mask) masked[name] = mask(field);
      else if ((unknownCount += 1) <= unknownFieldsMax) masked[shortName(name)] = outline(field);
    }
    if (unknownCount > unknownFieldsMax) masked["…"] = `(${unknownCount - unknownFieldsMax} more fields)`;
    return masked;
  };
}

/** Whether a value is valid for the schema. Spellings that `read-request.ts` normalises are valid, too. */
function validatorOf({
  type,
  maxLength = defaultLengthMax,
  pattern,
  enum: choices,
}: SchemaNode): (value: JsonValue) => boolean {
  const form = pattern === undefined ? undefined : new RegExp(pattern, "u");
  if (type === "boolean")
    return (value) => typeof value === "boolean" || value === "true" || value === "false";
  if (type === "integer")
    return (value) => typeof value === "number" || (typeof value === "string" && /^-?\d{1,15}$/.test(value));
  return (value) => {
    if (value === null) return true;
    if (typeof value !== "string" || value.length > maxLength) return false;
    return choices ? choices.includes(value) : (form?.test(value) ?? true);
  };
}

function shortName(name: string): string {
  return name.length <= nameLengthMax ? name : `${name.slice(0, 8)}… (a name of ${name.length} characters)`;
}

/** The type and size of a value, without its content. */
function outline(value: JsonValue): JsonValue {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return `(${value.length} characters)`;
  if (typeof value === "number") return "(a number)";
  if (Array.isArray(value)) return `(a list of ${value.length})`;
  return `(an object of ${Object.keys(value).length} fields)`;
}

function withoutQuery(address: string): string {
  const end = address.search(/[?#]/);
  const visible = end === -1 ? address : `${address.slice(0, end + 1)}…`;
  // Removes the user and the password before the host of the address.
  return visible.replace(/^([^:]*:\/*)[^/]*@/, "$1…@");
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
