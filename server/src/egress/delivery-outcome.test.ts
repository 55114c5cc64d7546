import assert from "node:assert/strict";
import { test } from "node:test";
import { told } from "./delivery-outcome.ts";

test("The stored response is truncated at a character boundary and contains no NUL", () => {
  const timings = { dnsMs: 1, connectMs: 2, tlsMs: 3, firstByteMs: 4, totalMs: 5 };
  const kept = (text: string): string =>
    told({ httpStatus: 500, answer: text, failure: undefined, detail: undefined, timings }).answer;
  assert.equal(kept("a\0b"), "a b");
  assert.equal(kept("é".repeat(600)), "é".repeat(512));
  assert.equal(kept(`a${"é".repeat(600)}`), `a${"é".repeat(511)}`);
  assert.equal(kept("😀".repeat(300)), "😀".repeat(256));
  assert.equal(kept("x".repeat(1024)), "x".repeat(1024));
});
