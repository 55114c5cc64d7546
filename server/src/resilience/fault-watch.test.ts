import assert from "node:assert/strict";
import { test } from "node:test";
import { watchFaults, type Fault } from "./fault-watch.ts";

const fault = (subjectId: string, more: Partial<Fault> = {}): Fault => ({
  subjectId,
  reach: "ended",
  isWritten: async () => false,
  ...more,
});

test("three consecutive failed records are a fault, and one that works ends it", () => {
  const watch = watchFaults();
  for (const id of ["a", "b", "c"]) {
    assert.deepEqual(watch.failing(), []);
    watch.failed("callbacks", fault(id));
  }
  assert.deepEqual(watch.failing(), ["callbacks"]);
  watch.worked("callbacks", "ended");
  assert.deepEqual(watch.failing(), []);
});

test("a single record that can never be stored is not a general fault", () => {
  const watch = watchFaults();
  for (let tries = 0; tries < 10; tries += 1) watch.failed("callbacks", fault("a"));
  assert.deepEqual(watch.failing(), []);
});

test("submitting payments works although none can be settled: still a fault", () => {
  const watch = watchFaults();
  for (const id of ["a", "b", "c"]) watch.failed("drive-payment", fault(id));
  watch.worked("drive-payment", "moved");
  watch.worked("callbacks", "ended");
  assert.deepEqual(watch.failing(), ["drive-payment"]);
});

test("settling a record shows that others can be moved", () => {
  const watch = watchFaults();
  for (const id of ["a", "b", "c"]) watch.failed("drive-payment", fault(id, { reach: "moved" }));
  watch.worked("drive-payment", "looked");
  assert.deepEqual(watch.failing(), ["drive-payment"]);
  watch.worked("drive-payment", "ended");
  assert.deepEqual(watch.failing(), []);
});

test("without traffic it fails until the last record was written, by any process", async () => {
  const watch = watchFaults();
  let isWritten = async (): Promise<boolean> => Promise.reject(new Error("The database is away."));
  for (const id of ["a", "b", "c"])
    watch.failed("callbacks", fault(id, { isWritten: async () => isWritten() }));
  await watch.probe();
  assert.deepEqual(watch.failing(), ["callbacks"]);
  isWritten = async () => true;
  await watch.probe();
  assert.deepEqual(watch.failing(), []);
});
