import { both, wayBack, type Document, type Operation, type Schema } from "./document.ts";

/**
 * What breaks a program that was written for the released document, rule by rule. Each finds the details of what it
 * forbids, and nothing when all is well. What no rule finds is allowed: new operations of ours, notifications and
 * result codes, new fields in what we send, optional ones in what we take, and new values of an enum that is open.
 */
export interface Rule<Part> {
  readonly name: string;
  find(before: Part, after: Part): readonly string[];
}

/** Who calls: merchants the gateway, or the gateway a wallet. Notifications and callbacks go the other way. */
export type Caller = "others" | "gateway";

/** What the gateway reads, and what it writes; whatever the call. */
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

/** By who calls the operations in `paths`. */
export const documentRules: Readonly<Record<Caller, readonly Rule<Document>[]>> = {
  others: [
    ...forEveryDocument,
    { name: "an operation is gone", find: (before, after) => gone(before.paths, after.paths) },
  ],
  gateway: [
    ...forEveryDocument,
    {
      // A wallet that does not know it answers with an error, for a payment of a real buyer.
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
    // A retry with the same id would be done twice, or refused.
    name: "a retry is known by another field",
    find: (before, after) => different(before["x-idempotency-field"], after["x-idempotency-field"]),
  },
  {
    // Libraries retry an inquiry after a timeout without asking.
    name: "an inquiry became an action",
    find: (before, after) => (before["x-inquiry"] && !after["x-inquiry"] ? ["x-inquiry"] : []),
  },
  {
    // What it told is told by another code now, for which its callers have no branch.
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
    // Who leaves the field out, or finds it left out, has been told what that means.
    name: "the default is another",
    find: (before, after) => different(before.default, after.default),
  },
  {
    // Whoever sent it is ignored from now on, and whoever read it finds nothing.
    name: "a field is gone",
    find: (before, after) => gone(before.properties, after.properties),
  },
  {
    // Who sends it is refused, and who waits for it waits for ever.
    name: "a value is gone",
    find: (before, after) => (after.enum ? lacking(before.enum, after.enum) : []),
  },
  {
    // The wire stays as it is, but a class of the client libraries is renamed.
    name: "the type has another name",
    find: (before, after) => different(before.title, after.title),
  },
];

/** By whether it is we who read or write. Headers are fields as well. */
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
    { name: "less is taken", find: (before, after) => narrowed(before, after) },
    {
      // Whether one expression matches all that another does cannot be decided; so every change is a question.
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
      // Only a reader who was told that the enum is open has a branch for what it does not know.
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

/** The limits that leave less room than before; read backwards, those that leave more. */
function narrowed(before: Schema, after: Schema, reading?: "backwards"): string[] {
  const limits = [
    ...lowest.filter((key) => (after[key] ?? -Infinity) > (before[key] ?? -Infinity)),
    ...highest.filter((key) => (after[key] ?? Infinity) < (before[key] ?? Infinity)),
  ];
  const [was, is] = reading === "backwards" ? [after, before] : [before, after];
  return limits.map((key) => `${key} ${change(was[key], is[key])}`);
}

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
