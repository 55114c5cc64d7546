import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { findFreePort } from "../../../server/src/postgres/temporary-postgres.ts";
import { waitForFirstLine, startProcess, type RunningPart } from "../dev/processes.ts";
import { root } from "../dev/programs.ts";
import type { Ready } from "../running-file.ts";

/** The result of a command. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A `tollgate dev` for one test, and commands that use it. */
export interface DevInstallation {
  readonly ready: Ready;
  /** An empty folder for the test's own files. */
  readonly home: string;
  readonly folder: string;
  /** Runs a command as a process, with the folder of this `dev`. */
  tollgate(...words: readonly string[]): Promise<CommandResult>;
  /** Runs a command without a folder option, with these environment variables. */
  tollgateWith(
    variables: Readonly<Record<string, string>>,
    ...words: readonly string[]
  ): Promise<CommandResult>;
  /** Starts a command that runs until it is stopped. */
  start(...words: readonly string[]): RunningPart;
}

const program = join(root, "cli/src/start.ts");

export async function startDevInstallation(): Promise<DevInstallation> {
  const home = await mkdtemp(join(tmpdir(), "tollgate-merchant-"));
  // If the test runs as root, PostgreSQL runs as another user, who must be able to enter the folder.
  await chmod(home, 0o755);
  const folder = join(home, "kept");
  const devArguments = [program, "dev", "--json", "--folder", folder, "--port", String(await findFreePort())];
  const dev = startProcess("dev", devArguments, {}, { stopTimeoutMs: 30_000 });
  after(async () => {
    await dev.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  });
  const ready = JSON.parse(await waitForFirstLine(dev, "stdout")) as Ready;
  return {
    ready,
    home,
    folder,
    tollgate: (...commandArguments) => run({}, [...commandArguments, "--folder", folder], home),
    tollgateWith: (variables, ...commandArguments) => run(variables, commandArguments, home),
    start(...commandArguments) {
      const running = startProcess(
        commandArguments[0] ?? "",
        [program, ...commandArguments, "--folder", folder],
        {},
      );
      after(() => running.stop());
      return running;
    },
  };
}

function run(
  variables: Readonly<Record<string, string>>,
  commandArguments: readonly string[],
  cwd: string,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...variables };
    const child = execFile(
      process.execPath,
      [program, ...commandArguments],
      { cwd, env },
      (_, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, stdout: stdout.trim(), stderr: stderr.trim() }),
    );
  });
}
