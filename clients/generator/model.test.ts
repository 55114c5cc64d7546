import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { replaceBetweenMarkers, operationTable } from "./emitter.ts";
import { buildModel, type Model } from "./model.ts";
import type { ObjectType } from "./types-of-schemas.ts";
import type { Document, Schema } from "./openapi-document.ts";

const document = JSON.parse(
  readFileSync(new URL("../../server/openapi.json", import.meta.url), "utf8"),
) as Document;
const model = buildModel(document);
const text: Schema = { type: "string" };

/** A document with one operation for each of these bodies. */
function documentOf(bodies: Readonly<Record<string, Schema>>, operationFields: object = {}): Document {
  const paths = Object.entries(bodies).map(([path, schema]) => [
    `/${path}`,
    {
      post: {
        operationId: path,
        tags: [],
        summary: "",
        requestBody: { content: { "application/json": { schema } } },
        responses: {},
        ...operationFields,
      },
    },
  ]);
  return {
    info: { title: "", version: "1" },
    tags: [],
    paths: Object.fromEntries(paths) as Document["paths"],
    components: { schemas: {} },
    "x-result-codes": {},
  };
}

function findType(parsed: Model, name: string): ObjectType {
  const type = parsed.types.find((each) => each.name === name);
  assert.ok(type, `${name} is not among ${parsed.types.map((each) => each.name).join(", ")}`);
  return type;
}

const object = (properties: Schema["properties"] = {}, constraints: Schema = {}): Schema => ({
  type: "object",
  properties,
  ...constraints,
});

test("every operation and every notification of the interface is in the model", () => {
  const paths = model.areas.flatMap(({ operations }) => operations.map(({ path }) => `/${path}`));
  assert.deepEqual(paths.sort(), Object.keys(document.paths).sort());
  assert.deepEqual(
    model.notifications.map(({ kind }) => kind),
    Object.keys(document.webhooks ?? {}),
  );
  assert.deepEqual(
    model.resultCodes.map(({ code }) => code),
    Object.keys(document["x-result-codes"]),
  );
});

test("every type that a field names exists exactly once", () => {
  const names = [...model.types, ...model.enums].map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  const named = [...JSON.stringify(model.types).matchAll(/"kind":"(?:object|enum)","name":"(\w+)"/g)];
  assert.ok(named.length > 100);
  for (const [, name = ""] of named) assert.ok(names.includes(name), name);
});

test("every request and every response of the API has an example", () => {
  const types = new Set(model.examples.map(({ type }) => type));
  for (const { name, role } of model.types) assert.ok(role === "part" || types.has(name), name);
});

test("a repeatable operation has an idempotency key or only reads", () => {
  const facts = new Map(
    model.areas.flatMap(({ operations }) => operations.map((each) => [each.path, each.isRepeatable])),
  );
  assert.equal(facts.get("payments/pay"), true);
  assert.equal(facts.get("payments/inquiryPayment"), true);
  assert.equal(facts.get("tollgate/changeEndpoints"), false);
});

test("only `result` is required in a response, because any request may fail with a response that has nothing else", () => {
  const ends = Object.values(document.paths).map(({ post }) => post["x-result-codes"] ?? []);
  assert.equal(document["x-result-codes"]["UNKNOWN_EXCEPTION"]?.status, "U");
  assert.ok(ends.length > 25 && ends.every((codes) => codes.includes("UNKNOWN_EXCEPTION")));
  const promised = model.types
    .filter(({ role }) => role === "response")
    .flatMap(({ name, fields }) =>
      fields
        .filter(({ name: field, isRequired }) => isRequired && field !== "result")
        .map((field) => `${name}.${field.name}`),
    );
  assert.deepEqual(promised, []);
});

test("no code with information about money may come unsigned", () => {
  const unsigned = model.resultCodes.filter(({ mayBeUnsigned }) => mayBeUnsigned).map(({ code }) => code);
  assert.ok(unsigned.includes("INVALID_SIGNATURE"));
  for (const code of ["SUCCESS", "UNKNOWN_EXCEPTION", "USER_BALANCE_NOT_ENOUGH", "REFUND_AMOUNT_EXCEED"])
    assert.ok(!unsigned.includes(code), code);
});

