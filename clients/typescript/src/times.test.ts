import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigurationError } from "./errors.ts";
import { formatTime, parseTime } from "./times.ts";

test("times are parsed and formatted as the API requires", () => {
  const at = parseTime("2026-11-15T09:30:07+02:00");
  assert.equal(at.toISOString(), "2026-11-15T07:30:07.000Z");
  assert.equal(formatTime(at), "2026-11-15T07:30:07+00:00");
  assert.throws(() => parseTime("soon"), ConfigurationError);
});
