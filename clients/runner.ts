import { spawn } from "node:child_process";

/** A program that tries a library and prints a line for each thing it tried, and where it is started. */
export interface Runner {
  readonly command: readonly [program: string, ...string[]];
  readonly cwd: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** How much a runner has passed, and what was wrong with the rest. */
export interface Score {
  readonly passed: number;
  readonly of: number;
  readonly problems: readonly string[];
}

/** The lines that a runner prints until it ends; one that fails has said too little, which its lines tell. */
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
