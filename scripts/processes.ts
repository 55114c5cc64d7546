import { execFile, spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../", import.meta.url));

/** A part of Tollgate that runs as a process of its own. */
export interface Running {
  readonly name: string;
  readonly child: ChildProcess;
  readonly exited: Promise<number | string>;
  /** Asks it to leave, and ends it when it does not. */
  stop(): Promise<void>;
}

interface Options {
  /** How long it may take to leave when it is asked to. */
  readonly stopTimeoutMs?: number;
}

/** Starts a program of ours. What it says on its standard error goes to ours; its standard output is for whoever reads it. */
export function startProcess(
  name: string,
  words: readonly string[],
  variables: Readonly<Record<string, string>>,
  { stopTimeoutMs = 7_000 }: Options = {},
): Running {
  const child = spawn(process.execPath, words, {
    cwd: root,
    env: { ...process.env, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stderr?.pipe(process.stderr, { end: false });
  const exited = new Promise<number | string>((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? signal ?? 0));
  });
  return {
    name,
    child,
    exited,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** The first line that fits, or a fault when the process ends before it has said it. */
export function firstLineOf(part: Running, stream: "stdout" | "stderr", form = /^/): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    part.child[stream]?.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
      const line = text
        .split("\n")
        .slice(0, -1)
        .find((said) => form.test(said));
      if (line !== undefined) resolve(line);
    });
    void part.exited.then((code) =>
      reject(new Error(`${part.name} ended with ${code} before it was ready.`)),
    );
  });
}

/** Runs a program of ours to its end, and gives back what it printed. */
export async function run(
  words: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const env = { ...process.env, ...variables };
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root, env });
  return stdout.trim();
}
