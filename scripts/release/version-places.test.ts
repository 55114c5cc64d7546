import assert from "node:assert/strict";
import { globSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import {
  misplacedVersions,
  versionOf,
  versionPlaces,
  versionSource,
  replaceVersions,
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
    const behind = readWithChange(path, (text) => text.replaceAll(version, "0.0.7"));
    assert.ok(misplacedVersions(behind).includes(`${path}: 0.0.7, not ${version}`));
    assert.ok(misplacedVersions(behind).every((stray) => stray.startsWith(`${path}: 0.0.7`)));
    assert.deepEqual([...replaceVersions(behind).keys()], [path]);

    const withoutVersion = readWithChange(path, (text) => text.replaceAll(version, ""));
    assert.ok(misplacedVersions(withoutVersion).length > 0);
  });

test("a new version is written to all places, and changes nothing else there", () => {
  const chosen = readWithChange(versionSource, (text) => text.replace(`"${version}"`, '"12.34.56-rc.1"'));
  const written = replaceVersions(chosen);
  assert.deepEqual([...written.keys()].sort(), paths.toSorted());
  for (const [path, text] of written)
    assert.equal(text.replaceAll("12.34.56-rc.1", version), read(path), path);
  assert.deepEqual(
    misplacedVersions((path) => written.get(path) ?? chosen(path)),
    [],
  );
});

test("the version is in no place that is not listed", () => {
  const versionPattern = new RegExp(`(?<![\\d.])${version.replaceAll(".", "\\.")}(?![\\d.]*\\d)`);
  const others = globSync("**/*.*", { cwd: root, exclude: isExcluded }).filter(
    (path) => statSync(join(root, path)).isFile() && ![...paths, versionSource].includes(path),
  );
  assert.ok(others.length > 1000, `looked at ${others.length} files`);
  assert.match(`"${version}"`, versionPattern);
  assert.deepEqual(
    others.filter((path) => versionPattern.test(read(path))),
    [],
    "Add it to scripts/release/version-places.ts, or do without the number.",
  );
});

/** `isExcluded` leaves out build output, and documents about past versions. */
function isExcluded(path: string): boolean {
  const generatedFolders = ["node_modules", ".git", ".tollgate", "dist", "target", "vendor", "coverage"];
  const past = ["released", "decisions", "evidence", "CHANGELOG.md"];
  return [...generatedFolders, ...past].includes(basename(path));
}

/** Reads the repository with one file changed. */
function readWithChange(changed: string, change: (text: string) => string): (path: string) => string {
  return (path) => (path === changed ? change(read(path)) : read(path));
}
