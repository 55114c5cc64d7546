import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A copy of the working tree, including uncommitted changes. */
export interface CopiedTree {
  readonly folder: string;
  remove(): void;
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Copies the tree and applies patches to the copy. Throws if a patch does not apply. */
export function copyTree(...patches: readonly string[]): CopiedTree {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-seeded-bugs-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  const cleanUp = (): void => remove();
  process.once("exit", cleanUp);
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listed = execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
  for (const file of listed.split("\0").filter(Boolean)) {
    // A missing file is skipped, because git still lists a deleted file until the deletion is committed.
    if (existsSync(join(root, file))) cpSync(join(root, file), join(folder, file));
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const patch of patches) {
    // The temporary folder may itself be inside a repository, which `git apply` must not use.
    const env = { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() };
    execFileSync("git", ["apply", patch], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  }
  return {
    folder,
    remove() {
      process.off("exit", cleanUp);
      remove();
    },
  };
}
