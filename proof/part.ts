import { spawn, type ChildProcess } from "node:child_process";
import { setTimeout as waitMs } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** Nothing of the machine's. Compiled code is kept, so that a start costs half. */
export const bareEnvironment = {
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
} as const;

/** A process of the installation that is killed, stopped and started again. */
export interface Part {
  readonly name: string;
  /**
   * Starts the process and waits until it is ready. One that ends before is started again, as any supervisor
   * would. The variables hold until the next start.
   */
  start(more?: Readonly<Record<string, string>>): Promise<string>;
  kill(): Promise<void>;
  /** Graceful shutdown: drains its work and waits until the process has ended. */
  stop(): Promise<void>;
  /** The next start runs the program of another tree: another release. */
  moveTo(tree: string): void;
  freeze(): void;
  thaw(): void;
  isRunning(): boolean;
  /** The pid of the running process, to measure it. */
  pid(): number;
  /** Exits without being killed, with their codes. */
  readonly ownEndings: readonly string[];
  /** Lines of its log that no injected fault explains. */
  readonly suspiciousLines: readonly string[];
  /** Log lines that alert an operator. */
  readonly alerts: readonly string[];
  /** Kills without waiting, for exit handlers. */
  killNow(): void;
}

export interface PartOptions {
  readonly name: string;
  readonly words: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** The line that it prints on either stream when it is ready. */
  readonly ready: RegExp;
  /** The source tree of the program; this one, if absent. */
  readonly tree?: string;
  /** The network namespace that it runs in; ours, if absent. */
  readonly namespace?: string | undefined;
}

const root = fileURLToPath(new URL("../", import.meta.url));
const startTimeoutMs = 30_000;
const suspicious =
  /unhandled|uncaught|AssertionError|ERR_ASSERTION|TypeError|ReferenceError|RangeError|deadlock detected|violates|MaxListenersExceeded|out of memory/i;
const keptLinesMax = 50;

/** The words that run a program in a network namespace: `ip` becomes the program, under the same process id. */
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
      throw new Error(`${name} does not start. Its last words:\n${lastWords}`);
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
