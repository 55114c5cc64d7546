import { spawn, type ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { setTimeout as waitMs } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/**
 * The environment of all parts, without the machine's own variables. Compiled code is cached, which halves the start
 * time.
 */
export const minimalEnvironment = {
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
} as const;

/** A process of the installation that is killed, stopped and started again. */
export interface ManagedProcess {
  readonly name: string;
  /**
   * Starts the process and waits until it is ready. A process that exits before is started again, as by any supervisor.
   * The variables are valid until the next start.
   */
  start(extraVariables?: Readonly<Record<string, string>>): Promise<string>;
  kill(): Promise<void>;
  /** Graceful shutdown: drains its work and waits until the process has exited. */
  stop(): Promise<void>;
  /** Changes the source tree, so that the next start runs the program of another release. */
  moveTo(tree: string): void;
  freeze(): void;
  thaw(): void;
  isRunning(): boolean;
  /** The pid of the running process, to measure it. */
  pid(): number;
  /** Exit codes of exits without a kill. */
  readonly unexpectedExits: readonly string[];
  /** Log lines that no injected fault explains. */
  readonly suspiciousLines: readonly string[];
  /** Log lines of the level that alerts an operator. */
  readonly alerts: readonly string[];
  /** Kills the process without waiting, for exit handlers. */
  killNow(): void;
}

export interface ManagedProcessOptions {
  readonly name: string;
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Matches the line that the program prints on stdout or stderr when it is ready. */
  readonly ready: RegExp;
  /** The source tree of the program; by default this repository. */
  readonly tree?: string;
  /** The network namespace of the process; without it, the namespace of this program. */
  readonly namespace?: string | undefined;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const startTimeoutMs = 30_000;
const suspiciousPattern =
  /unhandled|uncaught|AssertionError|ERR_ASSERTION|TypeError|ReferenceError|RangeError|deadlock detected|violates|MaxListenersExceeded|out of memory/i;
const suspiciousLinesMax = 50;
/** A storm alerts about each payment that arrives too late, and each returned reversal must be found among them. */
const alertsMax = 20_000;

/** The command that runs a program in a network namespace: `ip` executes the program with the same process id. */
export function commandInNamespace(
  namespace: string | undefined,
  ...args: readonly string[]
): [string, string[]] {
  const [program = "", ...programArgs] =
    namespace === undefined ? args : ["ip", "netns", "exec", namespace, ...args];
  return [program, programArgs];
}

export function newManagedProcess(options: ManagedProcessOptions): ManagedProcess {
  const { name, args, variables, ready, namespace } = options;
  let tree = options.tree ?? root;
  let child: ChildProcess | undefined;
  let shouldRun = false;
  let outputTail = "";
  const unexpectedExits: string[] = [];
  const suspiciousLines: string[] = [];
  const alerts: string[] = [];

  const recordLogLines = (text: string): void => collectLogLines({ suspiciousLines, alerts }, text);
  const startOnce = (extraVariables: Readonly<Record<string, string>>): Promise<string | undefined> =>
    new Promise((resolve) => {
      const started = spawn(...commandInNamespace(namespace, process.execPath, ...args), {
        cwd: tree,
        env: { ...minimalEnvironment, ...variables, ...extraVariables },
        stdio: ["ignore", "pipe", "pipe"],
      });
      child = started;
      let isReady = false;
      let output = "";
      const onData = (text: string): void => {
        outputTail = (outputTail + text).slice(-2_000);
        if (isReady) return;
        output += text;
        const line = output.split("\n").find((each) => ready.test(each));
        isReady = line !== undefined && output.includes("\n");
        if (isReady) resolve(line);
      };
      for (const stream of [started.stdout, started.stderr])
        readLines(stream.setEncoding("utf8").on("data", onData), recordLogLines);
      started.once("exit", (code, signal) => {
        if (isReady && shouldRun && child === started) unexpectedExits.push(`${name}: ${signal ?? code}`);
        resolve(undefined);
      });
    });

  const terminate = async (signal: NodeJS.Signals): Promise<void> => {
    shouldRun = false;
    if (!child || !isChildRunning(child)) return;
    const exited = new Promise((resolve) => child?.once("exit", resolve));
    child.kill(signal);
    await exited;
  };

  return {
    name,
    unexpectedExits,
    suspiciousLines,
    alerts,
    async start(extraVariables = {}) {
      shouldRun = true;
      const giveUpAtMs = performance.now() + startTimeoutMs;
      for (; performance.now() < giveUpAtMs && shouldRun; await waitMs(100)) {
        const line = await startOnce(extraVariables);
        if (line !== undefined) return line;
      }
      if (!shouldRun) return "";
      throw new Error(`${name} does not start. The end of its output:\n${outputTail}`);
    },
    kill: () => terminate("SIGKILL"),
    stop: () => terminate("SIGTERM"),
    moveTo: (newTree) => void (tree = newTree),
    freeze: () => void child?.kill("SIGSTOP"),
    thaw: () => void child?.kill("SIGCONT"),
    isRunning: () => shouldRun,
    pid: () => child?.pid ?? 0,
    killNow: () => void terminate("SIGKILL"),
  };
}

/** `readLines` passes on whole lines, because a chunk may end in the middle of a line. */
function readLines(stream: Readable, onLines: (text: string) => void): void {
  let partialLine = "";
  stream.on("data", (text: string) => {
    const end = text.lastIndexOf("\n") + 1;
    if (end > 0) onLines(partialLine + text.slice(0, end));
    partialLine = end > 0 ? text.slice(end) : partialLine + text;
  });
  stream.on("end", () => onLines(partialLine));
}

function collectLogLines(
  { suspiciousLines, alerts }: Record<"suspiciousLines" | "alerts", string[]>,
  text: string,
): void {
  collectLines(suspiciousLines, text, suspiciousPattern, suspiciousLinesMax);
  collectLines(alerts, text, /"alert":true/, alertsMax);
}

function collectLines(lines: string[], text: string, pattern: RegExp, linesMax: number): void {
  const matching = text.split("\n").filter((line) => pattern.test(line));
  lines.push(...matching.slice(0, Math.max(0, linesMax - lines.length)).map((line) => line.slice(0, 2_000)));
}

function isChildRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}
