import assert from "node:assert/strict";
import type { Deprecatable, Schema } from "./openapi-document.ts";
import type { TypeReference } from "./type-reference.ts";

export interface ObjectType {
  readonly name: string;
  readonly doc: string;
  readonly fields: readonly Field[];
  /** Whether it is the whole body of a request, response or webhook, or a part of a body. */
  readonly role: Role;
}

export type Role = "request" | "response" | "notification" | "part";

export interface Field {
  /** The wire name. */
  readonly name: string;
  readonly type: TypeReference;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly doc: string;
  readonly limits: Limits;
  /** The replacement of a deprecated field. */
  readonly deprecated?: string;
}

export interface Limits {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** An enum is always open: an unknown value is kept as it is. */
export interface EnumType {
  readonly name: string;
  readonly values: readonly string[];
  /** The meaning of each value, if the document has one. */
  readonly meanings: Readonly<Record<string, string>>;
}

/** Collects the types of bodies. Parts of the same shape share one type. */
export interface TypeRegistry {
  /** Returns the type of a whole body. */
  body(name: string, schema: Schema, role: Role): string;
  close(): { readonly objects: readonly ObjectType[]; readonly enums: readonly EnumType[] };
}

/** A place in a body: the names from the body to the part, the body's own first. */
type Path = readonly string[];

export function createTypeRegistry(
  components: Readonly<Record<string, Schema>>,
  bodies: readonly Schema[],
): TypeRegistry {
  const titles = new Set([...Object.values(components), ...bodies].flatMap(collectTitles));
  const objects = new Map<string, ObjectType>();
  const enums = createEnumRegistry((name) => objects.has(name) || titles.has(name));

  function body(name: string, schema: Schema, role: Role): string {
    assert(!objects.has(name), `The document has two types named ${name}.`);
    // The name is reserved before the parts are read, so that no part gets the same name.
    objects.set(name, { name, doc: "", fields: [], role });
    objects.set(name, { name, doc: schema.description ?? "", fields: fieldsOf(schema, [name]), role });
    return name;
  }

  function fieldsOf({ properties = {}, required = [] }: Schema, path: Path): Field[] {
    return Object.entries(properties).map(([name, schema]) =>
      readField(name, schema, typeOf(schema, [...path, name]), required.includes(name)),
    );
  }

  function typeOf(schema: Schema, path: Path): TypeReference {
    if (schema.$ref !== undefined) return componentType(schema.$ref);
    if (schema.enum) return { kind: "enum", name: enums.nameFor(schema, path) };
    switch (schema.type) {
      case "string":
        return { kind: "text" };
      case "integer":
      case "number":
      case "boolean":
        return { kind: schema.type };
      case "array":
        return { kind: "list", of: typeOf(schema.items ?? {}, singular(path)) };
      case "object":
        return objectOrMapType(schema, path);
      case undefined:
      default:
        return { kind: "anything" };
    }
  }

  function objectOrMapType(schema: Schema, path: Path): TypeReference {
    if (schema.properties) return { kind: "object", name: partName(schema, path) };
    const values = schema.additionalProperties;
    return { kind: "map", of: typeof values === "object" ? typeOf(values, path) : { kind: "anything" } };
  }

  function componentType(reference: string): TypeReference {
    const name = reference.split("/").at(-1) ?? "";
    const schema = components[name];
    assert(schema, `There is no ${reference}.`);
    return { kind: "object", name: partName({ title: name, ...schema }, [name]) };
  }

  /**
   * Names a part of a body. A title names one type that has the fields of all its uses; parts without a title
   * are distinguished by their shape.
   */
  function partName(schema: Schema, path: Path): string {
    const part: Omit<ObjectType, "name"> = {
      doc: schema["x-about"] ?? schema.description ?? "",
      fields: fieldsOf(schema, schema.title === undefined ? path : [schema.title]),
      role: "part",
    };
    const name = schema.title ?? candidateNames(path).find((candidate) => isFree(candidate, part));
    assert(name !== undefined, `All names for ${path.join(".")} are taken. Give it a title.`);
    const existing = objects.get(name);
    objects.set(name, existing ? mergeTypes(existing, part) : { name, ...part });
    return name;
  }

  function isFree(name: string, part: Omit<ObjectType, "name">): boolean {
    const existing = objects.get(name);
    if (titles.has(name) || enums.has(name)) return false;
    return !existing || (existing.role === "part" && shapeOf(existing) === shapeOf(part));
  }

  return { body, close: () => ({ objects: [...objects.values()], enums: enums.close() }) };
}

function readField(name: string, schema: Schema, type: TypeReference, isRequired: boolean): Field {
  return {
    name,
    type,
    isRequired,
    isSecret: schema["x-secret"] ?? false,
    doc: schema.description ?? "",
    limits: readLimits(schema),
    ...readDeprecation(schema),
  };
}

/** Returns the replacement of a deprecated element. A deprecation without a replacement is an error. */
export function readDeprecation(element: Deprecatable): { readonly deprecated?: string } {
  if (!element.deprecated) return {};
  assert(element["x-deprecated"], "A deprecated element must name its replacement in x-deprecated.");
  return { deprecated: element["x-deprecated"] };
}

interface EnumRegistry {
  has(name: string): boolean;
  nameFor(schema: Schema, path: Path): string;
  close(): EnumType[];
}

/** Enums are open, so enums with the same name and a common value are merged. */
function createEnumRegistry(isTaken: (name: string) => boolean): EnumRegistry {
  const enums = new Map<string, EnumType>();
  const canUse = (name: string, values: readonly string[]): boolean => {
    const existing = enums.get(name);
    if (!existing) return !isTaken(name);
    return name === "NotifyType" || existing.values.some((value) => values.includes(value));
  };
  return {
    has: (name) => enums.has(name),
    nameFor({ enum: values = [], "x-enumDescriptions": meanings = {} }, path) {
      const name = candidateNames(path).find((candidate) => canUse(candidate, values));
      assert(name !== undefined, `All names for ${path.join(".")} are taken. Give it a title.`);
      const existing = enums.get(name);
      enums.set(name, {
        name,
        values: [...new Set([...(existing?.values ?? []), ...values])],
        // If two places describe the same value of an enum, the first description is used.
        meanings: { ...meanings, ...existing?.meanings },
      });
      return name;
    },
    close: () => [...enums.values()],
  };
}

/**
 * Returns all titles in a schema. They are collected before any part is named, so that no part without a
 * title takes one of them.
 */
function collectTitles(schema: Schema): string[] {
  const nested = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])];
  return [...(schema.title === undefined ? [] : [schema.title]), ...nested.flatMap(collectTitles)];
}

