import assert from "node:assert/strict";
import { test } from "node:test";
import { watchFaults } from "./fault-watch.ts";

test("three records in a row that fail are a fault, and one that works ends it", () => {
  const watch = watchFaults(() => 0);
  for (const id of ["a", "b", "c"]) {
    assert.deepEqual(watch.failing(), []);
    watch.failed("callbacks", id);
  }
  assert.deepEqual(watch.failing(), ["callbacks"]);
  watch.worked("callbacks");
  assert.deepEqual(watch.failing(), []);
});

test("one record that can never be stored is not a fault of all", () => {
  const watch = watchFaults(() => 0);
  for (let tries = 0; tries < 10; tries += 1) watch.failed("callbacks", "a");
  assert.deepEqual(watch.failing(), []);
});

test("after half a minute without a try it counts as working", () => {
  let nowMs = 0;
  const watch = watchFaults(() => nowMs);
  for (const id of ["a", "b", "c"]) watch.failed("callbacks", id);
  nowMs = 30_000;
  assert.deepEqual(watch.failing(), []);
});
