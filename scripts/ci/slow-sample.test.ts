import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { alwaysRun, importsOf, sampleOneIn, sampleSlowTests, type SlowTest } from "./slow-sample.ts";

const others: readonly SlowTest[] = Array.from({ length: 100 }, (_, index) => ({
  path: `server/src/d${index % 5}/f${index}.slow.ts`,
  imports: [`server/test/h${index}.ts`],
}));
const tests = [...alwaysRun.map((path) => ({ path, imports: [] })), ...others];
const seedOf = (commit: number): string => createHash("sha1").update(String(commit)).digest("hex");

test("slow tests that always run exist, and are in every sample", () => {
  for (const path of alwaysRun) assert.ok(existsSync(join(import.meta.dirname, "../..", path)), path);
  const sample = sampleSlowTests({ tests, seed: seedOf(0), changed: [] });
  for (const path of alwaysRun) assert.equal(sample.get(path), "always");
});

test("the same commit draws the same files, and another commit draws others", () => {
  const draw = (commit: number): string[] => [
    ...sampleSlowTests({ tests: tests.toReversed(), seed: seedOf(commit), changed: [] }).keys(),
  ];
  assert.deepEqual(draw(1), [...sampleSlowTests({ tests, seed: seedOf(1), changed: [] }).keys()]);
  assert.notDeepEqual(draw(1), draw(2));
});

test("every slow test runs within forty commits, and in about one of four", () => {
  const runs = new Map<string, number>();
  const count = 400;
  for (let commit = 0; commit < count; commit += 1)
    for (const path of sampleSlowTests({ tests, seed: seedOf(commit), changed: [] }).keys())
      runs.set(path, (runs.get(path) ?? 0) + (commit < 40 ? 1000 : 1));
  for (const { path } of others) {
    const [early, late] = [Math.floor((runs.get(path) ?? 0) / 1000), (runs.get(path) ?? 0) % 1000];
    assert.ok(early > 0, `${path} did not run in forty commits`);
    const share = (early + late) / count;
    assert.ok(Math.abs(share - 1 / sampleOneIn) < 0.1, `${path} ran in a share of ${share}`);
  }
});

test("a changed slow test runs, also if only a file that it imports has changed", () => {
  const changed = ["server/src/d1/f1.slow.ts", "server/test/h7.ts", "README.md"];
  const sample = sampleSlowTests({ tests, seed: seedOf(3), changed });
  assert.equal(sample.get("server/src/d1/f1.slow.ts"), "changed");
  assert.equal(sample.get("server/src/d2/f7.slow.ts"), "changed");
});

test("at most twelve slow tests next to a changed source file run in addition to the draw", () => {
  const before = sampleSlowTests({ tests, seed: seedOf(4), changed: ["server/src/d3/README.md"] });
  const sample = sampleSlowTests({ tests, seed: seedOf(4), changed: ["server/src/d3/pay.ts"] });
  const besideChanges = [...sample].filter(([, reason]) => reason === "near a change").map(([path]) => path);
  assert.equal(besideChanges.length, 12);
  assert.ok(besideChanges.every((path) => path.startsWith("server/src/d3/")));
  assert.equal(sample.size, before.size + 12);
});

test("imports are read as paths from the root", () => {
  const text = 'import { a } from "../a.ts";\nimport {\n  b,\n} from "./b/b.ts";\nimport "node:fs";';
  assert.deepEqual(importsOf("server/src/c/c.slow.ts", text), ["server/src/a.ts", "server/src/c/b/b.ts"]);
});
