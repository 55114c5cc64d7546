import assert from "node:assert/strict";
import { test } from "node:test";
import { readTrace, writeTraceparent } from "./trace.ts";

const uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";
const newTraceId = "0f8fad5bd9cb469fa16570867728950e";
const callerTraceId = "4bf92f3577b34da6a3ce929d0e0e4736";

test("a request continues its caller's trace, with a new span", () => {
  const trace = readTrace([`00-${callerTraceId}-00f067aa0ba902b7-01`], uuid);
  assert.equal(writeTraceparent(trace), `00-${callerTraceId}-a16570867728950e-01`);
  assert.equal(readTrace([`00-${callerTraceId}-00f067aa0ba902b7-00`], uuid).flags, "00");
  assert.equal(
    readTrace([`cc-${callerTraceId}-00f067aa0ba902b7-01-what-comes-later`], uuid).traceId,
    callerTraceId,
  );
});

test("a request without a header, or with an invalid one, starts a trace", () => {
  const invalid = [
    [],
    [""],
    [`00-${callerTraceId}-00f067aa0ba902b7`],
    [`00-${callerTraceId}-00f067aa0ba902b7-01-more`],
    [`00-${callerTraceId.toUpperCase()}-00f067aa0ba902b7-01`],
    [`00-${"0".repeat(32)}-00f067aa0ba902b7-01`],
    [`00-${callerTraceId}-${"0".repeat(16)}-01`],
    [`ff-${callerTraceId}-00f067aa0ba902b7-01-x`],
    [`00-${callerTraceId}-00f067aa0ba902b7-01`, `00-${callerTraceId}-00f067aa0ba902b7-01`],
  ];
  for (const given of invalid)
    assert.equal(
      writeTraceparent(readTrace(given, uuid)),
      `00-${newTraceId}-a16570867728950e-01`,
      String(given),
    );
});
