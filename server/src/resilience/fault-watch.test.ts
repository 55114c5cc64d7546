import assert from "node:assert/strict";
import { test } from "node:test";
import { newFaultWatch, type Fault } from "./fault-watch.ts";

const fault = (subjectId: string, otherFields: Partial<Fault> = {}): Fault => ({
  subjectId,
  reach: "ended",
  isWritten: async () => false,
  ...otherFields,
});

test("three consecutive failed records are a fault, and one that works ends it", () => {
  const watch = newFaultWatch();
  for (const id of ["a", "b", "c"]) {
    assert.deepEqual(watch.failingKinds(), []);
    watch.recordFault("callbacks", fault(id));
  }
  assert.deepEqual(watch.failingKinds(), ["callbacks"]);
  watch.recordSuccess("callbacks", "ended");
  assert.deepEqual(watch.failingKinds(), []);
});

test("a single record that can never be stored is not a general fault", () => {
  const watch = newFaultWatch();
  for (let tries = 0; tries < 10; tries += 1) watch.recordFault("callbacks", fault("a"));
  assert.deepEqual(watch.failingKinds(), []);
});

test("submitting payments works although none can be settled: still a fault", () => {
  const watch = newFaultWatch();
  for (const id of ["a", "b", "c"]) watch.recordFault("drive-payment", fault(id));
  watch.recordSuccess("drive-payment", "moved");
  watch.recordSuccess("callbacks", "ended");
  assert.deepEqual(watch.failingKinds(), ["drive-payment"]);
});

test("settling a record shows that others can be moved", () => {
  const watch = newFaultWatch();
  for (const id of ["a", "b", "c"]) watch.recordFault("drive-payment", fault(id, { reach: "moved" }));
  watch.recordSuccess("drive-payment", "looked");
  assert.deepEqual(watch.failingKinds(), ["drive-payment"]);
  watch.recordSuccess("drive-payment", "ended");
  assert.deepEqual(watch.failingKinds(), []);
});

test("without traffic it fails until the last record was written, by any process", async () => {
  const watch = newFaultWatch();
  let isWritten = async (): Promise<boolean> => Promise.reject(new Error("The database is away."));
  for (const id of ["a", "b", "c"])
    watch.recordFault("callbacks", fault(id, { isWritten: async () => isWritten() }));
  await watch.probe();
  assert.deepEqual(watch.failingKinds(), ["callbacks"]);
  isWritten = async () => true;
  await watch.probe();
  assert.deepEqual(watch.failingKinds(), []);
});
