import { spawn, type ChildProcess } from "node:child_process";
import { setTimeout as waitMs } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/**
 * The environment of all parts, without the machine's own variables. Compiled code is cached, which halves the start
 * time.
 */
export const bareEnvironment = {
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
} as const;

/** A process of the installation that is killed, stopped and started again. */
export interface Part {
  readonly name: string;
  /**
   * Starts the process and waits until it is ready. A process that exits before is started again, as by any supervisor.
   * The variables are valid until the next start.
   */
  start(more?: Readonly<Record<string, string>>): Promise<string>;
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
  readonly ownEndings: readonly string[];
  /** Log lines that no injected fault explains. */
  readonly suspiciousLines: readonly string[];
  /** Log lines of the level that alerts an operator. */
  readonly alerts: readonly string[];
  /** Kills the process without waiting, for exit handlers. */
  killNow(): void;
}

export interface PartOptions {
  readonly name: string;
  readonly words: readonly string[];
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
const suspicious =
  /unhandled|uncaught|AssertionError|ERR_ASSERTION|TypeError|ReferenceError|RangeError|deadlock detected|violates|MaxListenersExceeded|out of memory/i;
const keptLinesMax = 50;

/** The command that runs a program in a network namespace: `ip` executes the program with the same process id. */
export function wordsIn(namespace: string | undefined, ...words: readonly string[]): [string, string[]] {
  const [program = "", ...rest] =
    namespace === undefined ? words : ["ip", "netns", "exec", namespace, ...words];
  return [program, rest];
}

export function newPart(options: PartOptions): Part {
  const { name, words, variables, ready, namespace } = options;
  let tree = options.tree ?? root;
  let child: ChildProcess | undefined;
  let isMeantToRun = false;
  let lastWords = "";
  const ownEndings: string[] = [];
  const suspiciousLines: string[] = [];
  const alerts: string[] = [];

  const watch = (text: string): void => {
    keep(suspiciousLines, text, suspicious);
    keep(alerts, text, /"alert":true/);
  };
  const startOnce = (more: Readonly<Record<string, string>>): Promise<string | undefined> =>
    new Promise((resolve) => {
      const started = spawn(...wordsIn(namespace, process.execPath, ...words), {
        cwd: tree,
        env: { ...bareEnvironment, ...variables, ...more },
        stdio: ["ignore", "pipe", "pipe"],
      });
      child = started;
      let isReady = false;
      let said = "";
      const listen = (text: string): void => {
        watch(text);
        lastWords = (lastWords + text).slice(-2_000);
        if (isReady) return;
        said += text;
        const line = said.split("\n").find((each) => ready.test(each));
        isReady = line !== undefined && said.includes("\n");
        if (isReady) resolve(line);
      };
      for (const stream of [started.stdout, started.stderr]) stream?.setEncoding("utf8").on("data", listen);
      started.once("exit", (code, signal) => {
        if (isReady && isMeantToRun && child === started) ownEndings.push(`${name}: ${signal ?? code}`);
        resolve(undefined);
      });
    });

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    isMeantToRun = false;
    if (!child || !runs(child)) return;
    const exited = new Promise((resolve) => child?.once("exit", resolve));
    child.kill(signal);
    await exited;
  };

  return {
    name,
    ownEndings,
    suspiciousLines,
    alerts,
    async start(more = {}) {
      isMeantToRun = true;
      const giveUpAtMs = performance.now() + startTimeoutMs;
      for (; performance.now() < giveUpAtMs && isMeantToRun; await waitMs(100)) {
        const line = await startOnce(more);
        if (line !== undefined) return line;
      }
      if (!isMeantToRun) return "";
      throw new Error(`${name} does not start. The end of its output:\n${lastWords}`);
    },
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
    moveTo: (next) => void (tree = next),
    freeze: () => void child?.kill("SIGSTOP"),
    thaw: () => void child?.kill("SIGCONT"),
    isRunning: () => isMeantToRun,
    pid: () => child?.pid ?? 0,
    killNow: () => void end("SIGKILL"),
  };
}

function keep(lines: string[], text: string, wanted: RegExp): void {
  const found = text.split("\n").filter((line) => wanted.test(line));
  lines.push(...found.slice(0, keptLinesMax - lines.length).map((line) => line.slice(0, 2_000)));
}

function runs({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}
