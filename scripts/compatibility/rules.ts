import { both, wayBack, type Document, type Operation, type Schema } from "./document.ts";

/**
 * Rules for breaking changes: each finds what breaks a program written for the released document. A change
 * that no rule finds is allowed: new operations of ours, notifications and result codes, new fields in what
 * we send, optional fields in what we take, and new values of an open enum.
 */
export interface Rule<Part> {
  readonly name: string;
  find(before: Part, after: Part): readonly string[];
}

/**
 * The caller: merchants call the gateway, or the gateway calls a wallet. Notifications and callbacks go the
 * other way.
 */
export type Caller = "others" | "gateway";

/** Data that the gateway reads, and data that it writes, in any call. */
export type Side = "taken" | "given";

const forEveryDocument: readonly Rule<Document>[] = [
  { name: "a base path is gone", find: (before, after) => lacking(urlsOf(before), urlsOf(after)) },
  {
    name: "a notification or callback is gone",
    find: (before, after) => gone(wayBack(before), wayBack(after)),
  },
  {
    name: "a result code is gone",
    find: (before, after) => gone(before["x-result-codes"], after["x-result-codes"]),
  },
  {
    // Status and class decide whether a caller ships the goods, asks again or gives up.
    name: "a result code means something else",
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
    { name: "an operation is gone", find: (before, after) => gone(before.paths, after.paths) },
  ],
  gateway: [
    ...forEveryDocument,
    {
      // A wallet that does not know the operation answers with an error, for a payment of a real buyer.
      name: "another operation has to be answered",
      find: (before, after) => gone(after.paths, before.paths),
    },
  ],
};

export const operationRules: readonly Rule<Operation>[] = [
  {
    // Client generators name their functions after it.
    name: "the operation has another name",
    find: (before, after) => different(before.operationId, after.operationId),
  },
  {
    // Idempotency: a retry with the same id would be executed twice, or refused.
    name: "a retry is known by another field",
    find: (before, after) => different(before["x-idempotency-field"], after["x-idempotency-field"]),
  },
  {
    // Libraries retry an inquiry after a timeout without asking.
    name: "an inquiry became an action",
    find: (before, after) => (before["x-inquiry"] && !after["x-inquiry"] ? ["x-inquiry"] : []),
  },
  {
    // Callers have no branch for the code that is sent instead.
    name: "the operation lost a result code",
    find: (before, after) => lacking(before["x-result-codes"], after["x-result-codes"]),
  },
  {
    name: "a request has another form",
    find: (before, after) => gone(before.requestBody.content, after.requestBody.content),
  },
  {
    name: "an answer has another form",
    find: (before, after) => lacking(formsOf(before), formsOf(after)),
  },
];

const forEverySchema: readonly Rule<Schema>[] = [
  { name: "the type is another", find: (before, after) => different(before.type, after.type) },
  { name: "the format is another", find: (before, after) => different(before.format, after.format) },
  {
    name: "what a list holds is another",
    find: (before, after) => different(before.items && "described", after.items && "described"),
  },
  {
    // A caller that leaves the field out, or finds it missing, relies on the documented default.
    name: "the default is another",
    find: (before, after) => different(before.default, after.default),
  },
  {
    // A sender of the field is ignored from now on, and a reader finds nothing.
    name: "a field is gone",
    find: (before, after) => gone(before.properties, after.properties),
  },
  {
    // A sender of the value is refused, and a reader waits for it for ever.
    name: "a value is gone",
    find: (before, after) => (after.enum ? lacking(before.enum, after.enum) : []),
  },
  {
    // The wire stays as it is, but a class of the client libraries is renamed.
    name: "the type has another name",
    find: (before, after) => different(before.title, after.title),
  },
];

/** Rules by direction: data that the gateway reads, or writes. Headers count as fields. */
export const schemaRules: Readonly<Record<Side, readonly Rule<Schema>[]>> = {
  taken: [
    ...forEverySchema,
    {
      name: "a field has to be sent",
      find: (before, after) => lacking(after.required, before.required),
    },
    {
      name: "only some values are taken",
      find: (before, after) => (!before.enum && after.enum ? after.enum : []),
    },
    {
      // Documents before 0.2 name no conditions, so a field's first one is not known to be new.
      name: "a field has to be sent in another case",
      find: ({ "x-needed-when": was }, { "x-needed-when": is }) =>
        was ? lacking(is?.map(inWords), was.map(inWords)) : [],
    },
    { name: "less is taken", find: (before, after) => narrowed(before, after) },
    {
      // Whether one regular expression matches all that another does is not decidable here, so every change
      // is a break.
      name: "other texts are taken",
      find: ({ pattern: was }, { pattern: is }) => (is === undefined ? [] : different(was, is)),
    },
    {
      // Unmarked fields are searched for card numbers, so an order number of sixteen digits would be refused.
      name: "what looks like a card number is refused",
      find: (before, after) => (mayBeDigits(before) && !mayBeDigits(after) ? ["x-digits"] : []),
    },
  ],
  given: [
    ...forEverySchema,
    {
      name: "a field is not certain any more",
      find: (before, after) =>
        lacking(before.required, after.required).filter((name) => name in (after.properties ?? {})),
    },
    {
      // Only a reader of an open enum has a branch for unknown values.
      name: "a value is new to a closed enum",
      find: (before, after) => (isClosed(before) ? lacking(after.enum, before.enum) : []),
    },
    {
      name: "any value may come",
      find: (before, after) =>
        before.enum && (!after.enum || (isClosed(before) && !isClosed(after))) ? ["enum"] : [],
    },
    {
      // Columns of databases are as wide as the document says.
      name: "more is given",
      find: (before, after) => narrowed(after, before, "backwards"),
    },
    {
      name: "other texts are given",
      find: ({ pattern: was }, { pattern: is }) => (was === undefined ? [] : different(was, is)),
    },
  ],
};

const lowest = ["minLength", "minimum", "minItems"] as const;
const highest = ["maxLength", "maximum", "maxItems"] as const;

/** The limits that are narrower than before; read backwards, those that are wider. */
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
