import assert from "node:assert/strict";
import { test } from "node:test";
import { newOperatorProcess } from "../../../test/start/operator-process.ts";
import { startTestStack } from "../../../test/start/test-stack.ts";
import { controlVariables } from "../../../test/start/test-universe.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { benchResultText } from "./bench-report.ts";
import { benchCommands } from "./bench-commands.ts";
import { readCommandLine } from "../framework/command-line.ts";
import { UsageError } from "../../core/command-errors.ts";
import type { BenchResult } from "./run-bench.ts";
import { sizeFor } from "./installation-size.ts";

/** This test checks that `tollgate bench` works. It does not measure the machine. */
const secretFile = controlVariables.TOLLGATE_CONTROL_SECRET_FILE;
const stack = await startTestStack({ words: ["--control-secret-file", secretFile] });
const { database } = stack;
const { url } = await stack.serve({ isPublic: true, variables: controlVariables });
await stack.work();
const variables = { ...stack.variables, ...controlVariables, TOLLGATE_OWNER_DATABASE_URL: database.ownerUrl };
const { run, jsonOf } = newOperatorProcess(variables);
const small = ["--url", url, "--from", "20", "--to", "20", "--seconds", "1", "--p99", "60000"];

let result: BenchResult;

test("a load is sent, answered and approved, its webhooks arrive, and its processes are found by their connections", async () => {
  result = await jsonOf<BenchResult>("bench", ...small);
  assert.deepEqual(result.notes, []);
  assert.deepEqual(result.seen, { serve: 1, work: 1, postgres: true });
  const [step] = result.steps;
  assert(step);
  // On an overloaded machine the gateway sheds load. Then the report says so and gives no sizing advice.
  const { pay, inquiry, told } = step;
  assert.deepEqual([pay.answered + pay.refused, inquiry.answered + inquiry.refused], [20, 20]);
  assert.ok(pay.answered > 0 && inquiry.answered > 0, step.firstRefusal);
  assert.ok(told && told.answered > 0 && told.answered <= pay.answered, JSON.stringify(told));
  for (const part of ["serve", "mainThread", "work", "postgres", "bench", "machine"] as const)
    assert.ok((step.usage[part] ?? -1) >= 0, part);
  assert.equal(result.keptUpRate, step.behind === undefined ? 20 : undefined);
  assert.equal(result.sizes.length, step.behind === undefined ? 1 : 0);
  const open = "select client_id from universes where closed_at is null";
  assert.deepEqual(await asSuperuser(open, [], database.superuserUrl), [], "It closes what it has opened.");
});

test("a rate that is not sustained is reported with the reason", () => {
  const [step] = result.steps;
  assert(step);
  const failed = { ...step, rate: 30, behind: "the 99th percentile is 900 ms, above 500 ms" };
  const first = { name: "work", load: 1, evidence: "it is full", remedy: "Start one more." };
  const cost = { serveMs: 2, mainThreadMs: 1.5, workMs: 0.5, postgresMs: 1 };
  const advised = { keptUpRate: 20, cost, sizes: [sizeFor(40, cost)] };
  const sustained = { ...step, behind: undefined };
  const text = benchResultText({ ...result, ...advised, steps: [sustained, failed], bottlenecks: [first] });
  assert.match(text, /^pay\/s .*\n20 .*\n30 .* not sustained$/m);
  assert.match(
    text,
    /^Sustained rate: 20 payments a second\.\nAt 30 payments a second, the 99th percentile is 900 ms/m,
  );
  assert.match(text, /^First bottleneck: work: it is full\.\nStart one more\.$/m);
  assert.match(text, /^Size for 40 payments a second at 60 % CPU use: 2 serve and 2 work on \d+ processors/m);
});

for (const [sentence, words, overrides] of [
  [/^A load test runs only in the sandbox, because live moves money\.$/, ["--environment", "live"], {}],
  [/^Set TOLLGATE_CONTROL_SECRET_FILE, /, [], { TOLLGATE_CONTROL_SECRET_FILE: "" }],
  [/^--url must be an http or https address\.$/, ["--url", "there"], {}],
  [/^--connections must be a whole number from 1 to 150\.$/, ["--connections", "200"], {}],
] as const)
  test(`rejected before anything is sent: ${String(sentence)}`, async () => {
    Object.assign(process.env, variables, overrides);
    const commandLine = readCommandLine(["bench", ...words], benchCommands);
    assert.ok(commandLine.action === "run");
    await assert.rejects(
      async () => benchCommands["bench"]?.run(commandLine.args),
      (error: Error) => {
        assert.ok(error instanceof UsageError);
        assert.match(error.message, sentence);
        return true;
      },
    );
  });

test("an unreachable gateway is reported", async () => {
  const { code, stderr } = await run("bench", "--url", "http://127.0.0.1:9");
  assert.deepEqual(
    [code, stderr.split("\n")[0]?.startsWith("No gateway responds at http://127.0.0.1:9. ")],
    [1, true],
  );
});
