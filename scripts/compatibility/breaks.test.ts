import assert from "node:assert/strict";
import { test } from "node:test";
import { breaksBetween, unresolvedBreaks } from "./breaks.ts";
import type { Document, Operation, Schema } from "./openapi-document.ts";
import { documentRules, operationRules, schemaRules, type Caller } from "./rules.ts";

/** Varying parts of a document with one operation and one callback. */
interface Parts {
  readonly document?: Partial<Document>;
  readonly operation?: Partial<Operation>;
  readonly request?: Schema;
  readonly answer?: Schema;
  readonly notification?: Schema;
}

type Example = readonly [before: Parts, after: Parts, breaks: string, caller?: Caller];

const text: Schema = { type: "string" };
const withResponseHeaders = (...names: readonly string[]) => ({
  responses: { "200": { headers: Object.fromEntries(names.map((name) => [name, {}])) } },
});
const withRequestHeader = (name: string, required: boolean) => ({ parameters: [{ name, required }] });
const result = (status: string, error?: string) => ({
  document: { "x-result-codes": { NO_MONEY: { status, ...(error && { error }) } } },
});

/** Rule → a change that only this rule finds, and its message. */
const breakingExamples: Readonly<Record<string, Example>> = {
  "an operation was removed": [
    {},
    { document: { paths: {} } },
    "document: an operation was removed: /payments/pay",
  ],
  "a new operation must be implemented": [
    { document: { paths: {} } },
    {},
    "document: a new operation must be implemented: /payments/pay",
    "gateway",
  ],
  "a webhook or callback was removed": [
    {},
    { document: { webhooks: {} } },
    "document: a webhook or callback was removed: notifyPayment",
  ],
  "a base path was removed": [
    { document: { servers: [{ url: "/v1" }] } },
    { document: { servers: [{ url: "/v2" }] } },
    "document: a base path was removed: /v1",
  ],
  "a result code was removed": [result("F"), {}, "document: a result code was removed: NO_MONEY"],
  "the meaning of a result code changed": [
    result("F"),
    result("U"),
    "document: the meaning of a result code changed: NO_MONEY, status F → U",
  ],
  "the operation was renamed": [
    {},
    { operation: { operationId: "payNow" } },
    "payments/pay: the operation was renamed: pay → payNow",
  ],
  "the idempotency field changed": [
    { operation: { "x-idempotency-field": "requestId" } },
    {},
    "payments/pay: the idempotency field changed: requestId → none",
  ],
  "an inquiry became an action": [
    { operation: { "x-inquiry": true } },
    {},
    "payments/pay: an inquiry became an action: x-inquiry",
  ],
  "the operation no longer returns a result code": [
    { operation: { "x-result-codes": ["SUCCESS", "NO_MONEY"] } },
    { operation: { "x-result-codes": ["SUCCESS"] } },
    "payments/pay: the operation no longer returns a result code: NO_MONEY",
  ],
  "the media type of a request changed": [
    {},
    { operation: { requestBody: { content: { "application/xml": { schema: {} } } } } },
    "payments/pay: the media type of a request changed: application/json",
  ],
  "the status or media type of a response changed": [
    {},
    { operation: { responses: { "200": {} } } },
    "payments/pay: the status or media type of a response changed: 200 application/json",
  ],

  "the type changed": [
    { answer: text },
    { answer: { type: "integer" } },
    "payments/pay answer.field: the type changed: string → integer",
  ],
  "the format changed": [
    { request: { format: "date" } },
    { request: {} },
    "payments/pay request.field: the format changed: date → none",
  ],
  "the items of a list changed": [
    { answer: { items: text } },
    { answer: {} },
    "payments/pay answer.field: the items of a list changed: described → none",
  ],
  "the default changed": [
    { request: { default: "AUTOMATIC" } },
    { request: { default: "MANUAL" } },
    "payments/pay request.field: the default changed: AUTOMATIC → MANUAL",
  ],
  "a field was removed": [
    { request: { properties: { name: text } } },
    { request: { properties: { fullName: text } } },
    "payments/pay request.field: a field was removed: name",
  ],
  "a value was removed": [
    { request: { enum: ["A", "B"], "x-open-enum": true } },
    { request: { enum: ["A"], "x-open-enum": true } },
    "payments/pay request.field: a value was removed: B",
  ],
  "the type was renamed": [
    { notification: { title: "Amount" } },
    { notification: { title: "Money" } },
    "notifyPayment request.field: the type was renamed: Amount → Money",
  ],
  "the condition of a required field changed": [
    { request: { "x-needed-when": [{ kind: ["A"] }] } },
    { request: { "x-needed-when": [{ kind: ["A"] }, { kind: ["B"] }] } },
    'payments/pay request.field: the condition of a required field changed: {"kind":["B"]}',
  ],
  "a field became required": [
    { request: { properties: { name: text } } },
    { request: { properties: { name: text }, required: ["name"] } },
    "payments/pay request.field: a field became required: name",
  ],
  "values are restricted to an enum": [
    { request: {} },
    { request: { enum: ["A"] } },
    "payments/pay request.field: values are restricted to an enum: A",
  ],
  "accepted values were narrowed": [
    { request: { maxLength: 64 } },
    { request: { maxLength: 32 } },
    "payments/pay request.field: accepted values were narrowed: maxLength 64 → 32",
  ],
  "the accepted pattern changed": [
    { request: {} },
    { request: { pattern: "^[A-Z]$" } },
    "payments/pay request.field: the accepted pattern changed: none → ^[A-Z]$",
  ],
  "values like card numbers are rejected": [
    { request: { "x-digits": true } },
    { request: {} },
    "payments/pay request.field: values like card numbers are rejected: x-digits",
  ],
  "a field is no longer always present": [
    { notification: { properties: { name: text }, required: ["name"] } },
    { notification: { properties: { name: text } } },
    "notifyPayment request.field: a field is no longer always present: name",
  ],
  "a value was added to a closed enum": [
    { answer: { enum: ["A"] } },
    { answer: { enum: ["A", "B"] } },
    "payments/pay answer.field: a value was added to a closed enum: B",
  ],
  "an enum was opened": [
    { answer: { enum: ["A"] } },
    { answer: { enum: ["A"], "x-open-enum": true } },
    "payments/pay answer.field: an enum was opened: enum",
  ],
  "sent values were widened": [
    { answer: { maxLength: 32 } },
    { answer: {} },
    "payments/pay answer.field: sent values were widened: maxLength 32 → none",
  ],
  "the sent pattern changed": [
    { answer: { pattern: "^[A-Z]$" } },
    { answer: { pattern: "^[a-z]$" } },
    "payments/pay answer.field: the sent pattern changed: ^[A-Z]$ → ^[a-z]$",
  ],
};

