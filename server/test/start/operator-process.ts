import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { bareEnvironment } from "./bare-environment.ts";

export const mainFile = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** Result of a command: its exit code, standard output and standard error. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs commands as an operator does, each in a separate process. */
export interface OperatorProcess {
  /** A folder that is deleted with the test. */
  readonly folder: string;
  /** Names of the commands that were run. */
  readonly usedCommands: Set<string>;
  run(command: string, ...more: readonly string[]): Promise<CommandResult>;
  runWith(flags: readonly string[], command: string, ...more: readonly string[]): Promise<CommandResult>;
  /** Runs a command and returns its standard output. Fails if the command failed, or wrote to standard error. */
  stdoutOf(command: string, ...more: readonly string[]): Promise<string>;
  /** Runs a command with `--json`, and returns the parsed result. */
  jsonOf<Result>(command: string, ...more: readonly string[]): Promise<Result>;
}

export function newOperatorProcess(variables: Readonly<Record<string, string>>): OperatorProcess {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-operator-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const usedCommands = new Set<string>();

  async function runWith(
    flags: readonly string[],
    command: string,
    ...more: readonly string[]
  ): Promise<CommandResult> {
    usedCommands.add(command);
    const program = spawn(process.execPath, [...flags, mainFile, ...command.split(" "), ...more], {
      env: { ...bareEnvironment, ...variables },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    program.stdout.setEncoding("utf8").on("data", (text: string) => void (stdout += text));
    program.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
    const code = await new Promise<number | null>((resolve) => program.on("close", resolve));
    return { code, stdout, stderr };
  }

  const run: OperatorProcess["run"] = (command, ...more) => runWith([], command, ...more);
  const stdoutOf: OperatorProcess["stdoutOf"] = async (command, ...more) => {
    const { code, stdout, stderr } = await run(command, ...more);
    assert.deepEqual([code, stderr], [0, ""], stderr);
    return stdout;
  };
  const jsonOf = async <Result>(command: string, ...more: readonly string[]): Promise<Result> =>
    JSON.parse(await stdoutOf(command, ...more, "--json")) as Result;
  return { folder, usedCommands, run, runWith, stdoutOf, jsonOf };
}
