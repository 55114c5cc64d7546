import assert from "node:assert/strict";
import { test } from "node:test";
import { compare, countByFolder, readBaseline, writeBaseline } from "./baseline.ts";

const at = (...paths: string[]): { path: string }[] => paths.map((path) => ({ path }));

test("findings are counted by folder, at most three deep", () => {
  const counts = countByFolder(at("server/src/payments/a.ts", "server/src/payments/b/c.ts", "README.md"));
  assert.equal(writeBaseline(counts), ".: 1\nserver/src/payments: 2\n");
  assert.deepEqual(readBaseline(writeBaseline(counts)), counts);
});

test("both more and fewer findings than the baseline are a difference, and a new folder starts at zero", () => {
  const baseline = readBaseline("docs: 2\ncli: 1\nserver/src/payments: 1\n");
  const now = countByFolder(
    at("docs/a.md", "cli/a.ts", "cli/b.ts", "proof/a.ts", "server/src/payments/a.ts"),
  );
  assert.deepEqual(compare(now, baseline), { more: ["cli", "proof"], fewer: ["docs"] });
});