const allRules = [...Object.values(documentRules), operationRules, ...Object.values(schemaRules)];

for (const name of new Set(allRules.flatMap((rules) => rules.map((rule) => rule.name))))
  test(`breaking change is found: ${name}`, () => {
    const [before, after, expected, caller] =
      breakingExamples[name] ?? assert.fail("There is no example of it.");
    assert.deepEqual(breaksOf(before, after, caller), [expected]);
    assert.ok(expected.includes(`: ${name}: `));
  });

/** The same changes in the opposite direction, which break no caller. */
const compatibleExamples: Readonly<Record<string, readonly [before: Parts, after: Parts]>> = {
  "new operations, notifications, base paths and result codes": [
    { document: { paths: {}, webhooks: {}, servers: [], "x-result-codes": {} } },
    { ...result("F", "Declined") },
  ],
  "a result code more, and an action that became an inquiry": [
    { operation: { "x-result-codes": ["SUCCESS"] } },
    { operation: { "x-result-codes": ["SUCCESS", "NO_MONEY"], "x-inquiry": true } },
  ],
  "a header that is read if it is there": [{}, { operation: withRequestHeader("agent-token", false) }],
  "a field more in an answer, and one that is certain now": [
    { answer: { properties: { name: text } } },
    { answer: { properties: { name: text, more: text }, required: ["name"] } },
  ],
  "a field more in a request, and one that may be left out now": [
    { request: { properties: { name: text }, required: ["name"] } },
    { request: { properties: { name: text, more: { properties: { inner: text }, required: ["inner"] } } } },
  ],
  "a value more in a request": [{ request: { enum: ["A"] } }, { request: { enum: ["A", "B"] } }],
  "a value more in an answer, where others may come": [
    { answer: { enum: ["A"], "x-open-enum": true } },
    { answer: { enum: ["A", "B"], "x-open-enum": true } },
  ],
  "a request that takes more": [
    { request: { minLength: 2, maxLength: 3, minItems: 1, maximum: 1, pattern: "^a$" } },
    { request: { minLength: 1, maxLength: 4, maximum: 2 } },
  ],
  "an answer that gives less": [
    { answer: { minimum: 1, maximum: 9, maxItems: 9 } },
    { answer: { minimum: 2, maximum: 8, maxItems: 8, maxLength: 9, pattern: "^a$" } },
  ],
};

for (const [name, [before, after]] of Object.entries(compatibleExamples))
  test(`not a breaking change: ${name}`, () => {
    assert.deepEqual(breaksOf(before, after), []);
  });

