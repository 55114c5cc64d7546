import assert from "node:assert/strict";
import { test } from "node:test";
import { breaksBetween, unsettledBreaks } from "./breaks.ts";
import type { Document, Operation, Schema } from "./document.ts";
import { documentRules, operationRules, schemaRules, type Caller } from "./rules.ts";

/** The parts of a document with one operation and one callback; the rest is always the same. */
interface Parts {
  readonly document?: Partial<Document>;
  readonly operation?: Partial<Operation>;
  readonly request?: Schema;
  readonly answer?: Schema;
  readonly notification?: Schema;
}

type Example = readonly [before: Parts, after: Parts, breaks: string, caller?: Caller];

const text: Schema = { type: "string" };
const headed = (...names: readonly string[]) => ({
  responses: { "200": { headers: Object.fromEntries(names.map((name) => [name, {}])) } },
});
const header = (name: string, required: boolean) => ({ parameters: [{ name, required }] });
const result = (status: string, error?: string) => ({
  document: { "x-result-codes": { NO_MONEY: { status, ...(error && { error }) } } },
});

/** Rule → a change that only this rule finds, and its message. */
const forbidden: Readonly<Record<string, Example>> = {
  "an operation is gone": [{}, { document: { paths: {} } }, "document: an operation is gone: /payments/pay"],
  "another operation has to be answered": [
    { document: { paths: {} } },
    {},
    "document: another operation has to be answered: /payments/pay",
    "gateway",
  ],
  "a notification or callback is gone": [
    {},
    { document: { webhooks: {} } },
    "document: a notification or callback is gone: notifyPayment",
  ],
  "a base path is gone": [
    { document: { servers: [{ url: "/v1" }] } },
    { document: { servers: [{ url: "/v2" }] } },
    "document: a base path is gone: /v1",
  ],
  "a result code is gone": [result("F"), {}, "document: a result code is gone: NO_MONEY"],
  "a result code means something else": [
    result("F"),
    result("U"),
    "document: a result code means something else: NO_MONEY, status F → U",
  ],
  "the operation has another name": [
    {},
    { operation: { operationId: "payNow" } },
    "payments/pay: the operation has another name: pay → payNow",
  ],
  "a retry is known by another field": [
    { operation: { "x-idempotency-field": "requestId" } },
    {},
    "payments/pay: a retry is known by another field: requestId → none",
  ],
  "an inquiry became an action": [
    { operation: { "x-inquiry": true } },
    {},
    "payments/pay: an inquiry became an action: x-inquiry",
  ],
  "the operation lost a result code": [
    { operation: { "x-result-codes": ["SUCCESS", "NO_MONEY"] } },
    { operation: { "x-result-codes": ["SUCCESS"] } },
    "payments/pay: the operation lost a result code: NO_MONEY",
  ],
  "a request has another form": [
    {},
    { operation: { requestBody: { content: { "application/xml": { schema: {} } } } } },
    "payments/pay: a request has another form: application/json",
  ],
  "an answer has another form": [
    {},
    { operation: { responses: { "200": {} } } },
    "payments/pay: an answer has another form: 200 application/json",
  ],

  "the type is another": [
    { answer: text },
    { answer: { type: "integer" } },
    "payments/pay answer.field: the type is another: string → integer",
  ],
  "the format is another": [
    { request: { format: "date" } },
    { request: {} },
    "payments/pay request.field: the format is another: date → none",
  ],
  "what a list holds is another": [
    { answer: { items: text } },
    { answer: {} },
    "payments/pay answer.field: what a list holds is another: described → none",
  ],
  "the default is another": [
    { request: { default: "AUTOMATIC" } },
    { request: { default: "MANUAL" } },
    "payments/pay request.field: the default is another: AUTOMATIC → MANUAL",
  ],
  "a field is gone": [
    { request: { properties: { name: text } } },
    { request: { properties: { fullName: text } } },
    "payments/pay request.field: a field is gone: name",
  ],
  "a value is gone": [
    { request: { enum: ["A", "B"], "x-open-enum": true } },
    { request: { enum: ["A"], "x-open-enum": true } },
    "payments/pay request.field: a value is gone: B",
  ],
  "the type has another name": [
    { notification: { title: "Amount" } },
    { notification: { title: "Money" } },
    "notifyPayment request.field: the type has another name: Amount → Money",
  ],
  "a field has to be sent in another case": [
    { request: { "x-needed-when": [{ kind: ["A"] }] } },
    { request: { "x-needed-when": [{ kind: ["A"] }, { kind: ["B"] }] } },
    'payments/pay request.field: a field has to be sent in another case: {"kind":["B"]}',
  ],
  "a field has to be sent": [
    { request: { properties: { name: text } } },
    { request: { properties: { name: text }, required: ["name"] } },
    "payments/pay request.field: a field has to be sent: name",
  ],
  "only some values are taken": [
    { request: {} },
    { request: { enum: ["A"] } },
    "payments/pay request.field: only some values are taken: A",
  ],
  "less is taken": [
    { request: { maxLength: 64 } },
    { request: { maxLength: 32 } },
    "payments/pay request.field: less is taken: maxLength 64 → 32",
  ],
  "other texts are taken": [
    { request: {} },
    { request: { pattern: "^[A-Z]$" } },
    "payments/pay request.field: other texts are taken: none → ^[A-Z]$",
  ],
  "what looks like a card number is refused": [
    { request: { "x-digits": true } },
    { request: {} },
    "payments/pay request.field: what looks like a card number is refused: x-digits",
  ],
  "a field is not certain any more": [
    { notification: { properties: { name: text }, required: ["name"] } },
    { notification: { properties: { name: text } } },
    "notifyPayment request.field: a field is not certain any more: name",
  ],
  "a value is new to a closed enum": [
    { answer: { enum: ["A"] } },
    { answer: { enum: ["A", "B"] } },
    "payments/pay answer.field: a value is new to a closed enum: B",
  ],
  "any value may come": [
    { answer: { enum: ["A"] } },
    { answer: { enum: ["A"], "x-open-enum": true } },
    "payments/pay answer.field: any value may come: enum",
  ],
  "more is given": [
    { answer: { maxLength: 32 } },
    { answer: {} },
    "payments/pay answer.field: more is given: maxLength 32 → none",
  ],
  "other texts are given": [
    { answer: { pattern: "^[A-Z]$" } },
    { answer: { pattern: "^[a-z]$" } },
    "payments/pay answer.field: other texts are given: ^[A-Z]$ → ^[a-z]$",
  ],
};

