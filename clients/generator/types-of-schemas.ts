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
export interface TypeBook {
  /** Returns the type of a whole body. */
  body(name: string, schema: Schema, role: Role): string;
  close(): { readonly objects: readonly ObjectType[]; readonly enums: readonly EnumType[] };
}

/** A place in a body: the names from the body to the part, the body's own first. */
type Path = readonly string[];

export function openTypes(components: Readonly<Record<string, Schema>>, bodies: readonly Schema[]): TypeBook {
  const titles = new Set([...Object.values(components), ...bodies].flatMap(titlesIn));
  const objects = new Map<string, ObjectType>();
  const enums = openEnums((name) => objects.has(name) || titles.has(name));

  function body(name: string, schema: Schema, role: Role): string {
    assert(!objects.has(name), `The document has two types named ${name}.`);
    // The name is reserved before the parts are read, so that no part gets the same name.
    objects.set(name, { name, doc: "", fields: [], role });
    objects.set(name, { name, doc: schema.description ?? "", fields: fieldsOf(schema, [name]), role });
    return name;
  }

  function fieldsOf({ properties = {}, required = [] }: Schema, path: Path): Field[] {
    return Object.entries(properties).map(([name, schema]) =>
      fieldOf(name, schema, typeOf(schema, [...path, name]), required.includes(name)),
    );
  }

  function typeOf(schema: Schema, path: Path): TypeReference {
    if (schema.$ref !== undefined) return component(schema.$ref);
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
        return objectOf(schema, path);
      case undefined:
      default:
        return { kind: "anything" };
    }
  }

  function objectOf(schema: Schema, path: Path): TypeReference {
    if (schema.properties) return { kind: "object", name: partName(schema, path) };
    const values = schema.additionalProperties;
    return { kind: "map", of: typeof values === "object" ? typeOf(values, path) : { kind: "anything" } };
  }

  function component(reference: string): TypeReference {
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
    const name = schema.title ?? namesFor(path).find((candidate) => isFree(candidate, part));
    assert(name !== undefined, `All names for ${path.join(".")} are taken. Give it a title.`);
    const there = objects.get(name);
    objects.set(name, there ? merged(there, part) : { name, ...part });
    return name;
  }

  function isFree(name: string, part: Omit<ObjectType, "name">): boolean {
    const there = objects.get(name);
    if (titles.has(name) || enums.has(name)) return false;
    return !there || (there.role === "part" && shapeOf(there) === shapeOf(part));
  }

  return {
    body,
    close: () => ({
      objects: [...objects.values()],
      enums: enums.close(),
    }),
  };
}

function fieldOf(name: string, schema: Schema, type: TypeReference, isRequired: boolean): Field {
  return {
    name,
    type,
    isRequired,
    isSecret: schema["x-secret"] ?? false,
    doc: schema.description ?? "",
    limits: limitsOf(schema),
    ...deprecationOf(schema),
  };
}

/** Returns the replacement of a deprecated element. A deprecation without a replacement is an error. */
export function deprecationOf(marked: Deprecatable): { readonly deprecated?: string } {
  if (!marked.deprecated) return {};
  assert(marked["x-deprecated"], "A deprecated element must name its replacement in x-deprecated.");
  return { deprecated: marked["x-deprecated"] };
}

interface EnumBook {
  has(name: string): boolean;
  nameFor(schema: Schema, path: Path): string;
  close(): EnumType[];
}

/** Enums are open, so enums with the same name and a common value are merged. */
function openEnums(isTaken: (name: string) => boolean): EnumBook {
  const enums = new Map<string, EnumType>();
  const isFit = (name: string, values: readonly string[]): boolean => {
    const there = enums.get(name);
    if (!there) return !isTaken(name);
    return name === "NotifyType" || there.values.some((value) => values.includes(value));
  };
  return {
    has: (name) => enums.has(name),
    nameFor({ enum: values = [], "x-enumDescriptions": meanings = {} }, path) {
      const name = namesFor(path).find((candidate) => isFit(candidate, values));
      assert(name !== undefined, `All names for ${path.join(".")} are taken. Give it a title.`);
      const there = enums.get(name);
      enums.set(name, {
        name,
        values: [...new Set([...(there?.values ?? []), ...values])],
        // If two places describe the same value of an enum, the first description is used.
        meanings: { ...meanings, ...there?.meanings },
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
function titlesIn(schema: Schema): string[] {
  const inside = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])];
  return [...(schema.title === undefined ? [] : [schema.title]), ...inside.flatMap(titlesIn)];
}

/** Names that are too general, or that a language or library reserves. */
const reserved = new Set(
  "Kind Type Status Owner Record Event Notification Version Key Request Response".split(" "),
);

/**
 * Candidates for a name: for `["PayRequest", "order", "env"]` first `Env`, then `OrderEnv`, then
 * `PayRequestOrderEnv`.
 */
function namesFor(path: Path): string[] {
  return path
    .map((_, index) => path.slice(path.length - index - 1))
    .map((parts) => parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join(""))
    .filter((name) => !reserved.has(name));
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
function merged(one: ObjectType, other: Omit<ObjectType, "name">): ObjectType {
  const theirs = new Map(other.fields.map((field) => [field.name, field]));
  const fields = one.fields.map((field) => {
    const same = theirs.get(field.name);
    const message = `${one.name}.${field.name} has two types.`;
    if (same) assert.deepEqual(same.type, field.type, message);
    return { ...field, isRequired: field.isRequired && (same?.isRequired ?? false) };
  });
  const known = new Set(one.fields.map(({ name }) => name));
  const added = other.fields.filter(({ name }) => !known.has(name));
  return { ...one, fields: [...fields, ...added.map((field) => ({ ...field, isRequired: false }))] };
}

function limitsOf(schema: Schema): Limits {
  const names = ["minLength", "maxLength", "pattern", "minimum", "maximum", "minItems", "maxItems"] as const;
  return Object.fromEntries(
    names.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]])),
  );
}
