import assert from "node:assert/strict";
import { test } from "node:test";
import { formatLogEntry } from "./show-log.ts";

const time = Date.parse("2026-11-15T09:30:00Z");

test("a log entry becomes one readable line", () => {
  const entry = { level: 40, time, connector: "w", attempts: 2, msg: "A payment provider does not respond." };
  assert.equal(
    formatLogEntry("serve", JSON.stringify(entry)),
    "09:30:00 warn  serve  A payment provider does not respond. connector=w attempts=2",
  );
});

test("a fault has its stack below it", () => {
  const entry = {
    level: 50,
    time,
    err: { type: "Error", message: "no", stack: "Error: no\n    at a.ts:1" },
    msg: "A fault.",
  };
  assert.equal(
    formatLogEntry("work", JSON.stringify(entry)),
    "09:30:00 error work   A fault.\n    Error: no\n        at a.ts:1",
  );
});

test("an API request has no message, and a level may be unknown", () => {
  const entry = { level: 35, time, path: "/a", code: "SUCCESS" };
  assert.equal(formatLogEntry("serve", JSON.stringify(entry)), "09:30:00 35    serve  path=/a code=SUCCESS");
});

test("a line that is not a log entry stays unchanged", () => {
  for (const line of ["hello", "", "null", "{}", '{"level":"high"}', "[1]", '{"level":30}'])
    assert.equal(formatLogEntry("serve", line), line);
});
