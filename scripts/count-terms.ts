import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { commentsIn, countTerms, termTable, type TermCounts } from "./terms.ts";

/**
 * Counts technical terms in comments: `npm run terms -- [--base COMMIT] [FOLDER…]`, in the root. A low count of a
 * term that the code implements means that nobody can search for it.
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { base: { type: "string" } },
});
const folders = positionals.length > 0 ? positionals : ["server/src", "sandbox/src", "proof", "benchmarks"];
const base = options.base === undefined ? undefined : countAt(options.base);
process.stdout.write(termTable(countNow(), base));

function countNow(): TermCounts {
  const paths = globSync(folders.map((folder) => `${folder}/**/*.ts`));
  return countIn(paths, (path) => readFileSync(path, "utf8"));
}

function countAt(commit: string): TermCounts {
  const listed = git("ls-tree", "-r", "-z", "--name-only", commit, "--", ...folders).split("\0");
  const paths = listed.filter((path) => path.endsWith(".ts"));
  return countIn(paths, (path) => git("show", `${commit}:${path}`));
}

function countIn(paths: readonly string[], read: (path: string) => string): TermCounts {
  if (paths.length === 0) throw new Error(`There is no *.ts file in ${folders.join(", ")}.`);
  return countTerms(paths.flatMap((path) => commentsIn(read(path))));
}

function git(...words: readonly string[]): string {
  return execFileSync("git", words, { encoding: "utf8", maxBuffer: 2 ** 26 });
}
