/**
 * A field that is required under a condition. The schema declares the field optional, and this table has the condition.
 */
export interface RequiredField extends FieldPath {
  /** All of these must hold. */
  readonly conditions: readonly Condition[];
}

/** The place of a field in a request. */
interface FieldPath {
  /** The dotted path of the field, such as `order.env.storeTerminalId`. */
  readonly field: string;
  readonly path: readonly string[];
  /** Reads the field's value. The function is built once, because every payment is checked. */
  readonly valueIn: (request: object) => unknown;
}

/** A condition: true if the field has one of these values, or is a list that contains one of them. */
interface Condition extends FieldPath {
  readonly values: readonly string[];
}

type Conditions = Readonly<Record<string, readonly string[]>>;

export function requireField(field: string, when: Conditions = {}): RequiredField {
  const conditions = Object.entries(when).map(([name, values]) => ({ ...parseFieldPath(name), values }));
  return { ...parseFieldPath(field), conditions };
}

type Fields = Readonly<Record<string, unknown>> | undefined | null;

/**
 * The place of a field by its dotted path. The names in the path come from our own tables, so no name is a property of
 * `Object.prototype`.
 */
function parseFieldPath(field: string): FieldPath {
  const path = field.split(".");
  const [first = "", second = ""] = path;
  const valueIn: FieldPath["valueIn"] =
    path.length === 1
      ? (request) => (request as Fields)?.[first]
      : path.length === 2
        ? (request) => ((request as Fields)?.[first] as Fields)?.[second]
        : (request) => path.reduce<unknown>((value, name) => (value as Fields)?.[name], request);
  return { field, path, valueIn };
}

/** The same list of required fields, each with one more condition, which comes first. */
export function requireFieldsWhen(
  when: Conditions,
  requiredFields: readonly RequiredField[],
): readonly RequiredField[] {
  const outer = requireField("", when).conditions;
  return requiredFields.map((requirement) => ({
    ...requirement,
    conditions: [...outer, ...requirement.conditions],
  }));
}

/**
 * The first field that is required and missing, in the order of the table. The code has plain loops, because it runs
 * for every payment.
 */
export function findMissingField(
  requiredFields: readonly RequiredField[],
  request: object,
): string | undefined {
  for (const requirement of requiredFields)
    if (isRequired(requirement, request) && !requirement.valueIn(request)) return requirement.field;
  return undefined;
}

export function isRequired({ conditions }: RequiredField, request: object): boolean {
  for (const { valueIn, values } of conditions) {
    const value = valueIn(request);
    const isMet = Array.isArray(value)
      ? value.some((item) => values.includes(String(item)))
      : values.includes(value as string);
    if (!isMet) return false;
  }
  return true;
}

/** The conditions in words: "`productCode` is `IN_STORE_PAYMENT` and `env.terminalType` is `WAP` or `APP`". */
export function formatConditions({ conditions }: RequiredField): string {
  const quoted = (text: string): string => `\`${text}\``;
  return conditions
    .map(({ field, values }) => `${quoted(field)} is ${values.map(quoted).join(" or ")}`)
    .join(" and ");
}
