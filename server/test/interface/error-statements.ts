import assert from "node:assert/strict";
import { inBothEnvironments, checked, type Statement } from "./statement.ts";
import { inquire, isJsonObject, type TestEnvironment } from "./test-environments.ts";

/** Part 7 of docs/interface.md: errors. */
export const errorStatements: readonly Statement[] = [
  checked(
    "7.1",
    "every response has a result object",
    inBothEnvironments(async ({ answers }) => {
      for (const { answer } of answers) assert.ok(isJsonObject(JSON.parse(answer.text).result), answer.text);
    }),
  ),
  checked(
    "7.2",
    "every result has resultStatus",
    inBothEnvironments(everyResultHas("resultStatus", /^[SFU]$/)),
  ),
  checked(
    "7.3",
    "every result has resultCode",
    inBothEnvironments(async ({ answers }) => {
      const codes = answers.map(({ answer }) => JSON.parse(answer.text).result.resultCode);
      assert.deepEqual(
        codes,
        answers.map(({ code }) => code),
      );
    }),
  ),
  checked(
    "7.4",
    "every result has resultMessage",
    inBothEnvironments(everyResultHas("resultMessage", /^\S.*\.$/)),
  ),
  checked(
    "7.5",
    "a successful call returns S",
    inBothEnvironments(async (side) => {
      const answer = await inquire(side, side.paidPayment);
      assert.equal(answer.json.result["resultStatus"], "S");
    }),
  ),
  checked(
    "7.6",
    "a successful call returns SUCCESS",
    inBothEnvironments(async (side) => {
      const answer = await inquire(side, side.paidPayment);
      assert.equal(answer.json.result["resultCode"], "SUCCESS");
    }),
  ),
];

function everyResultHas(field: string, form: RegExp): (side: TestEnvironment) => Promise<void> {
  return async ({ answers }) => {
    for (const { answer } of answers) assert.match(JSON.parse(answer.text).result[field], form);
  };
}
