import { spawn } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importsOf } from "../tidy/tidy.ts";

/**
 * `npm test`, with globs as arguments. Half of all test files only call functions: these share one process, which
 * starts once and loads each module once. Every other file has its own process.
 */
const root = join(import.meta.dirname, "..");
const files = globSync(process.argv.slice(2), { cwd: root }).sort();
const imports = new Map<string, readonly string[]>();

const [ownProcessFiles, sharedProcessFiles] = [
  files.filter(needsOwnProcess),
  files.filter((path) => !needsOwnProcess(path)),
];
const setup = "--test-global-setup=server/test/start/global-setup.ts";
const statuses = await Promise.all([
  runTests("pipe", ["--test-isolation=none", ...sharedProcessFiles]),
  runTests("inherit", ["--test-concurrency=2", setup, ...ownProcessFiles]),
]);
process.exitCode = statuses.every((status) => status === 0) ? 0 : 1;

/**
 * `needsOwnProcess` returns true if a test file uses a database, starts programs, or changes global state that other
 * files would see.
 */
function needsOwnProcess(path: string): boolean {
  const changesProcess = /\bmock\.|\bafter\(|process\.env\b|process\.chdir\(/;
  return changesProcess.test(readFileSync(join(root, path), "utf8")) || importsOutsideResource(path);
}

function importsOutsideResource(start: string): boolean {
  const reached = new Set([start]);
  for (const path of reached) for (const imported of directImports(path)) reached.add(imported);
  return ["server/test/start/test-database.ts", "node:child_process", "node:worker_threads"].some((name) =>
    reached.has(name),
  );
}

function directImports(path: string): readonly string[] {
  // A missing file is ignored, because imports in a generator's templates may name files of another folder.
  if (!/\.tsx?$/.test(path) || !existsSync(join(root, path))) return [];
  const importedPaths =
    imports.get(path) ?? importsOf({ path, text: readFileSync(join(root, path), "utf8") });
  imports.set(path, importedPaths);
  return importedPaths;
}

/** Runs Node.js' test runner. The output of one run is shown as it arrives, that of the other at its end. */
function runTests(output: "inherit" | "pipe", words: readonly string[]): Promise<number | null> {
  const shard = `--test-shard=${process.env["TEST_SHARD"] ?? "1/1"}`;
  const child = spawn(process.execPath, ["--test", shard, "--test-timeout=300000", ...words], {
    cwd: root,
    stdio: ["ignore", output, output],
  });
  let outputText = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => void (outputText += text));
  return new Promise((resolve) => {
    child.once("close", (status) => {
      process.stdout.write(outputText);
      resolve(status);
    });
  });
}
