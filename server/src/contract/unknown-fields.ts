import { nearestTo } from "../core/nearest.ts";
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
  const root = knownIn(schema);
  const everywhere = root ? pathsIn(root) : [];
  return (json) => {
    if (!root) return none;
    const unknown: Unknown[] = [];
    look(root, json, "", unknown);
    return unknown.length === 0 ? none : unknown.map((one) => warningOf(one, everywhere));
  };
}

const none: readonly Warning[] = [];

/** The field names of an object, or of the entries of a list. */
interface Known {
  readonly names: ReadonlyMap<string, Known | undefined>;
}

interface Unknown {
  readonly known: Known;
  readonly path: string;
  readonly name: string;
}

function knownIn({ properties, items }: SchemaNode): Known | undefined {
  if (items) return knownIn(items);
  if (!properties) return undefined;
  return { names: new Map(Object.entries(properties).map(([name, inner]) => [name, knownIn(inner)])) };
}

function look(known: Known, value: JsonValue, path: string, unknown: Unknown[]): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) look(known, item as JsonValue, `${path}${index}.`, unknown);
    return;
  }
  if (!isObject(value)) return;
  for (const name in value) {
    const inside = value[name];
    const inner = known.names.get(name);
    if (inner) {
      if (typeof inside === "object" && inside !== null) look(inner, inside, `${path}${name}.`, unknown);
    } else if (inside !== null && !known.names.has(name) && unknown.length < warningsMax) {
      // An unknown field with null is not reported: some libraries send every field that they know, with null for
      // absent ones.
      unknown.push({ known, path, name });
    }
  }
}

function warningOf({ known, path, name }: Unknown, everywhere: readonly string[]): Warning {
  if (!isPlainName(name)) return { field: path + unnamed, warning: "ignored: the field name is malformed." };
  const field = path + name;
  const names = [...known.names.keys()];
  const sibling = nearestTo(name, names);
  const nearest = sibling === undefined ? elsewhere(name, everywhere) : path + sibling;
  if (nearest !== undefined)
    return { field, warning: `ignored: ${field}; did you mean ${nearest}?`, nearest };
  const takes = names.length > namesMax ? "" : `; what is taken here: ${names.join(", ")}`;
  return { field, warning: `ignored: ${field}${takes}.` };
}

const unnamed = "*";

/**
 * Whether a warning may repeat a field name. Responses are logged, and a long or numeric name may be a misplaced token.
 */
function isPlainName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_-]{0,31}$/.test(name) && !/[0-9]{6}/.test(name);
}

/** The path of the same name at another depth: `storeTerminalId` belongs in `order.env`. */
function elsewhere(name: string, everywhere: readonly string[]): string | undefined {
  const end = `.${name.toLowerCase()}`;
  const depth = (path: string): number => path.split(".").length;
  const found = everywhere.filter((path) => path.toLowerCase().endsWith(end));
  return found.toSorted((one, other) => depth(one) - depth(other))[0];
}

function pathsIn({ names }: Known, path = ""): readonly string[] {
  return [...names].flatMap(([name, inner]) => [
    path + name,
    ...(inner ? pathsIn(inner, `${path}${name}.`) : []),
  ]);
}
