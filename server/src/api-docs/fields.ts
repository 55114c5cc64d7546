import { html, type Html } from "../formats/html.ts";
import { results } from "../core/result.ts";
import { sectionHeading } from "./page-layout.ts";
import { renderProse } from "./prose.ts";

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
  readonly "x-enumDescriptions"?: Readonly<Record<string, string>>;
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
  /** The field's path in the body, with dots. */
  readonly path: string;
  readonly depth: number;
  readonly schema: SchemaNode;
  readonly required: boolean;
}

/** The third column of the table of fields: its title and its values. */
interface Presence {
  readonly title: string;
  readonly required: string;
  readonly optional: string;
  /** The text for a field whose description says when the field is required. */
  readonly depends?: string;
}

interface FieldsTable {
  /** The anchor of the table of fields. The anchor of a field is the table's anchor, a dot and the field's path. */
  readonly id: string;
  readonly title: string;
  readonly schema: SchemaNode;
  readonly presence: Presence;
  /**
   * Whether the table shows the patterns of values. Only tables of requests do, because only a request's author needs
   * the patterns.
   */
  readonly patterns: boolean;
  /** A row before all other rows of the table, for a field of every response. */
  readonly first?: Html;
}

/** A table with one row for each field. Fields of an object are indented below the object. */
export function fieldsTable({ id, title, schema, presence, patterns, first }: FieldsTable): Html {
  const rows = fieldsOf(schema).map(
    (field) =>
      html`<tr id="${id}.${field.path}" class="depth-${Math.min(field.depth, 4)}">
        <th scope="row"><code>${field.name}</code></th>
        <td>${typeText(field.schema)}</td>
        <td class="${field.required ? "must" : "may"}">${presenceText(field, presence)}</td>
        <td>${lengthText(field.schema)}</td>
        <td>${renderMeaning(field.schema)} ${patterns ? renderPattern(field.schema) : undefined}</td>
      </tr> `,
  );
  return html`${sectionHeading(id, title)}
    <table class="fields stacks" aria-labelledby="${id}">
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

function presenceText({ required, schema }: Field, presence: Presence): string {
  if (required) return presence.required;
  return (schema["x-needed-when"] && presence.depends) ?? presence.optional;
}

/**
 * The rows of a table of fields. A named type, such as Amount, is described at its first use, and only named after
 * that.
 */
function fieldsOf(
  object: SchemaNode,
  parentNames: readonly string[] = [],
  describedTypes = new Set<string>(),
): Field[] {
  const { properties = {}, required = [], title } = object;
  if (title !== undefined && describedTypes.has(title)) return [];
  if (title !== undefined) describedTypes.add(title);
  return Object.entries(properties).flatMap(([name, schema]) => [
    {
      name,
      path: [...parentNames, name].join("."),
      depth: parentNames.length,
      schema,
      required: required.includes(name),
    },
    ...fieldsOf(schema.items ?? schema, [...parentNames, name], describedTypes),
  ]);
}

function typeText(schema: SchemaNode): string {
  if (schema.items) return `list of ${typeText(schema.items)}`;
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeText))].join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  return schema.title ?? schema.type ?? "any";
}

function lengthText(schema: SchemaNode): string {
  if (schema.items) return rangeText(schema.minItems, schema.maxItems, " items");
  if (schema.type === "integer" || schema.type === "number") return rangeText(schema.minimum, schema.maximum);
  return rangeText(schema.minLength, schema.maxLength, " characters");
}

function rangeText(min: number | undefined, max: number | undefined, unit = ""): string {
  if (max === undefined) return min === undefined ? "" : `${min}${unit} or more`;
  if (min === undefined) return `up to ${max}${unit}`;
  return min === max ? `${min}${unit}` : `${min} to ${max}${unit}`;
}

function renderMeaning(schema: SchemaNode): Html {
  const { description } = schema;
  return html`${description && renderProse(description)} ${renderChoices(schema.items ?? schema)}
  ${schema["x-secret"] ? html`<span class="choices">Secret: never written to a log.</span>` : undefined}
  ${schema["x-personal"] ? html`<span class="choices">Personal: not written to a log.</span>` : undefined}`;
}

/** The values of a field with their meanings. For a list, the values of its entries. */
function renderChoices(schema: SchemaNode): Html | undefined {
  const { enum: values, "x-enumDescriptions": meanings = {} } = schema;
  if (values === undefined) return undefined;
  if (values.length === resultCount)
    return html`<span class="choices">One of the <a href="/docs/results#codes">result codes</a>.</span>`;
  return html`<ul class="values">
    ${values.map((value) => html`<li><code>${value}</code> ${renderProse(meanings[value] ?? "")}</li> `)}
    ${schema["x-open-enum"] ? html`<li>Others may come.</li>` : undefined}
  </ul>`;
}

const resultCount = Object.keys(results).length;

function renderPattern({ pattern }: SchemaNode): Html | undefined {
  return pattern === undefined
    ? undefined
    : html`<span class="choices">Matches <code>${pattern}</code></span>`;
}
