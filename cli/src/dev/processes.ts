import { spawn, type ChildProcess } from "node:child_process";
import { pathToFileURL } from "node:url";
import { programs, root } from "./programs.ts";

/** A part of Tollgate that runs as its own process. */
export interface RunningPart {
  readonly name: string;
  readonly child: ChildProcess;
  readonly exited: Promise<number | string>;
  /** Returns the last lines that the process wrote to standard error. */
  stderrTail(): string;
  /** Sends SIGTERM, and SIGKILL after a timeout. */
  stop(): Promise<void>;
}

interface Options {
  /** Timeout from SIGTERM to SIGKILL. */
  readonly stopTimeoutMs?: number;
  /** Whether the part stops when this process ends in any way. */
  readonly stopsWithParent?: boolean;
  /**
   * Receives each line of the part's standard error. If it is not set, the lines go to the standard error of this
   * process.
   */
  readonly onLine?: (line: string) => void;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Starts one of Tollgate's programs as a process. The caller reads its standard output; its standard error goes to that
 * of this process.
 */
export function startProcess(
  name: string,
  programArguments: readonly string[],
  variables: Variables,
  { stopTimeoutMs = 7_000, stopsWithParent = false, onLine }: Options = {},
): RunningPart {
  const preloaded = stopsWithParent ? ["--import", pathToFileURL(programs.exitWithParent).href] : [];
  const child = spawn(process.execPath, [...preloaded, ...programArguments], {
    cwd: root,
    env: { ...process.env, ...variables },
    stdio: ["ignore", "pipe", "pipe", ...(stopsWithParent ? (["pipe"] as const) : [])],
  });
  let stderrTail = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderrTail = (stderrTail + text).slice(-4_000);
    if (!onLine) process.stderr.write(text);
    else text.split("\n").filter(Boolean).forEach(onLine);
  });
  const exited = new Promise<number | string>((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? signal ?? 0));
  });
  return {
    name,
    child,
    exited,
    stderrTail: () => stderrTail,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** Returns the first line that matches. Rejects if the process exits before it prints one. */
export function waitForFirstLine(
  part: RunningPart,
  stream: "stdout" | "stderr",
  pattern = /^/,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    part.child[stream]?.on("data", (chunk: Buffer | string) => {
      text += chunk.toString("utf8");
      const line = text
        .split("\n")
        .slice(0, -1)
        .find((candidate) => pattern.test(candidate));
      if (line !== undefined) resolve(line);
    });
    void part.exited.then((code) =>
      reject(
        new Error(`${part.name} exited with ${code} before it was ready. ${part.stderrTail().trim()}`.trim()),
      ),
    );
  });
}
