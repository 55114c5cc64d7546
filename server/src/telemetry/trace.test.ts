import assert from "node:assert/strict";
import { test } from "node:test";
import { traceFrom, traceparentOf } from "./trace.ts";

const uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";
const own = "0f8fad5bd9cb469fa16570867728950e";
const theirs = "4bf92f3577b34da6a3ce929d0e0e4736";

test("a request continues its caller's trace, with a new span", () => {
  const trace = traceFrom([`00-${theirs}-00f067aa0ba902b7-01`], uuid);
  assert.equal(traceparentOf(trace), `00-${theirs}-a16570867728950e-01`);
  assert.equal(traceFrom([`00-${theirs}-00f067aa0ba902b7-00`], uuid).flags, "00");
  assert.equal(traceFrom([`cc-${theirs}-00f067aa0ba902b7-01-what-comes-later`], uuid).traceId, theirs);
});

test("a request without a header, or with an invalid one, starts a trace", () => {
  const invalid = [
    [],
    [""],
    [`00-${theirs}-00f067aa0ba902b7`],
    [`00-${theirs}-00f067aa0ba902b7-01-more`],
    [`00-${theirs.toUpperCase()}-00f067aa0ba902b7-01`],
    [`00-${"0".repeat(32)}-00f067aa0ba902b7-01`],
    [`00-${theirs}-${"0".repeat(16)}-01`],
    [`ff-${theirs}-00f067aa0ba902b7-01-x`],
    [`00-${theirs}-00f067aa0ba902b7-01`, `00-${theirs}-00f067aa0ba902b7-01`],
  ];
  for (const given of invalid)
    assert.equal(traceparentOf(traceFrom(given, uuid)), `00-${own}-a16570867728950e-01`, String(given));
});
