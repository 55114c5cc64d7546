import { spawn, type ChildProcess } from "node:child_process";
import { pathToFileURL } from "node:url";
import { programs, root } from "./programs.ts";

/** A part of Tollgate that runs as its own process. */
export interface Running {
  readonly name: string;
  readonly child: ChildProcess;
  readonly exited: Promise<number | string>;
  /** Returns the last lines that the process wrote to standard error. */
  said(): string;
  /** Sends SIGTERM, and SIGKILL after a timeout. */
  stop(): Promise<void>;
}

interface Options {
  /** Timeout from SIGTERM to SIGKILL. */
  readonly stopTimeoutMs?: number;
  /** Whether the part stops when this process ends in any way. */
  readonly leavesWithUs?: boolean;
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
  words: readonly string[],
  variables: Variables,
  { stopTimeoutMs = 7_000, leavesWithUs = false, onLine }: Options = {},
): Running {
  const preloaded = leavesWithUs ? ["--import", pathToFileURL(programs.leaveWithParent).href] : [];
  const child = spawn(process.execPath, [...preloaded, ...words], {
    cwd: root,
    env: { ...process.env, ...variables },
    stdio: ["ignore", "pipe", "pipe", ...(leavesWithUs ? (["pipe"] as const) : [])],
  });
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-4_000);
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
    said: () => said,
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
export function firstLineOf(part: Running, stream: "stdout" | "stderr", form = /^/): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    part.child[stream]?.on("data", (chunk: Buffer | string) => {
      text += chunk.toString("utf8");
      const line = text
        .split("\n")
        .slice(0, -1)
        .find((said) => form.test(said));
      if (line !== undefined) resolve(line);
    });
    void part.exited.then((code) =>
      reject(new Error(`${part.name} exited with ${code} before it was ready. ${part.said().trim()}`.trim())),
    );
  });
}
