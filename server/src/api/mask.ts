import { sha256 } from "../core/digest.ts";
import type { JsonValue } from "../core/strict-json.ts";

interface SchemaNode {
  readonly "x-secret"?: boolean;
  /** Large rather than secret: told by its SHA-256. */
  readonly "x-digest"?: boolean;
  readonly properties?: { readonly [name: string]: SchemaNode };
  readonly items?: SchemaNode;
}

const masked = "***";

/** The same document with the values of secret fields struck out, as the schema declares them. */
export function maskSecrets(schema: SchemaNode, value: JsonValue): JsonValue {
  if (schema["x-digest"] && typeof value === "string") return `sha256:${sha256(value).toString("hex")}`;
  if (schema["x-secret"] || schema["x-digest"]) return masked;
  if (schema.items && Array.isArray(value)) {
    const { items } = schema;
    return value.map((item: JsonValue) => maskSecrets(items, item));
  }
  if (!schema.properties || typeof value !== "object" || value === null || Array.isArray(value)) {
    // Not of the declared shape: the secret may be anywhere in it.
    return holdsSecret(schema) && value !== null ? masked : value;
  }
  const { properties } = schema;
  return Object.fromEntries(
    Object.entries(value as { [key: string]: JsonValue }).map(([name, field]) => {
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return [name, known ? maskSecrets(known, field) : field];
    }),
  );
}

/** Whether anything in it is secret. */
export function holdsSecret(schema: SchemaNode): boolean {
  const inside = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])];
  return schema["x-secret"] === true || schema["x-digest"] === true || inside.some(holdsSecret);
}
