import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { plantedBugs } from "./planted-bugs.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

// The run that plants them takes minutes; who changes a line under a patch is to hear of it at once.
for (const { name, what } of plantedBugs) {
  test(`its patch fits: ${what}`, () => {
    const words = ["apply", "--check", `proof/planted/${name}.patch`];
    execFileSync("git", words, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  });
}

test("every patch belongs to a bug that is looked for", () => {
  const patches = readdirSync(new URL("planted", import.meta.url)).sort();
  assert.deepEqual(
    patches,
    plantedBugs.map(({ name }) => `${name}.patch`),
  );
});
