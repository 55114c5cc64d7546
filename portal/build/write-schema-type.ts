/** The parts of JSON Schema that our tables use. */
export interface JsonSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

/** `writeType` returns a schema as a TypeScript type, indented by `depth` steps. */
export function writeType(schema: JsonSchema, depth = 0): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return schema.anyOf.map((each) => writeType(each, depth)).join(" | ");
  if (schema.items) return `readonly (${writeType(schema.items, depth)})[]`;
  if (schema.properties && Object.keys(schema.properties).length > 0) return writeObjectType(schema, depth);
  return plainTypes[schema.type ?? ""] ?? "unknown";
}

const plainTypes: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  object: "object",
};

function writeObjectType({ properties = {}, required = [] }: JsonSchema, depth: number): string {
  const indent = "  ".repeat(depth + 1);
  const members = Object.entries(properties).map(([name, schema]) => {
    const optionalMark = required.includes(name) ? "" : "?";
    const comment = schema.description ? `${indent}/** ${schema.description} */\n` : "";
    return `${comment}${indent}readonly ${quoteName(name)}${optionalMark}: ${writeType(schema, depth + 1)};`;
  });
  return `{\n${members.join("\n")}\n${"  ".repeat(depth)}}`;
}

function quoteName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}
