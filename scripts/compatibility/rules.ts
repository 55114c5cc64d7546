import {
  matchingEntries,
  reverseOperations,
  type Document,
  type Operation,
  type Schema,
} from "./openapi-document.ts";

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

const commonDocumentRules: readonly Rule<Document>[] = [
  { name: "a base path was removed", find: (before, after) => missingFrom(urlsOf(before), urlsOf(after)) },
  {
    name: "a webhook or callback was removed",
    find: (before, after) => removedKeys(reverseOperations(before), reverseOperations(after)),
  },
  {
    name: "a result code was removed",
    find: (before, after) => removedKeys(before["x-result-codes"], after["x-result-codes"]),
  },
  {
    // A caller decides by the status and the class of a result code whether it ships the goods, retries or gives up.
    name: "the meaning of a result code changed",
    find: (before, after) =>
      matchingEntries(before["x-result-codes"], after["x-result-codes"]).flatMap(([code, was, is]) =>
        (["status", "error", "retryable"] as const)
          .filter((key) => was[key] !== is[key])
          .map((key) => `${code}, ${key} ${describeChange(was[key], is[key])}`),
      ),
  },
];

/** Rules by the caller of the operations in `paths`. */
export const documentRules: Readonly<Record<Caller, readonly Rule<Document>[]>> = {
  others: [
    ...commonDocumentRules,
    { name: "an operation was removed", find: (before, after) => removedKeys(before.paths, after.paths) },
  ],
  gateway: [
    ...commonDocumentRules,
    {
      // A provider that does not know a new operation responds to it with an error, possibly for a real buyer's
      // payment.
      name: "a new operation must be implemented",
      find: (before, after) => removedKeys(after.paths, before.paths),
    },
  ],
};

export const operationRules: readonly Rule<Operation>[] = [
  {
    // Client generators name their functions after the `operationId`.
    name: "the operation was renamed",
    find: (before, after) => differenceOf(before.operationId, after.operationId),
  },
  {
    // Idempotency: a retry with the same id would be executed twice, or rejected.
    name: "the idempotency field changed",
    find: (before, after) => differenceOf(before["x-idempotency-field"], after["x-idempotency-field"]),
  },
  {
    // Libraries retry an inquiry automatically after a timeout.
    name: "an inquiry became an action",
    find: (before, after) => (before["x-inquiry"] && !after["x-inquiry"] ? ["x-inquiry"] : []),
  },
  {
    // Callers have no branch for the result code that the operation returns instead.
    name: "the operation no longer returns a result code",
    find: (before, after) => missingFrom(before["x-result-codes"], after["x-result-codes"]),
  },
  {
    name: "the media type of a request changed",
    find: (before, after) => removedKeys(before.requestBody.content, after.requestBody.content),
  },
  {
    name: "the status or media type of a response changed",
    find: (before, after) => missingFrom(responseFormsOf(before), responseFormsOf(after)),
  },
];

const commonSchemaRules: readonly Rule<Schema>[] = [
  { name: "the type changed", find: (before, after) => differenceOf(before.type, after.type) },
  { name: "the format changed", find: (before, after) => differenceOf(before.format, after.format) },
  {
    name: "the items of a list changed",
    find: (before, after) => differenceOf(before.items && "described", after.items && "described"),
  },
  {
    // A caller that omits a field, or does not find it in a response, relies on the documented default.
    name: "the default changed",
    find: (before, after) => differenceOf(before.default, after.default),
  },
  {
    // The gateway ignores a removed field that a caller sends, and a caller that reads the field does not find it.
    name: "a field was removed",
    find: (before, after) => removedKeys(before.properties, after.properties),
  },
  {
    // The gateway rejects a removed value that a caller sends, and never returns it to a caller that waits for it.
    name: "a value was removed",
    find: (before, after) => (after.enum ? missingFrom(before.enum, after.enum) : []),
  },
  {
    // A renamed schema does not change the JSON, but it renames a class of the client libraries.
    name: "the type was renamed",
    find: (before, after) => differenceOf(before.title, after.title),
  },
];

