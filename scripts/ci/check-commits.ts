import { execFileSync } from "node:child_process";
import { commitMessageMistakes } from "./commit-message.ts";

/** Checks commit messages: `node scripts/ci/check-commits.ts origin/main..HEAD`. Merge commits are left out. */
const [range] = process.argv.slice(2);
if (range === undefined) {
  process.stderr.write("Usage: node scripts/ci/check-commits.ts origin/main..HEAD\n");
  process.exit(2);
}

const commits = git("rev-list", "--no-merges", range).split("\n").filter(Boolean);
for (const commit of commits) {
  const message = git("show", "--no-patch", "--format=%B", commit).trimEnd();
  const changed = git("show", "--name-only", "--format=", commit).split("\n");
  for (const mistake of commitMessageMistakes(message, changed)) {
    process.stdout.write(`${commit.slice(0, 10)} "${message.split("\n")[0]}": ${mistake}\n`);
    process.exitCode = 1;
  }
}
process.stdout.write(`${commits.length} commit messages read\n`);

function git(...args: string[]): string {
  return execFileSync("git", args, { encoding: "utf8" });
}
