import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** Migrations of a release, by name, with their SHA-256. Somebody has applied them: from then on none is changed, only added to. */
export type ReleasedMigrations = Readonly<Record<string, string>>;

export const migrationParts = ["server", "accounts"] as const;

export function listMigrations(root: string, part: string): ReleasedMigrations {
  const files = globSync(join(root, part, "migrations/*.sql")).toSorted();
  return Object.fromEntries(files.map((file) => [basename(file), sha256(readFileSync(file))]));
}

/** Migrations that were released and have been changed or removed since. */
export function changedMigrations(released: ReleasedMigrations, now: ReleasedMigrations): readonly string[] {
  return Object.keys(released).filter((name) => now[name] !== released[name]);
}

/** Migrations that were added with a number that a released one stands after: a database that has that one would never get them. */
export function lateMigrations(released: ReleasedMigrations, now: ReleasedMigrations): readonly string[] {
  const last = Object.keys(released).toSorted().at(-1) ?? "";
  return Object.keys(now).filter((name) => !(name in released) && name < last);
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