/** Names that are too general, or that a language or library reserves. */
const reservedNames = new Set(
  "Kind Type Status Owner Record Event Notification Version Key Request Response".split(" "),
);

/**
 * Candidates for a name: for `["PayRequest", "order", "env"]` first `Env`, then `OrderEnv`, then
 * `PayRequestOrderEnv`.
 */
function candidateNames(path: Path): string[] {
  return path
    .map((_, index) => path.slice(path.length - index - 1))
    .map((parts) => parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join(""))
    .filter((name) => !reservedNames.has(name));
}

/** An item of the list `codeDetails` is named `codeDetail`. */
function singular(path: Path): Path {
  const last = path.at(-1) ?? "";
  return [...path.slice(0, -1), last.replace(/ies$/, "y").replace(/([^s])s$/, "$1")];
}

function shapeOf({ fields }: Omit<ObjectType, "name">): string {
  return JSON.stringify(fields.map(({ name, type, isRequired }) => [name, type, isRequired]));
}

/**
 * Merges two types: the result has the fields of both, and a field is required only if both types require it.
 */
function mergeTypes(first: ObjectType, second: Omit<ObjectType, "name">): ObjectType {
  const secondFields = new Map(second.fields.map((field) => [field.name, field]));
  const fields = first.fields.map((field) => {
    const secondField = secondFields.get(field.name);
    const message = `${first.name}.${field.name} has two types.`;
    if (secondField) assert.deepEqual(secondField.type, field.type, message);
    return { ...field, isRequired: field.isRequired && (secondField?.isRequired ?? false) };
  });
  const firstNames = new Set(first.fields.map(({ name }) => name));
  const added = second.fields.filter(({ name }) => !firstNames.has(name));
  return { ...first, fields: [...fields, ...added.map((field) => ({ ...field, isRequired: false }))] };
}

function readLimits(schema: Schema): Limits {
  const names = ["minLength", "maxLength", "pattern", "minimum", "maximum", "minItems", "maxItems"] as const;
  return Object.fromEntries(
    names.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]])),
  );
}
