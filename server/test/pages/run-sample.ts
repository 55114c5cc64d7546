import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const runFile = promisify(execFile);

/** Languages that every development machine of this repository can run. */
const runnable = {
  curl: { file: "sample.sh", command: "sh" },
  typescript: { file: "sample.mts", command: process.execPath },
  python: { file: "sample.py", command: "python3" },
} as const;

export type Runnable = keyof typeof runnable;

export const runnableLanguages = Object.keys(runnable) as readonly Runnable[];

/** Runs a code sample as a developer would, in a folder with keys; returns its output. */
export async function runSample(language: Runnable, code: string, folder: string): Promise<string> {
  const { file, command } = runnable[language];
  await writeFile(join(folder, file), code);
  const { stdout } = await runFile(command, [file], { cwd: folder, timeout: 20_000 });
  return stdout;
}
