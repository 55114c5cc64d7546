import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "../core/strict-json.ts";
import { maskBy } from "./mask.ts";
import { operations } from "../catalog/operations.ts";

const secret = { type: "string", "x-secret": true };
const plain = { type: "string", maxLength: 30 };
/** A payment with a code that is a bearer credential. */
const schema = {
  properties: {
    orderId: plain,
    currency: { type: "string", pattern: "^[A-Z]{3}$" },
    kind: { type: "string", enum: ["CASHIER", "STORE"] },
    count: { type: "integer" },
    isLast: { type: "boolean" },
    method: { properties: { kind: plain, code: secret } },
    tokens: { items: secret },
    buyers: { items: { properties: { mail: { type: "string", "x-personal": true }, token: secret } } },
    labels: { items: plain },
    papers: { "x-digest": true },
    back: { type: "string", maxLength: 200, "x-address": true },
  },
};
const mask = maskBy(schema);
const canary = "281006020000000000125733";

for (const [name, given, expected] of [
  [
    "a declared secret",
    { orderId: "1", method: { kind: "code", code: canary } },
    { orderId: "1", method: { kind: "code", code: "***" } },
  ],
  // The SHA-256 digest of "abc" from FIPS 180.
  [
    "a document",
    { papers: "abc" },
    { papers: "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
  ],
  ["a document of the wrong type", { papers: [canary] }, { papers: "(a list of 1)" }],
  ["a list of secrets", { tokens: [canary, canary] }, { tokens: ["***", "***"] }],
  [
    "what is personal, and a secret deep inside a list",
    { buyers: [{ mail: "ada@shop.example", token: canary }, { token: null }] },
    { buyers: [{ mail: "***", token: "***" }, { token: null }] },
  ],
  ["a secret of the wrong type", { method: { code: { deep: [canary] } } }, { method: { code: "***" } }],
  ["a secret that is a number", { method: { code: 281006 } }, { method: { code: "***" } }],
  ["a list where an object belongs", { method: [{ code: canary }] }, { method: "(a list of 1)" }],
  ["a text where an object belongs", { method: canary }, { method: "(24 characters)" }],
  ["a text where a list belongs", { labels: canary }, { labels: "(24 characters)" }],
  ["an object where a text belongs", { orderId: { code: canary } }, { orderId: "(an object of 1 fields)" }],
  ["a number where a text belongs", { orderId: 281006020000 }, { orderId: "(a number)" }],
  ["a text that is longer than it may be", { orderId: canary + canary }, { orderId: "(48 characters)" }],
  ["a text of another form", { currency: canary }, { currency: "(24 characters)" }],
  ["a text that is none of the choices", { kind: canary }, { kind: "(24 characters)" }],
  ["a text where a number belongs", { count: canary }, { count: "(24 characters)" }],
  ["a text where yes or no belongs", { isLast: canary }, { isLast: "(24 characters)" }],
  ["a list around everything", [{ method: { code: canary } }], "(a list of 1)"],
  [
    "the same name in another case, and unknown names",
    { OrderId: canary, method: { Code: canary, code_: [canary], deep: { code: canary } } },
    {
      OrderId: "(24 characters)",
      method: { Code: "(24 characters)", code_: "(a list of 1)", deep: "(an object of 1 fields)" },
    },
  ],
  [
    "a name that is long enough for a token",
    { [`${canary}-${canary}`]: 1 },
    { "28100602… (a name of 49 characters)": "(a number)" },
  ],
  [
    "the query of an address, and who signs in there",
    { back: `https://me:${canary}@shop.example/back?token=${canary}#${canary}` },
    { back: "https://…@shop.example/back?…" },
  ],
] as const) {
  test(`struck out: ${name}`, () => {
    const masked = mask(given);
    assert.deepEqual(masked, expected);
    assert.ok(!JSON.stringify(masked).includes(canary));
  });
}

test("values that the schema declares and that are valid stay unchanged", () => {
  const given: JsonValue = {
    orderId: "order-1",
    currency: "EUR",
    kind: "STORE",
    count: "5",
    isLast: "true",
    method: { kind: null },
    labels: ["one", "two"],
    back: "shopapp://back",
  };
  assert.deepEqual(mask(given), given);
  assert.deepEqual(mask({ count: 5, isLast: false }), { count: 5, isLast: false });
});

test("of many unknown fields only a limited number of names is kept", () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, each) => [`field${each}`, canary]));
  const names = Object.keys(mask(many) as object);
  assert.equal(names.length, 21);
  assert.deepEqual((mask(many) as Record<string, unknown>)["…"], "(80 more fields)");
});

test("a field with a name from Object.prototype is an ordinary field", () => {
  const given = JSON.parse('{"toString": "a", "method": {"constructor": "b", "code": "c"}}') as JsonValue;
  assert.equal(
    JSON.stringify(mask(given)),
    '{"toString":"(1 characters)","method":{"constructor":"(1 characters)","code":"***"}}',
  );
});

const marks = ["x-secret", "x-personal", "x-address", "x-digest"] as const;

for (const part of ["request", "response"] as const) {
  test(`each mark that an operation declares in its ${part} is in a place where the mask reads it`, () => {
    for (const operation of operations) {
      const text = JSON.stringify(operation[part]);
      const declaredCount = marks.reduce((sum, mark) => sum + text.split(`"${mark}":true`).length - 1, 0);
      assert.equal(reached(JSON.parse(text)), declaredCount, operation.path);
    }
  });
}

interface SchemaNode {
  readonly "x-secret"?: boolean;
  readonly "x-personal"?: boolean;
  readonly "x-address"?: boolean;
  readonly "x-digest"?: boolean;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

/** The number of masked fields that masking reaches in objects and lists. */
function reached(node: SchemaNode): number {
  const inside = [...Object.values(node.properties ?? {}), ...(node.items ? [node.items] : [])];
  const markCount = marks.filter((mark) => node[mark]).length;
  return markCount + inside.reduce((sum, next) => sum + reached(next), 0);
}

test("every field whose name suggests a link, a token or a person is declared as such", () => {
  const open = operations.flatMap(({ path, request, response }) => [
    ...findUnmarked(request, `${path} request`),
    ...findUnmarked(response, `${path} response`),
  ]);
  assert.deepEqual(open, []);
});

const telling =
  /url$|token|email|phone|ip$|userAgent|(?:first|last|middle|full)Name|^address|extendInfo|metadata/i;
/** Field names that only look secret: expiry, kind or status of a token or person. */
const harmless = /(?:Time|Type|Status|ExpiryTime)$/;

function findUnmarked(node: SchemaNode, path: string): readonly string[] {
  const name = path.split(/[. ]/).at(-1) ?? "";
  if (marks.some((mark) => node[mark])) return [];
  const inside = [
    ...Object.entries(node.properties ?? {}).flatMap(([each, next]) => findUnmarked(next, `${path}.${each}`)),
    ...(node.items ? findUnmarked(node.items, path) : []),
  ];
  const isLeaf = !node.properties && !node.items;
  return isLeaf && telling.test(name) && !harmless.test(name) ? [path] : inside;
}
