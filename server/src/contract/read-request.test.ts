import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { JsonValue } from "../core/strict-json.ts";
import { operations } from "../catalog/operations.ts";
import { requestReader } from "./read-request.ts";
import { Amount, Id } from "./schemas.ts";

/** The schema of an order for coffee, with a field of each kind, written as plain JSON Schema. */
const schema = {
  type: "object",
  required: ["orderId", "amount"],
  properties: {
    orderId: Id,
    amount: Amount,
    cups: { type: "integer", minimum: 1, maximum: 12 },
    toGo: { type: "boolean" },
    extras: {
      type: "array",
      items: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, free: { type: "boolean" } },
      },
    },
  },
};
const read = requestReader(schema);
const amount = { currency: "EUR", value: "1250" };
const order = { orderId: "order-1", amount };

function requestOf(json: JsonValue): object {
  const outcome = read(json);
  assert.ok("request" in outcome, JSON.stringify(outcome));
  return outcome.request;
}

for (const [name, given, expected] of [
  ["null means absent", { ...order, cups: null, extras: null }, order],
  [
    "null means absent, deep inside as well",
    { ...order, extras: [{ name: "milk", free: null }] },
    { ...order, extras: [{ name: "milk" }] },
  ],
  ["a boolean may be a text", { ...order, toGo: "true" }, { ...order, toGo: true }],
  ["and false is false", { ...order, toGo: "false" }, { ...order, toGo: false }],
  ["a whole number may be a text", { ...order, cups: "5" }, { ...order, cups: 5 }],
  [
    "in lists too",
    { ...order, extras: [{ name: "milk", free: "true" }] },
    { ...order, extras: [{ name: "milk", free: true }] },
  ],
  [
    "fields that we do not know are ignored",
    { ...order, colour: "blue", amount: { ...amount, cents: 1 } },
    order,
  ],
  ["a text that looks like a number stays a text", { ...order, orderId: "5" }, { ...order, orderId: "5" }],
] as const) {
  test(`two spellings of one request are normalised to the same request: ${name}`, () =>
    assert.deepEqual(requestOf(given), expected));
}

test("a field with a name from Object.prototype is ignored like any unknown field", () => {
  const given = JSON.parse('{"constructor": 1, "toString": "x", "hasOwnProperty": null}') as JsonValue &
    object;
  assert.deepEqual(requestOf(Object.assign(given, order)), order);
});

for (const [what, given, field, detail] of [
  ["a missing field", { amount }, "orderId", /^orderId is missing\.$/],
  [
    "a missing field inside another",
    { ...order, amount: { currency: "EUR" } },
    "amount.value",
    /^amount\.value is missing\.$/,
  ],
  [
    "a missing field inside a list",
    { ...order, extras: [{ name: "milk" }, {}] },
    "extras.1.name",
    /^extras\.1\.name is missing\.$/,
  ],
  [
    "a field that is null and has to be there",
    { ...order, orderId: null },
    "orderId",
    /^orderId is missing\.$/,
  ],
  ["a number for a text", { ...order, orderId: 7 }, "orderId", /^orderId must be string\.$/],
  ["a text for an object", { ...order, amount: "12.50" }, "amount", /^amount must be object\.$/],
  ["a list for an object", { ...order, amount: [amount] }, "amount", /^amount must be object\.$/],
  [
    "an amount with a point",
    { ...order, amount: { ...amount, value: "12.50" } },
    "amount.value",
    /^amount\.value /,
  ],
  [
    "an amount of nothing",
    { ...order, amount: { ...amount, value: "0" } },
    "amount.value",
    /^amount\.value /,
  ],
  [
    "an amount that is a number",
    { ...order, amount: { ...amount, value: 1250 } },
    "amount.value",
    /^amount\.value must be string\.$/,
  ],
  ["a number out of range", { ...order, cups: "13" }, "cups", /^cups must be <= 12\.$/],
  ["a broken number", { ...order, cups: 1.5 }, "cups", /^cups must be integer\.$/],
  ["a broken number as a text", { ...order, cups: "5.0" }, "cups", /^cups must be integer\.$/],
  [
    "a number that a double cannot hold",
    { ...order, cups: "9007199254740993" },
    "cups",
    /^cups must be integer\.$/,
  ],
  ["a boolean in capitals", { ...order, toGo: "TRUE" }, "toGo", /^toGo must be boolean\.$/],
  ["null in a list", { ...order, extras: [null] }, "extras.0", /^extras\.0 must be object\.$/],
  ["an id with a space", { ...order, orderId: "order 1" }, "orderId", /^orderId /],
  ["an id in letters that look alike", { ...order, orderId: "оrder-1" }, "orderId", /^orderId /],
] as const) {
  test(`the rejection names the field: ${what}`, () => {
    const outcome = read(given);
    assert.ok("refused" in outcome, JSON.stringify(outcome));
    assert.equal(outcome.refused, "PARAM_ILLEGAL");
    assert.equal(outcome.field, field);
    assert.match(outcome.detail ?? "", detail);
  });
}

for (const json of [[], [order], "order", 5, true, null] as const) {
  test(`${JSON.stringify(json)} is no request`, () => {
    assert.deepEqual(read(json), { refused: "PARAM_ILLEGAL", detail: "The body has to be a JSON object." });
  });
}

test("each operation accepts or rejects any JSON, and accepts its own normalised request", () => {
  for (const operation of operations) {
    const readRequest = requestReader(operation.request);
    const fields = Object.keys(operation.example.request as object);
    const similarRequests = fc.dictionary(fc.constantFrom(...fields, "unknown"), fc.jsonValue());
    fc.assert(
      fc.property(fc.oneof(similarRequests, fc.jsonValue()), (json) => {
        const outcome = readRequest(json as JsonValue);
        if (!("request" in outcome)) assert.equal(outcome.refused, "PARAM_ILLEGAL");
        else assert.deepEqual(readRequest(outcome.request as JsonValue), outcome);
      }),
    );
  }
});
