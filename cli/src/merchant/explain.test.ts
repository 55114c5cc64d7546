import assert from "node:assert/strict";
import { test } from "node:test";
import { resultMeanings } from "../../../server/src/documents/result-meanings.ts";
import { explain, listCodes } from "./explain.ts";

test("a code is explained with instructions, in any spelling", () => {
  const text = explain("invalid_signature");
  assert.match(
    text,
    /^INVALID_SIGNATURE, F: it failed\nThe signature does not match the request\.\nSign the exact bytes/,
  );
  assert.match(text, /throw it as AuthenticationError\./);
});

test("an unknown code is rejected with the most similar one", () => {
  assert.throws(
    () => explain("ORDER_NOT_EXISTS"),
    /There is no result code ORDER_NOT_EXISTS\. Did you mean ORDER_NOT_EXIST\?/,
  );
});

test("a code is explained with its meaning and similar codes", () => {
  const text = explain("REFUND_AMOUNT_EXCEED");
  assert.match(
    text,
    /^REFUND_AMOUNT_EXCEED, F: it failed\nMore than what is left to refund\.\nRefund less\.\n/,
  );
  assert.match(text, /^See also: .*\bREFUND_WINDOW_EXCEED\b.*\.$/m);
  assert.match(explain("PARAM_ILLEGAL"), /^Every operation can return it\.$/m);
});

test("a code that resembles no other is rejected with a hint to the list", () => {
  assert.throws(() => explain("FOO"), /There is no result code FOO\. `tollgate explain --list` lists all\./);
  assert.throws(() => explain("REFUND_TOO_MUCH"), /Codes with the same words: .*REFUND_AMOUNT_EXCEED/);
});

test("the list contains every code with its status and its meaning", () => {
  const lines = listCodes().trimEnd().split("\n");
  assert.ok(
    lines.some((line) => /^ {2}REFUND_AMOUNT_EXCEED +F +More than what is left to refund\.$/.test(line)),
  );
  assert.equal(lines.length, resultMeanings().length);
});
