import assert from "node:assert/strict";
import { test } from "node:test";
import {
  formatConditions,
  findMissingField,
  requireField,
  requireFieldsWhen,
} from "./conditional-required.ts";

const needs = [
  requireField("url"),
  requireField("env.system", { "env.terminal": ["WAP", "APP"] }),
  requireField("store", { kinds: ["IN_STORE"] }),
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
    assert.equal(findMissingField(needs, request), missing);
  });
}

test("conditions are described in words, the outer ones first", () => {
  const [, inner] = requireFieldsWhen({ product: ["CASHIER"] }, needs);
  assert.equal(
    inner && formatConditions(inner),
    "`product` is `CASHIER` and `env.terminal` is `WAP` or `APP`",
  );
});
