import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  changedMigrations,
  lateMigrations,
  listMigrations,
  migrationParts,
  type ReleasedMigrations,
} from "./released-migrations.ts";

const root = join(import.meta.dirname, "../..");

for (const part of migrationParts)
  test(`released migrations of ${part} are unchanged, and new ones come after them`, () => {
    const file = join(root, part, "released/migrations.json");
    const released = JSON.parse(readFileSync(file, "utf8")) as ReleasedMigrations;
    const now = listMigrations(root, part);
    assert.ok(Object.keys(released).length > 0);
    assert.deepEqual(changedMigrations(released, now), [], "Add a migration in place of changing one.");
    assert.deepEqual(lateMigrations(released, now), [], "Give it the next number.");
  });

test("a changed, a removed and an inserted migration are detected", () => {
  const released = { "0001_a.sql": "aa", "0002_b.sql": "bb" };
  assert.deepEqual(changedMigrations(released, { "0001_a.sql": "other", "0002_b.sql": "bb" }), [
    "0001_a.sql",
  ]);
  assert.deepEqual(changedMigrations(released, { "0001_a.sql": "aa" }), ["0002_b.sql"]);
  const more = { ...released, "0001_z.sql": "zz", "0003_c.sql": "cc" };
  assert.deepEqual(changedMigrations(released, more), []);
  assert.deepEqual(lateMigrations(released, more), ["0001_z.sql"]);
});
