import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { failedTest } from "../seeded-bugs/run-layer.ts";
import type { ProofResult } from "./run-proof.ts";

/** A set of the repository's tests that runs alone. */
interface TestPart {
  readonly claim: string;
  readonly passed: number;
  readonly failed: readonly string[];
  /** Measurements that the tests have printed. */
  readonly measured: readonly string[];
  readonly seconds: number;
}

interface TestRunOptions {
  /** Claim → test files that prove the claim. */
  readonly parts: Readonly<Record<string, readonly string[]>>;
  readonly variables: Readonly<Record<string, string>>;
  logProgress(line: string): void;
}

/**
 * `runTestParts` runs the tests of each claim one after the other, because they measure and start complete gateways.
 */
export async function runTestParts({ parts, variables, logProgress }: TestRunOptions): Promise<ProofResult> {
  const results: TestPart[] = [];
  for (const [claim, files] of Object.entries(parts)) {
    const part = await runPart(claim, files, variables);
    logProgress(`${part.passed} passed, ${part.failed.length} failed: ${claim}`);
    results.push(part);
  }
  return {
    figures: { passed: results.reduce((sum, { passed }) => sum + passed, 0), parts: results.length },
    misses: results.flatMap(({ claim, passed, failed }) =>
      passed + failed.length === 0 ? [`${claim}: nothing ran`] : failed.map((name) => `${claim}: ${name}`),
    ),
    details: results.flatMap(({ claim, passed, seconds, measured }) => [
      `- ${claim}: ${passed} tests in ${seconds} s`,
      ...measured.map((line) => `  - ${line}`),
    ]),
  };
}

function runPart(
  claim: string,
  files: readonly string[],
  variables: TestRunOptions["variables"],
): Promise<TestPart> {
  const startedAtMs = performance.now();
  const runnerArgs = ["--test", "--test-reporter=tap", "--test-concurrency=1"];
  const args = [...runnerArgs, "--test-global-setup=server/test/start/global-setup.ts", ...files];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: fileURLToPath(new URL("../../", import.meta.url)),
      env: { ...process.env, ...variables },
      stdio: ["ignore", "pipe", "ignore"],
    });
    process.once("exit", () => void child.kill("SIGTERM"));
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.once("close", () => {
      const lines = output.split("\n");
      resolve({
        claim,
        passed: lines.filter((line) => /^ok \d+ - (?!.*# SKIP)/.test(line)).length,
        failed: lines.flatMap((line) => failedTest(line) ?? []),
        measured: lines.flatMap((line) => findMeasurement(line) ?? []),
        seconds: Math.round((performance.now() - startedAtMs) / 1_000),
      });
    });
  });
}

/** A diagnostic line of a test that contains a figure; lines of the test runner are ignored. */
function findMeasurement(line: string): string | undefined {
  return /^ *# (?!tests|suites|pass|fail|cancelled|skipped|todo|duration|Subtest)(.*\d (?:ms|bytes|KB)\b.*)$/.exec(
    line,
  )?.[1];
}
