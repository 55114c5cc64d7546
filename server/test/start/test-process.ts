import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { after } from "node:test";
import { bareEnvironment } from "./bare-environment.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** All started processes. They are stopped at the end of the test file, and not with the test that started them. */
const startedProcesses = new Set<TestProcess>();
after(() => Promise.all([...startedProcesses].map((started) => started.stop())));

/** A program of ours in a separate process, which ends with the test file. */
export interface TestProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<void>;
  /** Standard error so far. */
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

export function startTestProcess(
  programArguments: readonly string[],
  variables: Readonly<Record<string, string>>,
): TestProcess {
  const child = spawn(process.execPath, programArguments, {
    cwd: root,
    env: { ...bareEnvironment, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const started = {
    child,
    exited,
    stderr: () => errors,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGCONT");
      child.kill("SIGKILL");
      await exited;
    },
  };
  startedProcesses.add(started);
  return started;
}

/** Waits for the first line that matches, on either stream. */
export async function waitForLine(started: TestProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = started.stderr();
    const findLine = (): void => {
      const line = text
        .split("\n")
        .slice(0, -1)
        .find((each) => pattern.test(each));
      if (line !== undefined) resolve(line);
    };
    const read = (chunk: Buffer | string): void => {
      text += String(chunk);
      findLine();
    };
    started.child.stdout?.on("data", read);
    started.child.stderr?.on("data", read);
    void started.exited.then(() =>
      reject(new Error(`The process exited before it was ready: ${started.stderr()}`)),
    );
    findLine();
  });
}

/** `eventually` repeats a request until its value fits, and throws after `withinMs` milliseconds. */
export async function eventually<Value>(
  withinMs: number,
  ask: () => Promise<Value>,
  isDone: (value: Value) => boolean,
): Promise<Value> {
  const giveUpAtMs = performance.now() + withinMs;
  for (;;) {
    const value = await ask();
    if (isDone(value)) return value;
    if (performance.now() > giveUpAtMs) {
      throw new Error(
        `No fitting value within ${withinMs} ms; last: ${JSON.stringify(value)?.slice(0, 500)}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