test("every limit is compared, in requests and in responses", () => {
  const tighter: Schema = { minLength: 2, minimum: 2, minItems: 2, maxLength: 2, maximum: 2, maxItems: 2 };
  const looser: Schema = { minLength: 1, minimum: 1, minItems: 1, maxLength: 3, maximum: 3, maxItems: 3 };
  assert.equal(breaksOf({ request: looser }, { request: tighter }).length, 6);
  assert.equal(breaksOf({ request: {} }, { request: tighter }).length, 6);
  assert.equal(breaksOf({ answer: tighter }, { answer: looser }).length, 6);
  assert.equal(breaksOf({ answer: tighter }, { answer: {} }).length, 6);
});

test("for requests that we send, the two sides are swapped, also for callbacks", () => {
  const [longer, shorter] = [{ maxLength: 64 }, { maxLength: 32 }];
  const withField = (field: Schema): Parts => ({ request: field, answer: field, notification: field });
  assert.deepEqual(breaksOf(withField(longer), withField(shorter), "others"), [
    "payments/pay request.field: accepted values were narrowed: maxLength 64 → 32",
  ]);
  assert.deepEqual(breaksOf(withField(longer), withField(shorter), "gateway"), [
    "payments/pay answer.field: accepted values were narrowed: maxLength 64 → 32",
    "notifyPayment request.field: accepted values were narrowed: maxLength 64 → 32",
  ]);
});

test("headers are compared like fields: required ones and promised ones depend on the caller", () => {
  const none: Parts = { operation: withResponseHeaders() };
  const withHeaders: Parts = {
    operation: { ...withRequestHeader("client-id", true), ...withResponseHeaders("signature") },
  };
  assert.deepEqual(breaksOf(none, withHeaders, "others"), [
    "payments/pay request headers: a field became required: client-id",
  ]);
  assert.deepEqual(breaksOf(none, withHeaders, "gateway"), [
    "payments/pay answer headers: a field became required: signature",
  ]);
  for (const caller of ["others", "gateway"] as const)
    assert.deepEqual(breaksOf(withHeaders, none, caller), [
      "payments/pay request headers: a field was removed: client-id",
      "payments/pay answer headers: a field was removed: signature",
    ]);
});

test("a callback is compared like a webhook", () => {
  const withCallback = (field: Schema): Parts => ({
    operation: {
      callbacks: { orderPaid: { "{$request.body#/callbackUrl}": { post: operationOf("orderPaid", field) } } },
    },
  });
  assert.deepEqual(breaksOf(withCallback({ maxLength: 64 }), withCallback({ maxLength: 32 }), "gateway"), [
    "orderPaid request.field: accepted values were narrowed: maxLength 64 → 32",
  ]);
  assert.deepEqual(breaksOf(withCallback({}), {}, "gateway"), [
    "document: a webhook or callback was removed: orderPaid",
  ]);
});

test("a breaking change is found in the items of a list and behind a reference", () => {
  const list = (items: Schema): Parts => ({ answer: { items: { properties: { item: items } } } });
  const withReference = (schema: Schema): Parts => ({
    ...list({ $ref: "#/components/schemas/Item" }),
    document: { components: { schemas: { Item: schema } } },
  });
  for (const wrapped of [list, withReference])
    assert.deepEqual(breaksOf(wrapped(text), wrapped({ type: "boolean" })), [
      "payments/pay answer.field[].item: the type changed: string → boolean",
    ]);
});

test("a JSON Schema keyword without a rule is rejected and not ignored", () => {
  const unknownKeyword = { request: { oneOf: [] } as Schema };
  assert.throws(() => breaksOf(unknownKeyword, unknownKeyword), /request\.field: no rule .* reads oneOf/);
});

test("a breaking change is either accepted with its reason, or reported", () => {
  const [one, other] = ["a: a field was removed: b", "a: a field was removed: c"];
  const accepted = { breaks: [one], because: "No client could fill it." };
  assert.deepEqual(unresolvedBreaks([one], [accepted]), []);
  assert.deepEqual(unresolvedBreaks([one, other], [accepted]), [`breaks its callers: ${other}`]);
  assert.deepEqual(unresolvedBreaks([], [accepted]), [`accepted, but not found: ${one}`]);
  assert.deepEqual(unresolvedBreaks([one], [{ ...accepted, because: " " }]), [`no reason: ${one}`]);
});

function breaksOf(before: Parts, after: Parts, caller: Caller = "others"): string[] {
  return breaksBetween(documentOf(before), documentOf(after), caller);
}

function documentOf({ document, operation, request = {}, answer = {}, notification = {} }: Parts): Document {
  return {
    servers: [],
    paths: { "/payments/pay": { post: { ...operationOf("pay", request, answer), ...operation } } },
    webhooks: { notifyPayment: { post: operationOf("notifyPayment", notification) } },
    components: {},
    ...document,
  };
}

function operationOf(operationId: string, request: Schema, answer: Schema = {}): Operation {
  const json = (field: Schema) => ({
    content: { "application/json": { schema: { properties: { field } } } },
  });
  return { operationId, requestBody: json(request), responses: { "200": json(answer) } };
}
