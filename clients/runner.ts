import { spawn } from "node:child_process";

/** A program that tests a library and prints one line for each test, and its working directory. */
export interface Runner {
  readonly command: readonly [program: string, ...string[]];
  readonly cwd: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** The result of a runner: the number of passed tests, and the problems of the other tests. */
export interface Score {
  readonly passed: number;
  readonly total: number;
  readonly problems: readonly string[];
}

/**
 * Runs a runner and returns the lines that it prints. A runner that fails prints too few lines, which the
 * score reports as problems.
 */
export function runAndReadLines(
  { command: [program, ...parameters], cwd, environment }: Runner,
  variables: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<string[]> {
  const child = spawn(program, parameters, {
    cwd,
    env: { ...process.env, ...environment, ...variables },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: timeoutMs,
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve(printed.split("\n").filter((line) => line !== "")));
  });
}
