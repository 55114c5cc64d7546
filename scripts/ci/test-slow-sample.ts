import { execFileSync, spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importsOf, sampleOneIn, sampleSlowTests } from "./slow-sample.ts";

/**
 * Runs the slow tests that the commit draws: `node scripts/ci/test-slow-sample.ts [--list] [SEED]`. It prints the seed
 * and the list. `npm run test:slow` runs all of them, nightly and before an issue is closed.
 */
const root = join(import.meta.dirname, "../..");
const commandArguments = process.argv.slice(2);
const seed =
  commandArguments.find((word) => !word.startsWith("--")) ?? git("rev-parse", "HEAD") ?? "no commit";
const slow = scriptOf("test:slow");

const tests = slow.globs
  .flatMap((glob) => globSync(glob, { cwd: root }))
  .map((path) => ({ path, imports: importsOf(path, readFileSync(join(root, path), "utf8")) }));
const sample = sampleSlowTests({ tests, seed, changed: listChangedFiles() });

process.stdout.write(`slow tests: seed ${seed}, ${sample.size} of ${tests.length} files\n`);
for (const [path, reason] of sample) process.stdout.write(`  ${path}: ${reason}\n`);
process.stdout.write(`Of the others, one in ${sampleOneIn} runs in each commit. All: npm run test:slow\n`);

if (!commandArguments.includes("--list")) {
  const child = spawn(process.execPath, [...slow.flags, ...sample.keys()], {
    cwd: root,
    stdio: "inherit",
    env: { NODE_COMPILE_CACHE: join(root, "node_modules/.cache/compiled"), ...process.env },
  });
  child.once("close", (code) => (process.exitCode = code ?? 1));
}

/** Files in `git diff` with the first parent; none if the clone has no parent commit. */
function listChangedFiles(): string[] {
  const changed = git("diff", "--name-only", "HEAD^1", "HEAD");
  if (changed === undefined) process.stdout.write("slow tests: the parent commit is unknown\n");
  return changed?.split("\n") ?? [];
}

function git(...args: string[]): string | undefined {
  try {
    return execFileSync("git", args, {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return undefined;
  }
}

/** The test runner flags and the globs of a script of package.json. */
function scriptOf(name: string): { readonly flags: readonly string[]; readonly globs: readonly string[] } {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const command = scripts[name] ?? "";
  return {
    flags: command.match(/--test[\w./=-]*(?!\S)/g) ?? [],
    globs: [...command.matchAll(/'([^']+)'/g)].map(([, glob = ""]) => glob),
  };
}