/** Rules by direction: data that the gateway reads, or writes. Headers count as fields. */
export const schemaRules: Readonly<Record<Side, readonly Rule<Schema>[]>> = {
  taken: [
    ...commonSchemaRules,
    {
      name: "a field became required",
      find: (before, after) => missingFrom(after.required, before.required),
    },
    {
      name: "values are restricted to an enum",
      find: (before, after) => (!before.enum && after.enum ? after.enum : []),
    },
    {
      // Documents before 0.2 have no conditions, so a field's first condition may be old.
      name: "the condition of a required field changed",
      find: ({ "x-needed-when": was }, { "x-needed-when": is }) =>
        was ? missingFrom(is?.map(formatCondition), was.map(formatCondition)) : [],
    },
    { name: "accepted values were narrowed", find: (before, after) => narrowedLimits(before, after) },
    {
      // Every change of a pattern is a break, because this rule cannot decide whether a new regular expression matches
      // everything that the old one matches.
      name: "the accepted pattern changed",
      find: ({ pattern: was }, { pattern: is }) => (is === undefined ? [] : differenceOf(was, is)),
    },
    {
      // Unmarked fields are searched for card numbers, so an order number of sixteen digits would be rejected.
      name: "values like card numbers are rejected",
      find: (before, after) => (mayBeDigits(before) && !mayBeDigits(after) ? ["x-digits"] : []),
    },
  ],
  given: [
    ...commonSchemaRules,
    {
      name: "a field is no longer always present",
      find: (before, after) =>
        missingFrom(before.required, after.required).filter((name) => name in (after.properties ?? {})),
    },
    {
      // Readers of a closed enum have no branch for unknown values.
      name: "a value was added to a closed enum",
      find: (before, after) => (isClosed(before) ? missingFrom(after.enum, before.enum) : []),
    },
    {
      name: "an enum was opened",
      find: (before, after) =>
        before.enum && (!after.enum || (isClosed(before) && !isClosed(after))) ? ["enum"] : [],
    },
    {
      // Callers store values in database columns that are as wide as the document says.
      name: "sent values were widened",
      find: (before, after) => narrowedLimits(after, before, "backwards"),
    },
    {
      name: "the sent pattern changed",
      find: ({ pattern: was }, { pattern: is }) => (was === undefined ? [] : differenceOf(was, is)),
    },
  ],
};

const lowerLimits = ["minLength", "minimum", "minItems"] as const;
const upperLimits = ["maxLength", "maximum", "maxItems"] as const;

/** `narrowedLimits` returns limits that are narrower than before, and with `backwards` limits that are wider. */
function narrowedLimits(before: Schema, after: Schema, reading?: "backwards"): string[] {
  const limits = [
    ...lowerLimits.filter((key) => (after[key] ?? -Infinity) > (before[key] ?? -Infinity)),
    ...upperLimits.filter((key) => (after[key] ?? Infinity) < (before[key] ?? Infinity)),
  ];
  const [was, is] = reading === "backwards" ? [after, before] : [before, after];
  return limits.map((key) => `${key} ${describeChange(was[key], is[key])}`);
}

const formatCondition = (condition: object): string => JSON.stringify(condition);

const isClosed = (schema: Schema): boolean => schema.enum !== undefined && !schema["x-open-enum"];

const mayBeDigits = (schema: Schema): boolean => schema["x-digits"] === true || schema["x-digest"] === true;

const urlsOf = ({ servers }: Document): string[] => servers.map(({ url }) => url);

function responseFormsOf({ responses }: Operation): string[] {
  return Object.entries(responses).flatMap(([status, { content = {} }]) => [
    status,
    ...Object.keys(content).map((form) => `${status} ${form}`),
  ]);
}

function missingFrom(expected: readonly string[] = [], present: readonly string[] = []): string[] {
  return expected.filter((each) => !present.includes(each));
}

const removedKeys = (before: object = {}, after: object = {}): string[] =>
  missingFrom(Object.keys(before), Object.keys(after));

type Scalar = string | number | boolean | undefined;

const differenceOf = (was: Scalar, is: Scalar): string[] => (was === is ? [] : [describeChange(was, is)]);

const describeChange = (was: Scalar, is: Scalar): string => `${was ?? "none"} → ${is ?? "none"}`;
