import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Shown } from "./run-proof.ts";

/** Runs a program of benchmarks/. It reports progress on stderr, and prints its result on stdout at the end. */
export async function measured(
  name: string,
  words: readonly string[],
  say: (line: string) => void,
): Promise<Shown> {
  const program = fileURLToPath(new URL(`../../benchmarks/${name}`, import.meta.url));
  const measuring = spawn(process.execPath, [program, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  process.once("exit", () => void measuring.kill("SIGTERM"));
  const exited = once(measuring, "exit");
  createInterface(measuring.stderr).on("line", say);
  let last = "";
  for await (const line of createInterface(measuring.stdout)) last = line;
  const [status] = await exited;
  if (status !== 0) throw new Error(`benchmarks/${name} has failed.`);
  return JSON.parse(last) as Shown;
}
