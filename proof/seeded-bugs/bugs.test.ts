import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { seededBugs } from "./bugs.ts";

const nameEnd = 13;
const root = fileURLToPath(new URL("../../", import.meta.url));

// The run of all seeded bugs takes minutes. This test fails at once if a change of the code breaks a patch.
for (const { name, description } of seededBugs) {
  test(`its patch applies: ${description}`, () => {
    const args = ["apply", "--check", `proof/seeded-bugs/patches/${name}.patch`];
    execFileSync("git", args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  });
}

test("every expected failing test exists under its name", () => {
  for (const { layer, expected } of seededBugs.filter(({ layer: { testFile } }) => testFile !== undefined)) {
    assert.equal(typeof expected, "string");
    const text = readFileSync(new URL(`../../${layer.testFile}`, import.meta.url), "utf8");
    // Only the end of the test's name must be in the file, because a table-driven test computes the beginning.
    assert(text.includes(String(expected).slice(-nameEnd)), `${layer.testFile}: ${String(expected)}`);
  }
});

test("every patch belongs to a seeded bug", () => {
  const patches = readdirSync(new URL("./patches", import.meta.url)).sort();
  assert.deepEqual(
    patches,
    seededBugs.map(({ name }) => `${name}.patch`),
  );
});