test("a part is named by its title or its field, and gets a longer name if that name is taken", () => {
  const order = object({ env: object({ till: text }) });
  const parsed = buildModel(
    documentOf({ "a/pay": object({ order, env: object({ os: text }, { title: "Env" }) }) }),
  );
  assert.deepEqual(
    parsed.types.map(({ name }) => name),
    ["PayRequest", "OrderEnv", "Order", "Env", "PayResponse"],
  );
});

test("parts with the same name and shape share one type in all bodies", () => {
  const buyer = object({ name: text });
  const parsed = buildModel(documentOf({ "a/pay": object({ buyer }), "a/consult": object({ buyer }) }));
  assert.equal(parsed.types.filter(({ name }) => name.endsWith("Buyer")).length, 1);
});

test("types with the same title are merged; a field is required only if all require it", () => {
  const short = object({ code: text }, { title: "Result", required: ["code"] });
  const long = object({ code: text, hint: text }, { title: "Result", required: ["code", "hint"] });
  const parsed = buildModel(documentOf({ "a/pay": object({ one: short, two: long }) }));
  assert.deepEqual(
    findType(parsed, "Result").fields.map(({ name, isRequired }) => [name, isRequired]),
    [
      ["code", true],
      ["hint", false],
    ],
  );
  const other = object({ code: { type: "integer" } }, { title: "Result" });
  const bodies = documentOf({ "a/pay": object({ one: short, two: other }) });
  assert.throws(() => buildModel(bodies), /Result\.code has two types/);
});

test("operations with the same name in two areas have bodies with different names", () => {
  const parsed = buildModel(documentOf({ "payments/consult": object(), "authorizations/consult": object() }));
  assert.deepEqual(
    parsed.types.filter(({ role }) => role === "request").map(({ name }) => name),
    ["PaymentConsultRequest", "AuthorizationConsultRequest"],
  );
});

test("enums with the same name are merged only if they have a common value", () => {
  const status = (...values: string[]): Schema => ({
    type: "string",
    enum: values,
    "x-enumDescriptions": { FAIL: `${values[0]} comes first.` },
  });
  const parsed = buildModel(
    documentOf({
      "a/pay": object({ refundStatus: status("SUCCESS", "FAIL") }),
      "a/refund": object({ refundStatus: status("FAIL", "OPEN") }),
      "a/cancel": object({ refundStatus: status("YES") }),
    }),
  );
  assert.deepEqual(parsed.enums, [
    { name: "RefundStatus", values: ["SUCCESS", "FAIL", "OPEN"], meanings: { FAIL: "SUCCESS comes first." } },
    { name: "CancelRequestRefundStatus", values: ["YES"], meanings: { FAIL: "YES comes first." } },
  ]);
});

test("lists, maps and limits are kept", () => {
  const schema = object({
    names: { type: "array", maxItems: 3, items: { ...text, maxLength: 5 } },
    notes: { type: "object", additionalProperties: text },
    token: { ...text, "x-secret": true },
  });
  const parsed = buildModel(documentOf({ "a/pay": schema }));
  const [names, notes] = findType(parsed, "PayRequest").fields;
  assert.deepEqual(names?.type, { kind: "list", of: { kind: "text" } });
  assert.deepEqual(names?.limits, { maxItems: 3 });
  assert.deepEqual(notes?.type, { kind: "map", of: { kind: "text" } });
  assert.deepEqual(parsed.secrets, ["token"]);
});

test("a table is written only between its markers", () => {
  const readme = "# A\n<!-- operations -->\nOUTDATED\n<!-- end of operations -->\nB\n";
  const table = operationTable(model, (area, operation) => `${area}.${operation}()`);
  const written = replaceBetweenMarkers(readme, "operations", table);
  assert.match(written, /\| `payments\.pay\(\)` \| .* \| `paymentRequestId` \|/);
  assert.ok(!written.includes("OUTDATED"));
  assert.equal(replaceBetweenMarkers(written, "operations", table), written);
  assert.throws(() => replaceBetweenMarkers("# A\n", "operations", table), /markers .* are missing/);
});
