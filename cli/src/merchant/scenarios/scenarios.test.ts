import assert from "node:assert/strict";
import { test } from "node:test";
import { notifications } from "../../../../clients/typescript/src/generated/notifications.ts";
import { operations } from "../../../../clients/typescript/src/generated/operations.ts";
import { resultCodes } from "../../../../clients/typescript/src/generated/result-codes.ts";
import { triggers, untriggered } from "../triggers.ts";
import { unforceableCodes } from "./unforceable-codes.ts";
import { allScenarios } from "./scenarios.ts";

test("every result code has either a scenario or a reason why there is none", () => {
  const [forced, unforceable] = [Object.keys(allScenarios), Object.keys(unforceableCodes)];
  assert.deepEqual([...forced, ...unforceable].toSorted(), Object.keys(resultCodes).toSorted());
});

test("every scenario names an existing operation", () => {
  for (const [code, { operation }] of Object.entries(allScenarios)) assert.ok(operation in operations, code);
});

test("every webhook kind has either a trigger or a reason why there is none", () => {
  const triggeredKinds = new Set(Object.values(triggers).map(({ webhook: [kind] }) => kind));
  assert.deepEqual(
    [...triggeredKinds, ...Object.keys(untriggered)].toSorted(),
    notifications.map(({ kind }) => kind).toSorted(),
  );
});
