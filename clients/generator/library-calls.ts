import assert from "node:assert/strict";
import type { GeneratedFile } from "./emitter.ts";
import { libraryDialects, type Dialect } from "./library-dialects.ts";
import type { Model, Operation, TypeReference } from "./model.ts";
import type { Json } from "./openapi-document.ts";

/**
 * Each example of each operation as a program with each client library, for the pages at `/docs`.
 * `clients/life/library-calls.slow.ts` compiles and runs them all, and compares what they send with the example.
 */
export function libraryCalls(model: Model): GeneratedFile {
  const operations = model.areas.flatMap((area) => area.operations);
  const calls = operations.map((operation) => [
    operation.path,
    operation.samples.map((request) =>
      Object.fromEntries(
        Object.entries(libraryDialects).map(([language, dialect]) => [
          language,
          programOf(model, dialect, operation, request),
        ]),
      ),
    ),
  ]);
  const text = `${JSON.stringify(Object.fromEntries(calls), undefined, 2)}\n`;
  return { path: "../server/src/api-docs/generated/library-calls.json", text };
}

function programOf(model: Model, dialect: Dialect, operation: Operation, request: Json): string {
  const { area, name } = operation;
  const used = new Set<string>();
  const write = writerOf(model, dialect, used);
  const written = write({ kind: "object", name: operation.request }, request, dialect.indent);
  return dialect.program({ area, name, request: written, used: [...used].sort() });
}

type Write = (type: TypeReference, value: Json, indent: string) => string;

/** Writes values in a language; the names of types, enums and `Money` that it used are added to `used`. */
function writerOf(model: Model, dialect: Dialect, used: Set<string>): Write {
  const write: Write = (type, value, indent) => {
    if (type.kind === "list") {
      assert(Array.isArray(value));
      return dialect.list(
        value.map((item: Json) => write(type.of, item, indent + dialect.step)),
        indent,
      );
    }
    if (type.kind === "enum") {
      assert(typeof value === "string");
      used.add(type.name);
      return dialect.member(type.name, value);
    }
    if (type.kind === "object")
      return type.name === "Amount" ? money(value) : object(type.name, value, indent);
    if (typeof value === "string") return dialect.text(value);
    if (typeof value === "boolean") return dialect.flag(value);
    assert(typeof value === "number", `${type.kind} has no form yet.`);
    return String(value);
  };

  function object(name: string, value: Json, indent: string): string {
    used.add(name);
    const fields = model.types.find((each) => each.name === name)?.fields ?? [];
    const entries = Object.entries(value as { readonly [key: string]: Json }).map(([key, inner]) => {
      const field = fields.find((each) => each.name === key);
      assert(field, `${name} has no ${key}.`);
      return { field, code: write(field.type, inner, indent + dialect.step) };
    });
    return dialect.object(name, entries, indent);
  }

  /** As people write it, with as many decimals as the currency has. */
  function money(value: Json): string {
    used.add("Money");
    const { currency, value: minor } = value as { readonly currency: string; readonly value: string };
    const digits = model.currencies.find(({ code }) => code === currency)?.digits ?? 0;
    const padded = minor.padStart(digits + 1, "0");
    const decimal = digits === 0 ? minor : `${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
    return dialect.money(currency, decimal);
  }
  return write;
}
