import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { packageNames } from "../../clients/package-names.ts";
import { namesSource, replaceName, misplacedNames, type PackageName } from "./package-places.ts";

/**
 * Renames a library: `npm run rename -- npm @shop/gateway`, in the root. It writes the name into package-names.ts and
 * every other place: manifests, install lines, imports. Then run `npm run generate` and `npm install
 * --package-lock-only`.
 */
const [name = "", to = ""] = process.argv.slice(2);
const names = Object.entries(packageNames).flatMap(([key, each]) => (typeof each === "string" ? [key] : []));
if (!names.includes(name) || to === "") {
  process.stderr.write(`npm run rename -- NAME NEW, where NAME is one of ${names.join(", ")}.\n`);
  process.exit(2);
}
const from = packageNames[name as PackageName];

for (const path of filesWith(from)) {
  const text = readFileSync(path, "utf8");
  const after =
    path === namesSource
      ? text.replace(`${name}: "${from}"`, `${name}: "${to}"`)
      : replaceName(text, name as PackageName, [from, to]);
  if (after === text) continue;
  writeFileSync(path, after);
  process.stdout.write(`${path}\n`);
}
const misplaced = misplacedNames((path) => readFileSync(path, "utf8"), { ...packageNames, [name]: to });
for (const stray of misplaced) process.stderr.write(`${stray}\n`);
process.exitCode = misplaced.length > 0 ? 1 : 0;

/**
 * `filesWith` leaves out decisions, evidence and changelogs, because the rename does not change documents about the
 * past.
 */
function filesWith(text: string): string[] {
  const exclusions = [":!docs/decisions", ":!docs/evidence", ":!*CHANGELOG.md"];
  // The search also finds parts of a name: the file name of npm's archive, and the host of a Go module.
  const parts = [text, text.replace("@", "").replace("/", "-"), text.split("/")[0] ?? text];
  const words = [
    "grep",
    "-lIF",
    "--untracked",
    ...parts.flatMap((part) => ["-e", part]),
    "--",
    ".",
    ...exclusions,
  ];
  return execFileSync("git", words, { encoding: "utf8" }).trim().split("\n");
}
