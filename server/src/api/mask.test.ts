import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "../core/strict-json.ts";
import { maskSecrets } from "./mask.ts";
import { operations } from "./operations.ts";

const secret = { "x-secret": true };
const plain = {};
/** A payment by a code that is good for money as long as it is valid. */
const schema = {
  properties: {
    orderId: plain,
    method: { properties: { kind: plain, code: secret } },
    tokens: { items: secret },
    buyers: { items: { properties: { name: plain, card: { properties: { token: secret } } } } },
    labels: { items: plain },
    notes: { properties: { text: plain } },
    papers: { "x-digest": true },
  },
};
const canary = "281006020000000000125733";

for (const [what, given, kept] of [
  [
    "a declared secret",
    { orderId: "1", method: { kind: "code", code: canary } },
    { orderId: "1", method: { kind: "code", code: "***" } },
  ],
  // The digest of "abc", as FIPS 180 has it.
  [
    "a document",
    { papers: "abc" },
    { papers: "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
  ],
  ["a document of the wrong type", { papers: [canary] }, { papers: "***" }],
  ["a list of secrets", { tokens: [canary, canary] }, { tokens: ["***", "***"] }],
  [
    "a secret deep inside a list",
    { buyers: [{ name: "Ada", card: { token: canary } }, { name: "Bob" }] },
    { buyers: [{ name: "Ada", card: { token: "***" } }, { name: "Bob" }] },
  ],
  ["a secret of the wrong type", { method: { code: { deep: [canary] } } }, { method: { code: "***" } }],
  ["a secret that is a number", { method: { code: 281006 } }, { method: { code: "***" } }],
  ["a secret in a list where an object belongs", { method: [{ code: canary }] }, { method: "***" }],
  ["a secret in a text where an object belongs", { method: `{"code":"${canary}"}` }, { method: "***" }],
  ["a secret without the list around it", { tokens: canary }, { tokens: "***" }],
  ["a secret in an object where a list belongs", { buyers: { card: { token: canary } } }, { buyers: "***" }],
  ["a secret in a list around everything", [{ method: { code: canary } }], "***"],
] as const) {
  test(`struck out: ${what}`, () => {
    const masked = maskSecrets(schema, given);
    assert.deepEqual(masked, kept);
    assert.ok(!JSON.stringify(masked).includes(canary));
  });
}

test("what is not secret stays as it was sent, known or not, of the right type or not", () => {
  const given: JsonValue = {
    orderId: 7,
    unknown: { code: "EUR", list: [1, "two", null, true] },
    method: { kind: null, other: "kept" },
    labels: "not a list",
    notes: ["not an object"],
    tokens: null,
  };
  assert.deepEqual(maskSecrets(schema, given), { ...given });
});

test("a field that is named like something every object has is an ordinary field", () => {
  const given = JSON.parse('{"toString": "a", "method": {"constructor": "b", "code": "c"}}') as JsonValue;
  const masked = maskSecrets(schema, given);
  assert.equal(JSON.stringify(masked), '{"toString":"a","method":{"constructor":"b","code":"***"}}');
});

test("every secret that an operation declares is in a place where it is struck out", () => {
  for (const { path, request } of operations) {
    const text = JSON.stringify(request);
    const declared = text.split('"x-secret":true').length - 1;
    assert.equal(reached(JSON.parse(text)), declared, path);
  }
});

interface SchemaNode {
  readonly "x-secret"?: boolean;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

/** How many declarations of a secret a walk over objects and lists comes by. */
function reached(node: SchemaNode): number {
  const inside = [...Object.values(node.properties ?? {}), ...(node.items ? [node.items] : [])];
  return (node["x-secret"] ? 1 : 0) + inside.reduce((sum, next) => sum + reached(next), 0);
}
