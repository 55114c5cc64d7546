import assert from "node:assert/strict";
import { inBoth, shown, type Statement } from "./statements.ts";
import { inquire, isJsonObject, type Side } from "./world.ts";

/** Part 7 of docs/interface.md: errors. */
export const errorStatements: readonly Statement[] = [
  shown(
    "7.1",
    "every response has a result object",
    inBoth(async ({ answers }) => {
      for (const { answer } of answers) assert.ok(isJsonObject(JSON.parse(answer.text).result), answer.text);
    }),
  ),
  shown("7.2", "every result has resultStatus", inBoth(everyResultHas("resultStatus", /^[SFU]$/))),
  shown(
    "7.3",
    "every result has resultCode",
    inBoth(async ({ answers }) => {
      const codes = answers.map(({ answer }) => JSON.parse(answer.text).result.resultCode);
      assert.deepEqual(
        codes,
        answers.map(({ code }) => code),
      );
    }),
  ),
  shown("7.4", "every result has resultMessage", inBoth(everyResultHas("resultMessage", /^\S.*\.$/))),
  shown(
    "7.5",
    "a successful call returns S",
    inBoth(async (side) => {
      const answer = await inquire(side, side.paid);
      assert.equal(answer.json.result["resultStatus"], "S");
    }),
  ),
  shown(
    "7.6",
    "a successful call returns SUCCESS",
    inBoth(async (side) => {
      const answer = await inquire(side, side.paid);
      assert.equal(answer.json.result["resultCode"], "SUCCESS");
    }),
  ),
];

function everyResultHas(field: string, form: RegExp): (side: Side) => Promise<void> {
  return async ({ answers }) => {
    for (const { answer } of answers) assert.match(JSON.parse(answer.text).result[field], form);
  };
}
