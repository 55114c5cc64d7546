import type { Dialect } from "./library-dialects.ts";
import type { Json } from "./openapi-document.ts";
import type { TypeReference } from "./type-reference.ts";

/** The type information that is necessary to write a request. */
export interface RequestTypes {
  readonly fieldsOf: (typeName: string) => readonly { readonly name: string; readonly type: TypeReference }[];
  /** The decimals of a currency. */
  readonly digitsOf: (currency: string) => number | undefined;
}

interface OperationToCall {
  readonly area: string;
  readonly name: string;
  /** The name of the request's type. */
  readonly request: string;
}

/**
 * Returns a program that makes the call with a client library. Throws if the library has no type for the
 * request, for example because of an unknown field.
 */
export function writeProgram(
  types: RequestTypes,
  dialect: Dialect,
  { area, name, request: typeName }: OperationToCall,
  request: Json,
): string {
  const used = new Set<string>();
  const write = createValueWriter(types, dialect, used);
  const requestCode = write({ kind: "object", name: typeName }, request, dialect.indent);
  return dialect.program({ area, name, request: requestCode, used: [...used].sort() });
}

type ValueWriter = (type: TypeReference, value: Json, indent: string) => string;

/**
 * Returns a function that writes values in a language. It adds the names of types, enums and `Money` that it
 * uses to `used`.
 */
function createValueWriter(types: RequestTypes, dialect: Dialect, used: Set<string>): ValueWriter {
  const write: ValueWriter = (type, value, indent) => {
    if (type.kind === "list") {
      if (!Array.isArray(value)) throw typeMismatch("a list", value);
      return dialect.list(
        value.map((item: Json) => write(type.of, item, indent + dialect.step)),
        indent,
        type.of,
      );
    }
    if (type.kind === "enum") {
      if (typeof value !== "string") throw typeMismatch(type.name, value);
      used.add(type.name);
      return dialect.member(type.name, value);
    }
    if (type.kind === "object")
      return type.name === "Amount" ? money(value) : object(type.name, value, indent);
    if (typeof value === "string") return dialect.text(value);
    if (typeof value === "boolean") return dialect.flag(value);
    if (typeof value !== "number") throw typeMismatch(type.kind, value);
    return dialect.number(value);
  };

  function object(name: string, value: Json, indent: string): string {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw typeMismatch(name, value);
    used.add(name);
    const fields = types.fieldsOf(name);
    const entries = Object.entries(value as { readonly [key: string]: Json }).map(([key, inner]) => {
      const field = fields.find((each) => each.name === key);
      if (!field) throw new Error(`${name} has no ${key}.`);
      return { field, code: write(field.type, inner, indent + dialect.step) };
    });
    return dialect.object(name, entries, indent);
  }

  /** The decimal amount, with as many decimals as the currency has. */
  function money(value: Json): string {
    if (typeof value !== "object" || value === null) throw typeMismatch("an amount", value);
    const { currency, value: minor } = value as { readonly [key: string]: Json };
    if (typeof currency !== "string" || typeof minor !== "string") throw typeMismatch("an amount", value);
    used.add("Money");
    const digits = types.digitsOf(currency) ?? 0;
    const padded = minor.padStart(digits + 1, "0");
    const decimal = digits === 0 ? minor : `${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
    return dialect.money(currency, decimal);
  }
  return write;
}

function typeMismatch(expectedType: string, value: Json): Error {
  return new Error(`${JSON.stringify(value)} is not ${expectedType}.`);
}
