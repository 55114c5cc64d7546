import { formatConditions, type RequiredField } from "../core/conditional-required.ts";

/** The part of a JSON schema that descriptions need. */
interface DescribedNode {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, DescribedNode>>;
  readonly items?: DescribedNode;
  readonly "x-needed-when"?: readonly Readonly<Record<string, readonly string[]>>[];
}

/**
 * Adds to each field of a request's schema the conditions under which it is required: in words, for OpenAPI, the client
 * libraries and the reference, and as a table for programs. The source is the table by which requests are rejected, so
 * the descriptions are correct.
 */
export function describeRequiredFields<Schema extends DescribedNode>(
  schema: Schema,
  requiredFields: readonly RequiredField[] = [],
): Schema {
  const fields = [...new Set(requiredFields.map(({ field }) => field))];
  return fields.reduce((described, field) => {
    const reasons = requiredFields.filter((need) => need.field === field);
    return describeAt(described, field.split("."), reasons);
  }, schema);
}

function describeAt<Schema extends DescribedNode>(
  schema: Schema,
  [name, ...rest]: readonly string[],
  reasons: readonly RequiredField[],
): Schema {
  if (name === undefined) return describeReasons(schema, reasons);
  const inner = schema.properties?.[name];
  if (!inner) throw new Error(`A field that is needed is not in the schema: ${name}.`);
  return { ...schema, properties: { ...schema.properties, [name]: describeAt(inner, rest, reasons) } };
}

function describeReasons<Schema extends DescribedNode>(
  schema: Schema,
  reasons: readonly RequiredField[],
): Schema {
  const words = `Needed when ${reasons.map(formatConditions).join(", or when ")}.`;
  return {
    ...schema,
    description: [schema.description, words].filter(Boolean).join(" "),
    "x-needed-when": reasons.map(({ conditions }) =>
      Object.fromEntries(conditions.map(({ field, values }) => [field, values])),
    ),
  };
}
