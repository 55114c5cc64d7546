/**
 * A field that is required under a condition. The schema declares the field optional, and this table has the condition.
 */
export interface Need extends Place {
  /** All of these must hold. */
  readonly when: readonly Condition[];
}

/** The place of a field in a request. */
interface Place {
  /** The dotted path of the field, such as `order.env.storeTerminalId`. */
  readonly field: string;
  readonly path: readonly string[];
  /** Reads the field's value. The function is built once, because every payment is checked. */
  readonly valueIn: (request: object) => unknown;
}

/** A condition: true if the field has one of these values, or is a list that contains one of them. */
interface Condition extends Place {
  readonly values: readonly string[];
}

type Conditions = Readonly<Record<string, readonly string[]>>;

export function need(field: string, when: Conditions = {}): Need {
  const conditions = Object.entries(when).map(([name, values]) => ({ ...placeOf(name), values }));
  return { ...placeOf(field), when: conditions };
}

type Fields = Readonly<Record<string, unknown>> | undefined | null;

/**
 * The place of a field by its dotted path. The names in the path come from our own tables, so no name is a property of
 * `Object.prototype`.
 */
function placeOf(field: string): Place {
  const path = field.split(".");
  const [first = "", second = ""] = path;
  const valueIn: Place["valueIn"] =
    path.length === 1
      ? (request) => (request as Fields)?.[first]
      : path.length === 2
        ? (request) => ((request as Fields)?.[first] as Fields)?.[second]
        : (request) => path.reduce<unknown>((value, name) => (value as Fields)?.[name], request);
  return { field, path, valueIn };
}

/** The same list of required fields, each with one more condition, which comes first. */
export function needsWhen(when: Conditions, needs: readonly Need[]): readonly Need[] {
  const outer = need("", when).when;
  return needs.map((inner) => ({ ...inner, when: [...outer, ...inner.when] }));
}

/**
 * The first field that is required and missing, in the order of the table. The code has plain loops, because it runs
 * for every payment.
 */
export function firstMissing(needs: readonly Need[], request: object): string | undefined {
  for (const one of needs) if (isNeeded(one, request) && !one.valueIn(request)) return one.field;
  return undefined;
}

export function isNeeded({ when }: Need, request: object): boolean {
  for (const { valueIn, values } of when) {
    const value = valueIn(request);
    const holds = Array.isArray(value)
      ? value.some((item) => values.includes(String(item)))
      : values.includes(value as string);
    if (!holds) return false;
  }
  return true;
}

/** The conditions in words: "`productCode` is `IN_STORE_PAYMENT` and `env.terminalType` is `WAP` or `APP`". */
export function conditionsInWords({ when }: Need): string {
  const quoted = (text: string): string => `\`${text}\``;
  return when
    .map(({ field, values }) => `${quoted(field)} is ${values.map(quoted).join(" or ")}`)
    .join(" and ");
}
