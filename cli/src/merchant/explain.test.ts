import assert from "node:assert/strict";
import { test } from "node:test";
import { resultMeanings } from "../../../server/src/commands/result-meanings.ts";
import { explain, listCodes } from "./explain.ts";

test("a code is explained with what to do, however it is written", () => {
  const text = explain("invalid_signature");
  assert.match(
    text,
    /^INVALID_SIGNATURE, F: it did not happen\nThe signature does not match the request\.\nSign the exact bytes/,
  );
  assert.match(text, /throw it as AuthenticationError\./);
});

test("a code that does not exist has the nearest beside it", () => {
  assert.throws(
    () => explain("ORDER_NOT_EXISTS"),
    /There is no result code ORDER_NOT_EXISTS\. Did you mean ORDER_NOT_EXIST\?/,
  );
});

test("a code is explained with its meaning and its neighbours", () => {
  const text = explain("REFUND_AMOUNT_EXCEED");
  assert.match(
    text,
    /^REFUND_AMOUNT_EXCEED, F: it did not happen\nMore than what is left to refund\.\nRefund less\.\n/,
  );
  assert.match(text, /^See also: .*\bREFUND_WINDOW_EXCEED\b.*\.$/m);
  assert.match(explain("PARAM_ILLEGAL"), /^Every operation can return it\.$/m);
});

test("a code that is like no other leads to the list of all", () => {
  assert.throws(
    () => explain("FOO"),
    /There is no result code FOO\. `tollgate explain --list` lists them all\./,
  );
  assert.throws(() => explain("REFUND_TOO_MUCH"), /Codes with the same words: .*REFUND_AMOUNT_EXCEED/);
});

test("the list has every code with its status and its meaning", () => {
  const lines = listCodes().trimEnd().split("\n");
  assert.ok(
    lines.some((line) => /^ {2}REFUND_AMOUNT_EXCEED +F +More than what is left to refund\.$/.test(line)),
  );
  assert.equal(lines.length, resultMeanings().length);
});
