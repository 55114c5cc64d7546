import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isReleased, unreleasedEntries, addRelease } from "./changelog.ts";

const before =
  "# Changelog\n\n## Unreleased\n\n### Interface\n\n- Pays twice as fast.\n\n## 1.0.0, 2026-11-01\n\n- Pays.\n";

test("unreleased entries are those before the newest release", () => {
  assert.equal(unreleasedEntries(before), "### Interface\n\n- Pays twice as fast.");
  assert.equal(unreleasedEntries("# Changelog\n\n## Unreleased\n\n## 1.0.0, 2026-11-01\n\n- Pays.\n"), "");
  assert.throws(() => unreleasedEntries("# Changelog\n"), /no heading/);
});

test("a release takes all unreleased entries, and leaves an empty section for the next ones", () => {
  const after = addRelease(before, "1.1.0", "2026-11-15");
  assert.match(after, /^## Unreleased\n\n## 1\.1\.0, 2026-11-15\n\n### Interface\n\n- Pays twice as fast\./m);
  assert.equal(unreleasedEntries(after), "");
  assert.deepEqual(
    ["1.0.0", "1.1.0", "1.1"].map((version) => isReleased(after, version)),
    [true, true, false],
  );
});

test("every changelog has a section for unreleased entries", () => {
  const libraries = ["typescript", "java", "php", "python", "go"].map(
    (language) => `clients/${language}/CHANGELOG.md`,
  );
  for (const path of ["CHANGELOG.md", ...libraries])
    assert.doesNotThrow(
      () => unreleasedEntries(readFileSync(join(import.meta.dirname, "../..", path), "utf8")),
      path,
    );
});
