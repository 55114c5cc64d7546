import { conditionsInWords, type Need } from "../core/need.ts";

/** A schema as JSON, as far as descriptions are concerned. */
interface Described {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
  readonly "x-needed-when"?: readonly Readonly<Record<string, readonly string[]>>[];
}

/**
 * A request's schema that says of each field when it is needed: in words, for OpenAPI, the client libraries and the
 * reference, and as a table for machines. From the very table that refuses, so none of them can be wrong.
 */
export function describeNeeds<Schema extends Described>(schema: Schema, needs: readonly Need[] = []): Schema {
  const fields = [...new Set(needs.map(({ field }) => field))];
  return fields.reduce((described, field) => {
    const reasons = needs.filter((need) => need.field === field);
    return describedAt(described, field.split("."), reasons);
  }, schema);
}

function describedAt<Schema extends Described>(
  schema: Schema,
  [name, ...rest]: readonly string[],
  reasons: readonly Need[],
): Schema {
  if (name === undefined) return withReasons(schema, reasons);
  const inner = schema.properties?.[name];
  if (!inner) throw new Error(`A field that is needed is not in the schema: ${name}.`);
  return { ...schema, properties: { ...schema.properties, [name]: describedAt(inner, rest, reasons) } };
}

function withReasons<Schema extends Described>(schema: Schema, reasons: readonly Need[]): Schema {
  const words = `Needed when ${reasons.map(conditionsInWords).join(", or when ")}.`;
  return {
    ...schema,
    description: [schema.description, words].filter(Boolean).join(" "),
    "x-needed-when": reasons.map(({ when }) =>
      Object.fromEntries(when.map(({ field, values }) => [field, values])),
    ),
  };
}
