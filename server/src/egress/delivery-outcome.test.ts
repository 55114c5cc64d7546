import assert from "node:assert/strict";
import { test } from "node:test";
import { hideNetworkDetails } from "./delivery-outcome.ts";

test("The stored response is truncated at a character boundary and contains no NUL", () => {
  const timings = { dnsMs: 1, connectMs: 2, tlsMs: 3, firstByteMs: 4, totalMs: 5 };
  const truncate = (text: string): string =>
    hideNetworkDetails({ httpStatus: 500, answer: text, failure: undefined, detail: undefined, timings })
      .answer;
  assert.equal(truncate("a\0b"), "a b");
  assert.equal(truncate("é".repeat(600)), "é".repeat(512));
  assert.equal(truncate(`a${"é".repeat(600)}`), `a${"é".repeat(511)}`);
  assert.equal(truncate("😀".repeat(300)), "😀".repeat(256));
  assert.equal(truncate("x".repeat(1024)), "x".repeat(1024));
});
