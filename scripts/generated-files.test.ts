import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..");

/** Generated JSON files, listed here because JSON has no comment in which a file could name its generator. */
const generatedJson = [
  "clients/conformance/models.json",
  "clients/conformance/notifications.json",
  "clients/conformance/outcomes.json",
  "package-lock.json",
  "sandbox/released/openapi.json",
  "server/console-openapi.json",
  "server/openapi.json",
  "server/released/openapi.json",
  "server/src/api-docs/generated/library-calls.json",
];

test("reviews fold exactly the generated files", () => {
  const files = git(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
    .split("\0")
    .filter((path) => statSync(join(root, path), { throwIfNoEntry: false })?.isFile());
  const generated = files.filter((path) => generatedJson.includes(path) || hasGeneratedNotice(path));
  assert.ok(generated.length > 400, `${generated.length} generated files`);
  assert.deepEqual(files.filter(markedAsGenerated(files)).sort(), generated.sort());
});

function hasGeneratedNotice(path: string): boolean {
  const top = readFileSync(join(root, path), "utf8").split("\n", 4).join("\n");
  return /\bGenerated [^\n]*`(?:npm run generate|node clients\/generator\/main\.ts)`/.test(top);
}

/** Asks git itself for the `linguist-generated` attribute of `.gitattributes`. */
function markedAsGenerated(files: readonly string[]): (path: string) => boolean {
  const answer = git(["check-attr", "-z", "--stdin", "linguist-generated"], files.join("\0")).split("\0");
  const marked = new Set(answer.filter((_, index) => index % 3 === 0 && answer[index + 2] === "set"));
  return (path) => marked.has(path);
}

function git(words: readonly string[], input = ""): string {
  return execFileSync("git", words, { cwd: root, encoding: "utf8", input, maxBuffer: 2 ** 26 });
}
