import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** Migrations of a release, by name, with their SHA-256. Operators have applied them, so they never change. */
export type ReleasedMigrations = Readonly<Record<string, string>>;

export const migrationParts = ["server", "accounts"] as const;

export function listMigrations(root: string, part: string): ReleasedMigrations {
  const files = globSync(join(root, part, "migrations/*.sql")).toSorted();
  return Object.fromEntries(files.map((file) => [basename(file), sha256(readFileSync(file))]));
}

/** Released migrations that were changed or removed later. */
export function changedMigrations(released: ReleasedMigrations, now: ReleasedMigrations): readonly string[] {
  return Object.keys(released).filter((name) => now[name] !== released[name]);
}

/**
 * New migrations with a lower number than a released one: a database that has the released one would never apply them.
 */
export function lateMigrations(released: ReleasedMigrations, now: ReleasedMigrations): readonly string[] {
  const last = Object.keys(released).toSorted().at(-1) ?? "";
  return Object.keys(now).filter((name) => !(name in released) && name < last);
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
