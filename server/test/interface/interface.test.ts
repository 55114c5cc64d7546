import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { serviceStatements } from "./service.ts";
import { resourceStatements } from "./resources.ts";
import { stateStatements } from "./states.ts";
import { endpointStatements } from "./endpoints.ts";
import { authenticationStatements } from "./authentication.ts";
import { eventStatements } from "./events.ts";
import { errorStatements } from "./error-statements.ts";
import { versioningStatements } from "./versioning.ts";
import { isProven } from "./statement.ts";
import { startTestEnvironments } from "./test-environments.ts";

const statements = [
  ...serviceStatements,
  ...resourceStatements,
  ...stateStatements,
  ...endpointStatements,
  ...authenticationStatements,
  ...eventStatements,
  ...errorStatements,
  ...versioningStatements,
];

const document = await readFile(new URL("../../../docs/interface.md", import.meta.url), "utf8");
const numbers = [...document.matchAll(/^- \*\*(\d+\.\d+)\*\* /gm)].map(([, number]) => number);

// The environments start before the first test is registered. The runner would end if a test completed while no other test is
// registered.
const environments = await startTestEnvironments();

test("every statement of the interface has one entry here, and every entry is a statement", () => {
  assert.deepEqual(
    statements.map(({ number }) => number),
    numbers,
  );
});

let checkedCount = 0;

for (const statement of statements) {
  const name = `${statement.number} ${statement.text}`;
  if (isProven(statement)) {
    test(`${name}, in ${statement.provenIn}`, async () => {
      const proof = await readFile(new URL(statement.provenIn, import.meta.url), "utf8");
      assert.match(proof, new RegExp(String.raw`\b${statement.number.replace(".", String.raw`\.`)}\b`));
      checkedCount += 1;
    });
    continue;
  }
  test(name, async () => {
    await statement.check(environments);
    checkedCount += 1;
  });
}

test("every statement is tested, and none is pending", (context) => {
  context.diagnostic(`interface: ${numbers.length} statements, ${checkedCount} shown`);
  assert.equal(checkedCount, numbers.length);
});
