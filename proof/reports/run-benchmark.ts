import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ProofResult } from "./run-proof.ts";

/** Runs a program of benchmarks/. It reports progress on stderr, and prints its result on stdout at the end. */
export async function runBenchmark(
  name: string,
  args: readonly string[],
  logProgress: (line: string) => void,
): Promise<ProofResult> {
  const program = fileURLToPath(new URL(`../../benchmarks/${name}`, import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  process.once("exit", () => void child.kill("SIGTERM"));
  const exited = once(child, "exit");
  createInterface(child.stderr).on("line", logProgress);
  let lastLine = "";
  for await (const line of createInterface(child.stdout)) lastLine = line;
  const [status] = await exited;
  if (status !== 0) throw new Error(`benchmarks/${name} has failed.`);
  return JSON.parse(lastLine) as ProofResult;
}
