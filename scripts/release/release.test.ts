import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { misplacedVersions, versionOf, versionPlaces, versionSource } from "./version-places.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "tollgate-release-"));
after(() => rmSync(folder, { recursive: true }));

const changelogs = globSync("{.,clients/*}/CHANGELOG.md", { cwd: root });
for (const path of [
  versionSource,
  "server/released",
  "sandbox/released",
  ...globSync("clients/*/api-report.txt", { cwd: root }),
  ...changelogs,
  ...versionPlaces.map((place) => place.path),
])
  cpSync(join(root, path), join(folder, path), { recursive: true });

const read = (path: string): string => readFileSync(join(folder, path), "utf8");
const run = (script: string, ...words: readonly string[]): string =>
  execFileSync(process.execPath, [join(import.meta.dirname, script), ...words], {
    cwd: folder,
    encoding: "utf8",
    stdio: "pipe",
  });

test("a release is prepared once: the version everywhere, a dated changelog, and the released documents", () => {
  writeFileSync(join(folder, "CHANGELOG.md"), "# Changelog\n\n## Unreleased\n\n- Pays.\n");
  writeFileSync(
    join(folder, "server/released/accepted-breaks.json"),
    '[{ "breaks": ["a"], "because": "b" }]\n',
  );
  run("release.ts", "98.7.6");

  assert.equal(versionOf(read), "98.7.6");
  assert.deepEqual(misplacedVersions(read), []);
  assert.match(read("CHANGELOG.md"), /^## Unreleased\n\n## 98\.7\.6, \d{4}-\d\d-\d\d\n\n- Pays\.$/m);
  for (const part of ["server", "sandbox"]) {
    assert.equal(read(`${part}/released/openapi.json`), read(`${part}/openapi.json`));
    assert.equal(read(`${part}/released/accepted-breaks.json`), "[]\n");
  }

  for (const language of ["typescript", "java", "php", "python", "go"])
    assert.equal(
      read(`clients/${language}/released/api-report.txt`),
      read(`clients/${language}/api-report.txt`),
    );

  assert.throws(() => run("release.ts", "98.7.6"), /98\.7\.6 is in CHANGELOG\.md already/);
  assert.throws(() => run("release.ts", "98.8.0"), /nothing under Unreleased/);
  assert.throws(() => run("release.ts", "9.99.99"), /98\.7\.6 is newer than 9\.99\.99/);
  for (const none of ["v99", "99.0", "99.0.0-beta.1", "99.0.0-rc"])
    assert.throws(() => run("release.ts", none), /The version is missing/);
});

test("candidates sort before their release, by number", () => {
  const unreleased = (): void => {
    const changelog = read("CHANGELOG.md");
    writeFileSync(
      join(folder, "CHANGELOG.md"),
      changelog.replace("## Unreleased\n", "## Unreleased\n\n- More.\n"),
    );
  };
  for (const version of ["99.0.0-rc.2", "99.0.0-rc.10", "99.0.0"]) {
    unreleased();
    run("release.ts", version);
    assert.equal(versionOf(read), version);
    assert.deepEqual(misplacedVersions(read), []);
  }
  unreleased();
  assert.throws(() => run("release.ts", "99.0.0-rc.11"), /99\.0\.0 is newer than 99\.0\.0-rc\.11/);
});

test("the version is written by its command, and a lost place is an error", () => {
  writeFileSync(join(folder, versionSource), JSON.stringify({ version: "12.3.4" }));
  assert.match(run("write-version.ts"), /^clients\/python\/src\/tollgate_client\/_version\.py$/m);
  assert.deepEqual(misplacedVersions(read), []);

  writeFileSync(join(folder, "clients/php/composer.json"), "{}");
  assert.throws(() => run("write-version.ts"), /clients\/php\/composer\.json: nothing like/);
});
