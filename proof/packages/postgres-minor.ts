import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Programs of one minor version of PostgreSQL. */
export interface Programs {
  readonly folder: string;
  readonly version: string;
}

export function readPrograms(folder: string): Programs {
  const output = execFileSync(join(folder, "postgres"), ["--version"], { encoding: "utf8" });
  return { folder, version: /\d+\.\d+/.exec(output)?.[0] ?? output.trim() };
}

/**
 * Returns another minor version of the same major version, unpacked from Debian's packages; undefined if Debian has no
 * other. The packages are only unpacked and not installed, because PostgreSQL finds its files relative to its programs.
 */
export function installOtherMinor(installed: Programs, parentFolder: string): Programs | undefined {
  const major = installed.version.split(".")[0] ?? "";
  const name = `postgresql-${major}`;
  const otherVersion = versionsOf(name).find((version) => !version.startsWith(`${installed.version}-`));
  if (otherVersion === undefined) return undefined;
  const folder = mkdtempSync(join(parentFolder, "minor-"));
  const unpacked = join(folder, "unpacked");
  mkdirSync(unpacked);
  // Patroni expects the client programs, such as pg_isready, in the same folder.
  const packages = [name, `postgresql-client-${major}`].map((each) => `${each}=${otherVersion}`);
  execFileSync("apt-get", ["download", "--quiet=2", ...packages], { cwd: folder, stdio: "ignore" });
  for (const file of readdirSync(folder).filter((each) => each.endsWith(".deb")))
    execFileSync("dpkg", ["--extract", join(folder, file), unpacked]);
  for (const each of [folder, unpacked]) chmodSync(each, 0o755);
  return readPrograms(join(unpacked, "usr", "lib", "postgresql", major, "bin"));
}

function versionsOf(name: string): readonly string[] {
  const lines = execFileSync("apt-cache", ["madison", name], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => line.split("|")[1]?.trim() ?? []);
}
