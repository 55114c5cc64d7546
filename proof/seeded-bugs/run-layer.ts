import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import type { CopiedTree } from "./copied-tree.ts";

export interface ProgramRun {
  /** The exit status of the program, or a text if the timeout killed the program. */
  readonly status: number | string;
  readonly lines: readonly string[];
  readonly seconds: number;
}

/** Runs a program in a copy of the tree, with a time limit. */
export function runProgram(
  { folder }: CopiedTree,
  args: readonly string[],
  budgetSeconds: number,
): Promise<ProgramRun> {
  const startedAtMs = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    const killOnExit = (): void => void child.kill("SIGTERM");
    process.once("exit", killOnExit);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill("SIGTERM");
    }, budgetSeconds * 1_000);
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      process.off("exit", killOnExit);
      resolve({
        status: isLate ? "too late" : (signal ?? code ?? 0),
        lines: output.split("\n").filter(Boolean),
        seconds: Math.round((performance.now() - startedAtMs) / 1_000),
      });
    });
  });
}

/** The ordinary tests of the folders in which bugs are seeded. */
const testFiles =
  "server/src/{captures,egress,jobs,ledger,notifications,payments,postgres,refunds,sessions,providers}/*.test.ts";
const testsBudgetSeconds = 300;

/** The names of the tests that fail in a copy of the tree. */
export async function failingTests(tree: CopiedTree): Promise<ReadonlySet<string>> {
  const setup = "--test-global-setup=server/test/start/global-setup.ts";
  const runnerArgs = ["--test", "--test-reporter=tap", "--test-concurrency=2", setup];
  const files = globSync(testFiles, { cwd: tree.folder });
  const { lines, status } = await runProgram(tree, [...runnerArgs, ...files], testsBudgetSeconds);
  if (status === "too late") throw new Error("The tests did not finish.");
  return new Set(lines.flatMap((line) => failedTest(line) ?? []));
}

/** The name of the failed test in a TAP line. */
export function failedTest(line: string): string | undefined {
  return /^ *not ok \d+ - (.*)$/.exec(line)?.[1];
}
