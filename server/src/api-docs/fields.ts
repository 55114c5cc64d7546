import { html, type Html, type HtmlPart } from "../core/html.ts";
import { prose } from "./prose.ts";

/** The subset of JSON Schema that operations use. */
export interface SchemaNode {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly "x-open-enum"?: boolean;
  readonly "x-secret"?: boolean;
  readonly "x-personal"?: boolean;
  readonly "x-needed-when"?: readonly object[];
}

interface Field {
  readonly name: string;
  readonly depth: number;
  readonly schema: SchemaNode;
  readonly required: boolean;
}

/** The third column: its title and its values. */
interface Presence {
  readonly title: string;
  readonly required: string;
  readonly optional: string;
  /** For a field whose meaning says when it is needed. */
  readonly depends?: string;
}

interface FieldsTable {
  readonly caption: string;
  readonly schema: SchemaNode;
  readonly presence: Presence;
  /** Shows the pattern of a value: for requests, because only the writer needs it. */
  readonly patterns: boolean;
  /** A row before all others, for what every answer has. */
  readonly first?: Html;
}

/** One row for each field, those of an object indented below it. */
export function fieldsTable({ caption, schema, presence, patterns, first }: FieldsTable): Html {
  const rows = fieldsOf(schema).map(
    (field) =>
      html`<tr class="depth-${Math.min(field.depth, 4)}">
        <th scope="row"><code>${field.name}</code></th>
        <td>${typeOf(field.schema)}</td>
        <td class="${field.required ? "must" : "may"}">${presenceOf(field, presence)}</td>
        <td>${lengthOf(field.schema)}</td>
        <td>${meaningOf(field.schema)} ${patterns ? patternOf(field.schema) : undefined}</td>
      </tr> `,
  );
  return html`<table class="fields stacks">
    <caption>
      ${caption}
    </caption>
    <thead>
      <tr>
        <th scope="col">Field</th>
        <th scope="col">Type</th>
        <th scope="col">${presence.title}</th>
        <th scope="col">Length</th>
        <th scope="col">Meaning</th>
      </tr>
    </thead>
    <tbody>
      ${first}${rows}
    </tbody>
  </table>`;
}

function presenceOf({ required, schema }: Field, presence: Presence): string {
  if (required) return presence.required;
  return (schema["x-needed-when"] && presence.depends) ?? presence.optional;
}

/** A type with a name, such as Amount, is spelled out where it comes first, and only named after that. */
function fieldsOf(object: SchemaNode, depth = 0, spelledOut = new Set<string>()): Field[] {
  const { properties = {}, required = [], title } = object;
  if (title !== undefined && spelledOut.has(title)) return [];
  if (title !== undefined) spelledOut.add(title);
  return Object.entries(properties).flatMap(([name, schema]) => [
    { name, depth, schema, required: required.includes(name) },
    ...fieldsOf(schema.items ?? schema, depth + 1, spelledOut),
  ]);
}

function typeOf(schema: SchemaNode): string {
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  return schema.title ?? schema.type ?? "any";
}

function lengthOf(schema: SchemaNode): string {
  if (schema.items) return range(schema.minItems, schema.maxItems, " items");
  if (schema.type === "integer" || schema.type === "number") return range(schema.minimum, schema.maximum);
  return range(schema.minLength, schema.maxLength, " characters");
}

function range(min: number | undefined, max: number | undefined, unit = ""): string {
  if (max === undefined) return min === undefined ? "" : `${min}${unit} or more`;
  if (min === undefined) return `up to ${max}${unit}`;
  return min === max ? `${min}${unit}` : `${min} to ${max}${unit}`;
}

function meaningOf({ description, enum: values, ...schema }: SchemaNode): Html {
  const choices = values?.map((value, index): HtmlPart => [
    index > 0 ? " " : "",
    html`<code>${value}</code>`,
  ]);
  const others = schema["x-open-enum"] ? " Others may come." : undefined;
  return html`${description && prose(description)}
  ${choices && html`<span class="choices">${choices}${others}</span>`}
  ${schema["x-secret"] ? html`<span class="choices">Secret: never written to a log.</span>` : undefined}
  ${schema["x-personal"] ? html`<span class="choices">Personal: not written to a log.</span>` : undefined}`;
}

function patternOf({ pattern }: SchemaNode): Html | undefined {
  return pattern === undefined
    ? undefined
    : html`<span class="choices">Matches <code>${pattern}</code></span>`;
}
