import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { freePort } from "../../../server/src/postgres/temporary-postgres.ts";
import { firstLineOf, startProcess, type Running } from "../dev/processes.ts";
import { root } from "../dev/programs.ts";
import type { Ready } from "../running.ts";

/** The result of a command. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A `tollgate dev` for one test, and commands that use it. */
export interface DevWorld {
  readonly ready: Ready;
  /** An empty folder for the test's own files. */
  readonly home: string;
  readonly folder: string;
  /** Runs a command as a process, with the folder of this `dev`. */
  tollgate(...words: readonly string[]): Promise<Ended>;
  /** Runs a command without a folder option, with these environment variables. */
  tollgateWith(variables: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<Ended>;
  /** Starts a command that runs until it is stopped. */
  start(...words: readonly string[]): Running;
}

const program = join(root, "cli/src/start.ts");

export async function startDevWorld(): Promise<DevWorld> {
  const home = await mkdtemp(join(tmpdir(), "tollgate-merchant-"));
  // If the test runs as root, PostgreSQL runs as another user, who must be able to enter the folder.
  await chmod(home, 0o755);
  const folder = join(home, "kept");
  const words = [program, "dev", "--json", "--folder", folder, "--port", String(await freePort())];
  const dev = startProcess("dev", words, {}, { stopTimeoutMs: 30_000 });
  after(async () => {
    await dev.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  });
  const ready = JSON.parse(await firstLineOf(dev, "stdout")) as Ready;
  return {
    ready,
    home,
    folder,
    tollgate: (...asked) => run({}, [...asked, "--folder", folder], home),
    tollgateWith: (variables, ...asked) => run(variables, asked, home),
    start(...asked) {
      const running = startProcess(asked[0] ?? "", [program, ...asked, "--folder", folder], {});
      after(() => running.stop());
      return running;
    },
  };
}

function run(
  variables: Readonly<Record<string, string>>,
  words: readonly string[],
  cwd: string,
): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...variables };
    const child = execFile(process.execPath, [program, ...words], { cwd, env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout: stdout.trim(), stderr: stderr.trim() }),
    );
  });
}
