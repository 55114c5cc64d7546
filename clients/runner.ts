import { spawn } from "node:child_process";

/** A program that tests a library and prints one line for each test, and its working directory. */
export interface Runner {
  readonly command: readonly [program: string, ...string[]];
  readonly cwd: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** The number of passed tests, and the problems of the others. */
export interface Score {
  readonly passed: number;
  readonly of: number;
  readonly problems: readonly string[];
}

/** The lines that a runner prints. A runner that fails has printed too few lines, which the score reports. */
export function linesOf(
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
