import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionsInWords, firstMissing, need, needsWhen } from "./conditional-required.ts";

const needs = [
  need("url"),
  need("env.system", { "env.terminal": ["WAP", "APP"] }),
  need("store", { kinds: ["IN_STORE"] }),
];

for (const [request, missing] of [
  [{}, "url"],
  [{ url: "" }, "url"],
  [{ url: "x" }, undefined],
  [{ url: "x", env: { terminal: "WEB" } }, undefined],
  [{ url: "x", env: { terminal: "APP" } }, "env.system"],
  [{ url: "x", env: { terminal: "APP", system: "IOS" } }, undefined],
  [{ url: "x", kinds: ["ONLINE", "IN_STORE"] }, "store"],
  [{ url: "x", kinds: ["ONLINE"], env: null }, undefined],
] as const) {
  test(`of ${JSON.stringify(request)} ${missing ?? "nothing"} is missing`, () => {
    assert.equal(firstMissing(needs, request), missing);
  });
}

test("conditions are described in words, the outer ones first", () => {
  const [, inner] = needsWhen({ product: ["CASHIER"] }, needs);
  assert.equal(
    inner && conditionsInWords(inner),
    "`product` is `CASHIER` and `env.terminal` is `WAP` or `APP`",
  );
});
