import assert from "node:assert/strict";
import { globSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import {
  misplacedVersions,
  versionOf,
  versionPlaces,
  versionSource,
  withVersionWritten,
} from "./version-places.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const version = versionOf(read);
const paths = [...new Set(versionPlaces.map(({ path }) => path))];

test("everything that is released has the version of package.json", () => {
  assert.deepEqual(misplacedVersions(read), [], "Run `npm run version:write`.");
});

for (const path of paths)
  test(`an old version is detected: ${path}`, () => {
    const behind = readingInstead(path, (text) => text.replaceAll(version, "0.0.7"));
    assert.ok(misplacedVersions(behind).includes(`${path}: 0.0.7, not ${version}`));
    assert.ok(misplacedVersions(behind).every((stray) => stray.startsWith(`${path}: 0.0.7`)));
    assert.deepEqual([...withVersionWritten(behind).keys()], [path]);

    const gone = readingInstead(path, (text) => text.replaceAll(version, ""));
    assert.ok(misplacedVersions(gone).length > 0);
  });

test("a new version is written to all places, and changes nothing else there", () => {
  const chosen = readingInstead(versionSource, (text) => text.replace(`"${version}"`, '"12.34.56-rc.1"'));
  const written = withVersionWritten(chosen);
  assert.deepEqual([...written.keys()].sort(), paths.toSorted());
  for (const [path, text] of written)
    assert.equal(text.replaceAll("12.34.56-rc.1", version), read(path), path);
  assert.deepEqual(
    misplacedVersions((path) => written.get(path) ?? chosen(path)),
    [],
  );
});

test("the version is in no place that is not listed", () => {
  const alone = new RegExp(`(?<![\\d.])${version.replaceAll(".", "\\.")}(?![\\d.]*\\d)`);
  const others = globSync("**/*.*", { cwd: root, exclude: isExcluded }).filter(
    (path) => statSync(join(root, path)).isFile() && ![...paths, versionSource].includes(path),
  );
  assert.ok(others.length > 1000, `looked at ${others.length} files`);
  assert.match(`"${version}"`, alone);
  assert.deepEqual(
    others.filter((path) => alone.test(read(path))),
    [],
    "Add it to scripts/release/version-places.ts, or do without the number.",
  );
});

/** `isExcluded` leaves out build output, and documents about past versions. */
function isExcluded(path: string): boolean {
  const made = ["node_modules", ".git", ".tollgate", "dist", "target", "vendor", "coverage"];
  const past = ["released", "decisions", "evidence", "CHANGELOG.md"];
  return [...made, ...past].includes(basename(path));
}

/** Reads the repository with one file changed. */
function readingInstead(changed: string, change: (text: string) => string): (path: string) => string {
  return (path) => (path === changed ? change(read(path)) : read(path));
}
