import { conditionsInWords, type Need } from "../core/conditional-required.ts";

/** The part of a JSON schema that descriptions need. */
interface Described {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
  readonly "x-needed-when"?: readonly Readonly<Record<string, readonly string[]>>[];
}

/**
 * Adds to each field of a request's schema the conditions under which it is required: in words, for OpenAPI, the client
 * libraries and the reference, and as a table for programs. The source is the table by which requests are rejected, so
 * the descriptions are correct.
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
