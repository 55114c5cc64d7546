import assert from "node:assert/strict";
import { test } from "node:test";
import { notifications } from "../../../../clients/typescript/src/generated/notifications.ts";
import { operations } from "../../../../clients/typescript/src/generated/operations.ts";
import { resultCodes } from "../../../../clients/typescript/src/generated/result-codes.ts";
import { triggers } from "../triggers.ts";
import { excuses } from "./excuses.ts";
import { allScenarios } from "./scenarios.ts";

test("every result code can be forced, or it is said why not, and never both", () => {
  const [forced, excused] = [Object.keys(allScenarios), Object.keys(excuses)];
  assert.deepEqual([...forced, ...excused].toSorted(), Object.keys(resultCodes).toSorted());
});

test("every scenario names an operation that there is", () => {
  for (const [code, { operation }] of Object.entries(allScenarios)) assert.ok(operation in operations, code);
});

test("every kind of notification, and every type of it, can be triggered", () => {
  const told = Object.values(triggers).map(({ tells }) => tells);
  assert.deepEqual(new Set(told.map(([kind]) => kind)), new Set(notifications.map(({ kind }) => kind)));
});
