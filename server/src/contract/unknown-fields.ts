import { findNearest } from "../core/find-nearest.ts";
import type { JsonValue } from "../core/strict-json.ts";
import type { SchemaNode } from "./error-messages.ts";
import { isObject } from "./read-request.ts";

/** Warns of a field that was accepted but has no effect, or probably not the intended effect. */
export interface Warning {
  readonly field: string;
  readonly warning: string;
  /** The field that was probably meant. */
  readonly nearest?: string;
}

export type FindUnknownFields = (json: JsonValue) => readonly Warning[];

const warningsMax = 20;
/** Maximum number of known names to list if no similar name exists. */
const namesMax = 8;

/**
 * Finds fields that the operation does not know, at any depth. Published client libraries send unknown fields, so the
 * gateway ignores them; but an ignored `paymentNotifyURL` is a webhook that never arrives. The search runs for every
 * sandbox request, so a known field costs only one look-up.
 */
export function unknownFieldFinder(schema: SchemaNode): FindUnknownFields {
  const root = knownFieldsOf(schema);
  const allPaths = root ? pathsIn(root) : [];
  return (json) => {
    if (!root) return noWarnings;
    const unknown: UnknownField[] = [];
    collectUnknownFields(root, json, "", unknown);
    return unknown.length === 0 ? noWarnings : unknown.map((field) => warningOf(field, allPaths));
  };
}

const noWarnings: readonly Warning[] = [];

/** The field names of an object, or of the entries of a list. */
interface KnownFields {
  readonly names: ReadonlyMap<string, KnownFields | undefined>;
}

interface UnknownField {
  readonly known: KnownFields;
  readonly path: string;
  readonly name: string;
}

function knownFieldsOf({ properties, items }: SchemaNode): KnownFields | undefined {
  if (items) return knownFieldsOf(items);
  if (!properties) return undefined;
  return { names: new Map(Object.entries(properties).map(([name, inner]) => [name, knownFieldsOf(inner)])) };
}

function collectUnknownFields(
  known: KnownFields,
  value: JsonValue,
  path: string,
  unknown: UnknownField[],
): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      collectUnknownFields(known, item as JsonValue, `${path}${index}.`, unknown);
    return;
  }
  if (!isObject(value)) return;
  for (const name in value) {
    const child = value[name];
    const inner = known.names.get(name);
    if (inner) {
      if (typeof child === "object" && child !== null)
        collectUnknownFields(inner, child, `${path}${name}.`, unknown);
    } else if (child !== null && !known.names.has(name) && unknown.length < warningsMax) {
      // An unknown field with null is not reported: some libraries send every field that they know, with null for
      // absent ones.
      unknown.push({ known, path, name });
    }
  }
}

function warningOf({ known, path, name }: UnknownField, allPaths: readonly string[]): Warning {
  if (!isPlainName(name))
    return { field: path + malformedName, warning: "ignored: the field name is malformed." };
  const field = path + name;
  const names = [...known.names.keys()];
  const sibling = findNearest(name, names);
  const nearest = sibling === undefined ? findAtOtherDepth(name, allPaths) : path + sibling;
  if (nearest !== undefined)
    return { field, warning: `ignored: ${field}; did you mean ${nearest}?`, nearest };
  const knownNames = names.length > namesMax ? "" : `; what is taken here: ${names.join(", ")}`;
  return { field, warning: `ignored: ${field}${knownNames}.` };
}

const malformedName = "*";

/**
 * Whether a warning may repeat a field name. Responses are logged, and a long or numeric name may be a misplaced token.
 */
function isPlainName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_-]{0,31}$/.test(name) && !/[0-9]{6}/.test(name);
}

/** The path of the same name at another depth: `storeTerminalId` belongs in `order.env`. */
function findAtOtherDepth(name: string, allPaths: readonly string[]): string | undefined {
  const end = `.${name.toLowerCase()}`;
  const depth = (path: string): number => path.split(".").length;
  const matches = allPaths.filter((path) => path.toLowerCase().endsWith(end));
  return matches.toSorted((left, right) => depth(left) - depth(right))[0];
}

function pathsIn({ names }: KnownFields, path = ""): readonly string[] {
  return [...names].flatMap(([name, inner]) => [
    path + name,
    ...(inner ? pathsIn(inner, `${path}${name}.`) : []),
  ]);
}
