import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { failedTest } from "../seeded-bugs/run-layer.ts";
import type { Shown } from "./run-proof.ts";

/** A set of the repository's tests that runs alone. */
interface Part {
  readonly what: string;
  readonly passed: number;
  readonly failed: readonly string[];
  /** Measurements that the tests have printed. */
  readonly measured: readonly string[];
  readonly seconds: number;
}

interface Asked {
  /** Claim → test files that prove the claim. */
  readonly parts: Readonly<Record<string, readonly string[]>>;
  readonly variables: Readonly<Record<string, string>>;
  say(line: string): void;
}

/** `showByTests` runs the tests of each claim one after the other, because they measure and start complete gateways. */
export async function showByTests({ parts, variables, say }: Asked): Promise<Shown> {
  const ran: Part[] = [];
  for (const [what, files] of Object.entries(parts)) {
    const part = await runPart(what, files, variables);
    say(`${part.passed} passed, ${part.failed.length} failed: ${what}`);
    ran.push(part);
  }
  return {
    figures: { passed: ran.reduce((sum, { passed }) => sum + passed, 0), parts: ran.length },
    misses: ran.flatMap(({ what, passed, failed }) =>
      passed + failed.length === 0 ? [`${what}: nothing ran`] : failed.map((name) => `${what}: ${name}`),
    ),
    details: ran.flatMap(({ what, passed, seconds, measured }) => [
      `- ${what}: ${passed} tests in ${seconds} s`,
      ...measured.map((line) => `  - ${line}`),
    ]),
  };
}

function runPart(what: string, files: readonly string[], variables: Asked["variables"]): Promise<Part> {
  const startedAtMs = performance.now();
  const how = ["--test", "--test-reporter=tap", "--test-concurrency=1"];
  const words = [...how, "--test-global-setup=server/test/start/global-setup.ts", ...files];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, words, {
      cwd: fileURLToPath(new URL("../../", import.meta.url)),
      env: { ...process.env, ...variables },
      stdio: ["ignore", "pipe", "ignore"],
    });
    process.once("exit", () => void child.kill("SIGTERM"));
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    child.once("close", () => {
      const lines = said.split("\n");
      resolve({
        what,
        passed: lines.filter((line) => /^ok \d+ - (?!.*# SKIP)/.test(line)).length,
        failed: lines.flatMap((line) => failedTest(line) ?? []),
        measured: lines.flatMap((line) => figureIn(line) ?? []),
        seconds: Math.round((performance.now() - startedAtMs) / 1_000),
      });
    });
  });
}

/** A diagnostic line of a test that contains a figure; lines of the test runner are ignored. */
function figureIn(line: string): string | undefined {
  return /^ *# (?!tests|suites|pass|fail|cancelled|skipped|todo|duration|Subtest)(.*\d (?:ms|bytes|KB)\b.*)$/.exec(
    line,
  )?.[1];
}
