import { both, wayBack, type Document, type Operation, type Schema } from "./document.ts";

/**
 * Rules for breaking changes: each finds a change that breaks a program written for the released document. A change
 * that no rule finds is allowed: new operations of ours, webhooks and result codes, new fields in data that we send,
 * optional fields in data that we accept, and new values of an open enum.
 */
export interface Rule<Part> {
  readonly name: string;
  find(before: Part, after: Part): readonly string[];
}

/**
 * The caller: merchants send requests to the gateway, or the gateway sends requests to a provider. Webhooks and
 * callbacks have the opposite direction.
 */
export type Caller = "others" | "gateway";

/** The direction of data: `taken` is data that the gateway reads, and `given` is data that the gateway writes. */
export type Side = "taken" | "given";

const forEveryDocument: readonly Rule<Document>[] = [
  { name: "a base path was removed", find: (before, after) => lacking(urlsOf(before), urlsOf(after)) },
  {
    name: "a webhook or callback was removed",
    find: (before, after) => gone(wayBack(before), wayBack(after)),
  },
  {
    name: "a result code was removed",
    find: (before, after) => gone(before["x-result-codes"], after["x-result-codes"]),
  },
  {
    // A caller decides by the status and the class of a result code whether it ships the goods, retries or gives up.
    name: "the meaning of a result code changed",
    find: (before, after) =>
      both(before["x-result-codes"], after["x-result-codes"]).flatMap(([code, was, is]) =>
        (["status", "error", "retryable"] as const)
          .filter((key) => was[key] !== is[key])
          .map((key) => `${code}, ${key} ${change(was[key], is[key])}`),
      ),
  },
];

/** Rules by the caller of the operations in `paths`. */
export const documentRules: Readonly<Record<Caller, readonly Rule<Document>[]>> = {
  others: [
    ...forEveryDocument,
    { name: "an operation was removed", find: (before, after) => gone(before.paths, after.paths) },
  ],
  gateway: [
    ...forEveryDocument,
    {
      // A provider that does not know a new operation responds to it with an error, possibly for a real buyer's
      // payment.
      name: "a new operation must be implemented",
      find: (before, after) => gone(after.paths, before.paths),
    },
  ],
};

export const operationRules: readonly Rule<Operation>[] = [
  {
    // Client generators name their functions after the `operationId`.
    name: "the operation was renamed",
    find: (before, after) => different(before.operationId, after.operationId),
  },
  {
    // Idempotency: a retry with the same id would be executed twice, or rejected.
    name: "the idempotency field changed",
    find: (before, after) => different(before["x-idempotency-field"], after["x-idempotency-field"]),
  },
  {
    // Libraries retry an inquiry automatically after a timeout.
    name: "an inquiry became an action",
    find: (before, after) => (before["x-inquiry"] && !after["x-inquiry"] ? ["x-inquiry"] : []),
  },
  {
    // Callers have no branch for the result code that the operation returns instead.
    name: "the operation no longer returns a result code",
    find: (before, after) => lacking(before["x-result-codes"], after["x-result-codes"]),
  },
  {
    name: "the media type of a request changed",
    find: (before, after) => gone(before.requestBody.content, after.requestBody.content),
  },
  {
    name: "the status or media type of a response changed",
    find: (before, after) => lacking(formsOf(before), formsOf(after)),
  },
];

const forEverySchema: readonly Rule<Schema>[] = [
  { name: "the type changed", find: (before, after) => different(before.type, after.type) },
  { name: "the format changed", find: (before, after) => different(before.format, after.format) },
  {
    name: "the items of a list changed",
    find: (before, after) => different(before.items && "described", after.items && "described"),
  },
  {
    // A caller that omits a field, or does not find it in a response, relies on the documented default.
    name: "the default changed",
    find: (before, after) => different(before.default, after.default),
  },
  {
    // The gateway ignores a removed field that a caller sends, and a caller that reads the field does not find it.
    name: "a field was removed",
    find: (before, after) => gone(before.properties, after.properties),
  },
  {
    // The gateway rejects a removed value that a caller sends, and never returns it to a caller that waits for it.
    name: "a value was removed",
    find: (before, after) => (after.enum ? lacking(before.enum, after.enum) : []),
  },
  {
    // A renamed schema does not change the JSON, but it renames a class of the client libraries.
    name: "the type was renamed",
    find: (before, after) => different(before.title, after.title),
  },
];

