import assert from "node:assert/strict";
import type { Deprecatable, Schema } from "./openapi-document.ts";
import type { EnumType, Field, Limits, ObjectType, Role } from "./model.ts";
import type { TypeReference } from "./type-reference.ts";

/** Collects the types that bodies are made of. One shape is one type, wherever it stands. */
export interface TypeBook {
  /** The type of a whole body. */
  body(name: string, schema: Schema, role: Role): string;
  close(): { readonly objects: readonly ObjectType[]; readonly enums: readonly EnumType[] };
}

/** A place in a body: the names on the way to it, the body's own first. */
type Path = readonly string[];

export function openTypes(components: Readonly<Record<string, Schema>>, bodies: readonly Schema[]): TypeBook {
  const titles = new Set([...Object.values(components), ...bodies].flatMap(titlesIn));
  const objects = new Map<string, ObjectType>();
  const enums = openEnums((name) => objects.has(name) || titles.has(name));

  function body(name: string, schema: Schema, role: Role): string {
    assert(!objects.has(name), `There are two types ${name}.`);
    // The name is taken at once, so that no part of the body gets it.
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

  /** A title names one type, with every field that it has anywhere; other parts are told apart by their shape. */
  function partName(schema: Schema, path: Path): string {
    const part: Omit<ObjectType, "name"> = {
      doc: schema["x-about"] ?? schema.description ?? "",
      fields: fieldsOf(schema, schema.title === undefined ? path : [schema.title]),
      role: "part",
    };
    const name = schema.title ?? namesFor(path).find((candidate) => isFree(candidate, part));
    assert(name !== undefined, `There is no name left for ${path.join(".")}.`);
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

/** What is to go says what comes instead; who only says that it goes helps nobody. */
export function deprecationOf(marked: Deprecatable): { readonly deprecated?: string } {
  if (!marked.deprecated) return {};
  assert(marked["x-deprecated"], "What is deprecated has to say in x-deprecated what to use instead.");
  return { deprecated: marked["x-deprecated"] };
}

interface EnumBook {
  has(name: string): boolean;
  nameFor(schema: Schema, path: Path): string;
  close(): EnumType[];
}

/** Enums are open, so those of one name that have a value in common are one. */
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
      assert(name !== undefined, `There is no name left for ${path.join(".")}.`);
      const there = enums.get(name);
      enums.set(name, {
        name,
        values: [...new Set([...(there?.values ?? []), ...values])],
        // Where two places say it in other words, the first counts.
        meanings: { ...meanings, ...there?.meanings },
      });
      return name;
    },
    close: () => [...enums.values()],
  };
}

/** They are known beforehand, so that no part without a title takes one of them. */
function titlesIn(schema: Schema): string[] {
  const inside = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])];
  return [...(schema.title === undefined ? [] : [schema.title]), ...inside.flatMap(titlesIn)];
}

/** Names that say nothing by themselves, or that a language or a library has a use for. */
const reserved = new Set(
  "Kind Type Status Owner Record Event Notification Version Key Request Response".split(" "),
);

/** `["PayRequest", "order", "env"]`: first `Env`, if that is another type `OrderEnv`, then `PayRequestOrderEnv`. */
function namesFor(path: Path): string[] {
  return path
    .map((_, index) => path.slice(path.length - index - 1))
    .map((parts) => parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join(""))
    .filter((name) => !reserved.has(name));
}

/** What is in a list of `codeDetails` is a `codeDetail`. */
function singular(path: Path): Path {
  const last = path.at(-1) ?? "";
  return [...path.slice(0, -1), last.replace(/ies$/, "y").replace(/([^s])s$/, "$1")];
}

function shapeOf({ fields }: Omit<ObjectType, "name">): string {
  return JSON.stringify(fields.map(({ name, type, isRequired }) => [name, type, isRequired]));
}

/** The fields of both; certain to be there is only what both are certain of. */
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
