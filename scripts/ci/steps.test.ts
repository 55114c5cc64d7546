import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, describe, test } from "node:test";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "tollgate-steps-"));
after(() => rmSync(folder, { recursive: true, force: true }));

interface StepsResult {
  readonly status: unknown;
  readonly lines: readonly string[];
  /** Rows of the table: step, seconds, budget, result. */
  readonly rows: readonly (readonly string[])[];
}

/** Runs steps as .ci/run does. */
async function runSteps(steps: string, { limit = 60, unstable = "" } = {}): Promise<StepsResult> {
  const list = join(folder, `unstable-${randomUUID()}`);
  writeFileSync(list, unstable);
  const script = `cd '${root}'; limit=${limit}; unstable='${list}'; with_database=--test-timeout=60000; source .ci/steps.sh; ${steps}`;
  const { status, stdout } = await new Promise<{ status: unknown; stdout: string }>((resolve) => {
    const env = { PATH: process.env["PATH"] };
    execFile("bash", ["-c", script], { env }, (error, out) =>
      resolve({ status: error?.code ?? 0, stdout: out }),
    );
  });
  const lines = stdout.trimEnd().split("\n");
  const rows = lines.flatMap((line) => {
    const [, name = "", seconds = "", budget = "", result = ""] =
      /^(.{28}) +(\d+) +(\d+)(?: {2}(.*))?$/.exec(line) ?? [];
    return name === "" ? [] : [[name.trim(), seconds, budget, result]];
  });
  return { status, lines, rows };
}

/** A test file that fails at its first run, as a path from the root, as the test runner prints it. */
function writeFlaky(name: string): string {
  const path = join(folder, name);
  const marker = JSON.stringify(`${path}.ran`);
  writeFileSync(
    path,
    `import { existsSync, writeFileSync } from "node:fs"; import { test } from "node:test";
     const isFirst = !existsSync(${marker}); writeFileSync(${marker}, "");
     test("flaky", () => { if (isFirst) throw new Error("first"); });\n`,
  );
  return relative(root, path);
}

// Concurrent, because they mostly wait.
void describe("steps of a run", { concurrency: true }, () => {
  void test("steps are counted and listed with their times, and the last line has the counts", async () => {
    const { status, lines, rows } = await runSteps(
      "step good 20 true; reason() { echo the reason; return 1; }; step bad 20 reason; finish",
    );
    assert.equal(status, 1);
    assert.equal(lines.at(-1), "1 passed, 1 failed");
    assert.equal(lines.at(-3), "failed: bad: the reason");
    assert.deepEqual(
      rows.map(([name, , budget, result]) => [name, budget, result]),
      [
        ["good", "20", "ok"],
        ["bad", "20", "failed with status 1"],
        ["whole run", "60", ""],
      ],
    );
  });

  void test("a run without a failure ends with status 0", async () => {
    const { status, lines } = await runSteps("step good 20 true; finish");
    assert.deepEqual([status, lines.at(-1)], [0, "1 passed, 0 failed"]);
  });

  void test("a step over its budget fails and is ended, also if it is a function", async () => {
    const { status, lines, rows } = await runSteps(
      "slow() { sleep 2; }; begin program 1 sleep 30; step function 1 slow; end program; finish",
    );
    assert.equal(status, 1);
    assert.equal(lines.at(-1), "0 passed, 2 failed");
    assert.deepEqual(
      rows.slice(0, 2).map(([name, , , result]) => [name, result]),
      [
        ["function", "over its budget"],
        ["program", "over its budget"],
      ],
    );
  });

  void test("no step runs longer than the rest of the whole run", async () => {
    const { rows } = await runSteps("step long 1000 sleep 30; finish", { limit: 2 });
    assert.equal(rows[0]?.[3], "over its budget");
    assert.ok(Number(rows[0][2]) <= 2);
  });

  void test("steps run concurrently, and each has its own time", async () => {
    const { rows } = await runSteps("begin long 20 sleep 3; step short 20 sleep 1; end long; finish");
    const secondsOf = (name: string): number => Number(rows.find(([row]) => row === name)?.[1]);
    assert.ok(secondsOf("short") < 3, "the short step waited for the long one");
    assert.ok(secondsOf("whole run") < 20);
  });

  void test("a failed test file is repeated only if it is listed as unstable", async () => {
    const listed = writeFlaky("listed.ts");
    const unstable = `# Comment\n${listed} | 2026-11-18 | fails the first time\n`;
    const repeated = await runSteps(`tests slow 30 node --test '${listed}'; finish`, { unstable });
    assert.deepEqual([repeated.status, repeated.lines.at(-1)], [0, "1 passed, 0 failed"]);
    assert.ok(
      repeated.rows.some(([name]) => name === "slow, unstable"),
      "the repetition is in the table",
    );

    const unlisted = writeFlaky("unlisted.ts");
    const failed = await runSteps(`tests slow 30 node --test '${unlisted}'; finish`, { unstable });
    assert.deepEqual([failed.status, failed.lines.at(-1)], [1, "0 passed, 1 failed"]);
    assert.match(failed.lines.at(-3) ?? "", /^failed: slow: .*unlisted\.ts:3:6: flaky/);
  });

  void test("a listed file is not repeated if another file failed as well", async () => {
    const [listed, other] = [writeFlaky("listed-2.ts"), writeFlaky("other.ts")];
    const unstable = `${listed} | 2026-11-18 | fails the first time\n`;
    const { status, lines } = await runSteps(`tests slow 30 node --test '${listed}' '${other}'; finish`, {
      unstable,
    });
    assert.deepEqual([status, lines.at(-1)], [1, "0 passed, 2 failed"]);
  });
});

test("the run ends after a failed check", () => {
  const text = readFileSync(join(root, ".ci/run"), "utf8");
  assert.match(text, /^ +all\) tests check \d+ npm run check \|\| finish ;;$/m);
});

test("the list of unstable tests has at most five files, each with a date and a cause", () => {
  const lines = readFileSync(join(root, ".ci/unstable-tests"), "utf8").split("\n");
  const listed = lines.filter((line) => line !== "" && !line.startsWith("#"));
  assert.ok(listed.length <= 5);
  for (const line of listed) {
    assert.match(line, /^[\w./-]+\.ts \| 20\d\d-\d\d-\d\d \| .{20,}$/);
    assert.ok(readFileSync(join(root, line.split(" | ")[0] ?? "")).length > 0);
  }
});
