import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { JsonValue } from "../core/strict-json.ts";
import { refuse, type Refusal } from "../core/result.ts";
import { forms } from "./schemas.ts";

/** A normalised request, or its first problem. */
export type ReadRequest = (json: JsonValue) => { readonly request: object } | Refusal<"PARAM_ILLEGAL">;

type JsonObject = { readonly [key: string]: JsonValue };

/**
 * Normalises a request, then validates it. Published client libraries send null for absent, `"true"` for true, `"5"`
 * for 5, times with `Z`, and unknown fields. Normalising before validation gives two spellings of one request the same
 * fingerprint.
 */
export function requestReader(schema: TSchema): ReadRequest {
  const validator = Compile(schema);
  return (json) => {
    if (!isObject(json)) return refuse("PARAM_ILLEGAL", { detail: "The body has to be a JSON object." });
    const request = normalise(schema, json) as object;
    if (validator.Check(request)) return { request };
    const [error] = validator.Errors(request);
    const { field, detail } = explain(error);
    return refuse("PARAM_ILLEGAL", { field, detail });
  };
}

interface SchemaNode {
  readonly type?: string;
  readonly properties?: { readonly [name: string]: SchemaNode };
  readonly items?: SchemaNode;
  readonly pattern?: string;
}

/** The request in the form that is compared and stored; see `requestReader`. */
export function normalise(schema: SchemaNode, value: JsonValue): JsonValue {
  if (schema.properties && isObject(value)) return normaliseObject(schema.properties, value);
  if (schema.items && Array.isArray(value)) {
    const { items } = schema;
    return value.map((item: JsonValue) => normalise(items, item));
  }
  if (schema.type === "boolean" && (value === "true" || value === "false")) return value === "true";
  if (schema.type === "integer" && typeof value === "string" && /^-?\d{1,15}$/.test(value))
    return Number(value);
  if (schema.pattern === forms.time && typeof value === "string") return normaliseTime(value);
  return value;
}

const isoTime = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?(?:Z|([+-]\d{2}):?(\d{2}))$/;

/** Normalises a time: whole seconds, and an offset with a colon. `Z` means UTC; most languages write it. */
function normaliseTime(text: string): string {
  return text.replace(
    isoTime,
    (_, seconds: string, hours = "+00", minutes = "00") => `${seconds}${hours}:${minutes}`,
  );
}

function normaliseObject(properties: { readonly [name: string]: SchemaNode }, value: JsonObject): JsonObject {
  const normalised: { [key: string]: JsonValue } = {};
  for (const name in properties) {
    const schema = properties[name];
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (schema && given !== undefined && given !== null) normalised[name] = normalise(schema, given);
  }
  return normalised;
}

export function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface ValidationError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params: object;
}

function explain(error: ValidationError | undefined): { readonly field: string; readonly detail: string } {
  if (!error) return { field: "", detail: "The body does not fit the operation." };
  const path = error.instancePath.slice(1).replaceAll("/", ".");
  if (error.keyword === "required" && "requiredProperties" in error.params) {
    const [missing] = error.params.requiredProperties as readonly string[];
    const field = [path, missing].filter(Boolean).join(".");
    return { field, detail: `${field} is missing.` };
  }
  return { field: path, detail: `${path} ${error.message}.` };
}
