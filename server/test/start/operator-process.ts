import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { bareEnvironment } from "./bare-environment.ts";

export const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** Result of a command: its exit code, standard output and standard error. */
export interface Ran {
  readonly code: number | null;
  readonly printed: string;
  readonly said: string;
}

/** Runs commands as an operator does, each in a separate process. */
export interface OperatorProcess {
  /** A folder that is deleted with the test. */
  readonly folder: string;
  /** Names of the commands that were run. */
  readonly used: Set<string>;
  run(words: string, ...more: readonly string[]): Promise<Ran>;
  runWith(flags: readonly string[], words: string, ...more: readonly string[]): Promise<Ran>;
  /** Runs a command and returns its standard output. Fails if the command failed, or wrote to standard error. */
  printedBy(words: string, ...more: readonly string[]): Promise<string>;
  /** Runs a command with `--json`, and returns the parsed result. */
  resultOf<Result>(words: string, ...more: readonly string[]): Promise<Result>;
}

export function newOperatorProcess(variables: Readonly<Record<string, string>>): OperatorProcess {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-operator-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const used = new Set<string>();

  async function runWith(flags: readonly string[], words: string, ...more: readonly string[]): Promise<Ran> {
    used.add(words);
    const program = spawn(process.execPath, [...flags, main, ...words.split(" "), ...more], {
      env: { ...bareEnvironment, ...variables },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [printed, said] = ["", ""];
    program.stdout.setEncoding("utf8").on("data", (text: string) => void (printed += text));
    program.stderr.setEncoding("utf8").on("data", (text: string) => void (said += text));
    const code = await new Promise<number | null>((resolve) => program.on("close", resolve));
    return { code, printed, said };
  }

  const run: OperatorProcess["run"] = (words, ...more) => runWith([], words, ...more);
  const printedBy: OperatorProcess["printedBy"] = async (words, ...more) => {
    const { code, printed, said } = await run(words, ...more);
    assert.deepEqual([code, said], [0, ""], said);
    return printed;
  };
  const resultOf = async <Result>(words: string, ...more: readonly string[]): Promise<Result> =>
    JSON.parse(await printedBy(words, ...more, "--json")) as Result;
  return { folder, used, run, runWith, printedBy, resultOf };
}