const ways = [...Object.values(documentRules), operationRules, ...Object.values(schemaRules)];

for (const name of new Set(ways.flatMap((rules) => rules.map((rule) => rule.name))))
  test(`caught, if broken: ${name}`, () => {
    const [before, after, expected, caller] = forbidden[name] ?? assert.fail("There is no example of it.");
    assert.deepEqual(breaksOf(before, after, caller), [expected]);
    assert.ok(expected.includes(`: ${name}: `));
  });

/** The same changes in the opposite direction, where they break nobody. */
const allowed: Readonly<Record<string, readonly [before: Parts, after: Parts]>> = {
  "new operations, notifications, base paths and result codes": [
    { document: { paths: {}, webhooks: {}, servers: [], "x-result-codes": {} } },
    { ...result("F", "Declined") },
  ],
  "a result code more, and an action that became an inquiry": [
    { operation: { "x-result-codes": ["SUCCESS"] } },
    { operation: { "x-result-codes": ["SUCCESS", "NO_MONEY"], "x-inquiry": true } },
  ],
  "a header that is read if it is there": [{}, { operation: header("agent-token", false) }],
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

for (const [name, [before, after]] of Object.entries(allowed))
  test(`breaks nobody: ${name}`, () => {
    assert.deepEqual(breaksOf(before, after), []);
  });

test("every limit is compared, in requests and in answers", () => {
  const tighter: Schema = { minLength: 2, minimum: 2, minItems: 2, maxLength: 2, maximum: 2, maxItems: 2 };
  const looser: Schema = { minLength: 1, minimum: 1, minItems: 1, maxLength: 3, maximum: 3, maxItems: 3 };
  assert.equal(breaksOf({ request: looser }, { request: tighter }).length, 6);
  assert.equal(breaksOf({ request: {} }, { request: tighter }).length, 6);
  assert.equal(breaksOf({ answer: tighter }, { answer: looser }).length, 6);
  assert.equal(breaksOf({ answer: tighter }, { answer: {} }).length, 6);
});

test("for a call of ours the sides are exchanged, and so they are for what comes back", () => {
  const [longer, shorter] = [{ maxLength: 64 }, { maxLength: 32 }];
  const asked = (field: Schema): Parts => ({ request: field, answer: field, notification: field });
  assert.deepEqual(breaksOf(asked(longer), asked(shorter), "others"), [
    "payments/pay request.field: less is taken: maxLength 64 → 32",
  ]);
  assert.deepEqual(breaksOf(asked(longer), asked(shorter), "gateway"), [
    "payments/pay answer.field: less is taken: maxLength 64 → 32",
    "notifyPayment request.field: less is taken: maxLength 64 → 32",
  ]);
});

test("headers are fields: what is demanded, and what is relied on, depends on who calls", () => {
  const none: Parts = { operation: headed() };
  const asked: Parts = { operation: { ...header("client-id", true), ...headed("signature") } };
  assert.deepEqual(breaksOf(none, asked, "others"), [
    "payments/pay request headers: a field has to be sent: client-id",
  ]);
  assert.deepEqual(breaksOf(none, asked, "gateway"), [
    "payments/pay answer headers: a field has to be sent: signature",
  ]);
  for (const caller of ["others", "gateway"] as const)
    assert.deepEqual(breaksOf(asked, none, caller), [
      "payments/pay request headers: a field is gone: client-id",
      "payments/pay answer headers: a field is gone: signature",
    ]);
});

test("a callback is compared like a notification", () => {
  const calling = (field: Schema): Parts => ({
    operation: {
      callbacks: { orderPaid: { "{$request.body#/callbackUrl}": { post: operationOf("orderPaid", field) } } },
    },
  });
  assert.deepEqual(breaksOf(calling({ maxLength: 64 }), calling({ maxLength: 32 }), "gateway"), [
    "orderPaid request.field: less is taken: maxLength 64 → 32",
  ]);
  assert.deepEqual(breaksOf(calling({}), {}, "gateway"), [
    "document: a notification or callback is gone: orderPaid",
  ]);
});

test("a break is found in the items of a list and behind a reference", () => {
  const list = (items: Schema): Parts => ({ answer: { items: { properties: { item: items } } } });
  const referring = (schema: Schema): Parts => ({
    ...list({ $ref: "#/components/schemas/Item" }),
    document: { components: { schemas: { Item: schema } } },
  });
  for (const wrapped of [list, referring])
    assert.deepEqual(breaksOf(wrapped(text), wrapped({ type: "boolean" })), [
      "payments/pay answer.field[].item: the type is another: string → boolean",
    ]);
});

test("a word of JSON Schema that no rule reads is refused instead of passed over", () => {
  const strange = { request: { oneOf: [] } as Schema };
  assert.throws(() => breaksOf(strange, strange), /request\.field: no rule .* reads oneOf/);
});

test("a break is either accepted with its reason, or reported", () => {
  const [one, other] = ["a: a field is gone: b", "a: a field is gone: c"];
  const accepted = { breaks: [one], because: "Nobody could fill it." };
  assert.deepEqual(unsettledBreaks([one], [accepted]), []);
  assert.deepEqual(unsettledBreaks([one, other], [accepted]), [`breaks its callers: ${other}`]);
  assert.deepEqual(unsettledBreaks([], [accepted]), [`accepted, but not there: ${one}`]);
  assert.deepEqual(unsettledBreaks([one], [{ ...accepted, because: " " }]), [`no reason: ${one}`]);
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
