import assert from "node:assert/strict";
import { test } from "node:test";
import { explain } from "./explain.ts";

test("a code is explained with what to do, however it is written", () => {
  const text = explain("invalid_signature");
  assert.match(text, /^INVALID_SIGNATURE\nSign the exact bytes/);
  assert.match(text, /throw it as AuthenticationError\./);
});

test("a code that does not exist has the nearest beside it", () => {
  assert.throws(
    () => explain("ORDER_NOT_EXISTS"),
    /There is no result code ORDER_NOT_EXISTS\. Did you mean ORDER_NOT_EXIST\?/,
  );
});