/** Rules by direction: data that the gateway reads, or writes. Headers count as fields. */
export const schemaRules: Readonly<Record<Side, readonly Rule<Schema>[]>> = {
  taken: [
    ...forEverySchema,
    {
      name: "a field became required",
      find: (before, after) => lacking(after.required, before.required),
    },
    {
      name: "values are restricted to an enum",
      find: (before, after) => (!before.enum && after.enum ? after.enum : []),
    },
    {
      // Documents before 0.2 have no conditions, so a field's first condition may be old.
      name: "the condition of a required field changed",
      find: ({ "x-needed-when": was }, { "x-needed-when": is }) =>
        was ? lacking(is?.map(inWords), was.map(inWords)) : [],
    },
    { name: "accepted values were narrowed", find: (before, after) => narrowed(before, after) },
    {
      // Every change of a pattern is a break, because this rule cannot decide whether a new regular expression matches
      // everything that the old one matches.
      name: "the accepted pattern changed",
      find: ({ pattern: was }, { pattern: is }) => (is === undefined ? [] : different(was, is)),
    },
    {
      // Unmarked fields are searched for card numbers, so an order number of sixteen digits would be rejected.
      name: "values like card numbers are rejected",
      find: (before, after) => (mayBeDigits(before) && !mayBeDigits(after) ? ["x-digits"] : []),
    },
  ],
  given: [
    ...forEverySchema,
    {
      name: "a field is no longer always present",
      find: (before, after) =>
        lacking(before.required, after.required).filter((name) => name in (after.properties ?? {})),
    },
    {
      // Readers of a closed enum have no branch for unknown values.
      name: "a value was added to a closed enum",
      find: (before, after) => (isClosed(before) ? lacking(after.enum, before.enum) : []),
    },
    {
      name: "an enum was opened",
      find: (before, after) =>
        before.enum && (!after.enum || (isClosed(before) && !isClosed(after))) ? ["enum"] : [],
    },
    {
      // Callers store values in database columns that are as wide as the document says.
      name: "sent values were widened",
      find: (before, after) => narrowed(after, before, "backwards"),
    },
    {
      name: "the sent pattern changed",
      find: ({ pattern: was }, { pattern: is }) => (was === undefined ? [] : different(was, is)),
    },
  ],
};

const lowest = ["minLength", "minimum", "minItems"] as const;
const highest = ["maxLength", "maximum", "maxItems"] as const;

/** `narrowed` returns limits that are narrower than before, and with `backwards` limits that are wider. */
function narrowed(before: Schema, after: Schema, reading?: "backwards"): string[] {
  const limits = [
    ...lowest.filter((key) => (after[key] ?? -Infinity) > (before[key] ?? -Infinity)),
    ...highest.filter((key) => (after[key] ?? Infinity) < (before[key] ?? Infinity)),
  ];
  const [was, is] = reading === "backwards" ? [after, before] : [before, after];
  return limits.map((key) => `${key} ${change(was[key], is[key])}`);
}

const inWords = (condition: object): string => JSON.stringify(condition);

const isClosed = (schema: Schema): boolean => schema.enum !== undefined && !schema["x-open-enum"];

const mayBeDigits = (schema: Schema): boolean => schema["x-digits"] === true || schema["x-digest"] === true;

const urlsOf = ({ servers }: Document): string[] => servers.map(({ url }) => url);

function formsOf({ responses }: Operation): string[] {
  return Object.entries(responses).flatMap(([status, { content = {} }]) => [
    status,
    ...Object.keys(content).map((form) => `${status} ${form}`),
  ]);
}

function lacking(wanted: readonly string[] = [], there: readonly string[] = []): string[] {
  return wanted.filter((each) => !there.includes(each));
}

const gone = (before: object = {}, after: object = {}): string[] =>
  lacking(Object.keys(before), Object.keys(after));

type Plain = string | number | boolean | undefined;

const different = (was: Plain, is: Plain): string[] => (was === is ? [] : [change(was, is)]);

const change = (was: Plain, is: Plain): string => `${was ?? "none"} → ${is ?? "none"}`;
