import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A copy of the tree as it stands, changes that nobody has committed included. */
export interface CopiedTree {
  readonly folder: string;
  remove(): void;
}

const root = fileURLToPath(new URL("../", import.meta.url));

/** Copies the tree and plants patches in the copy. One that does not fit any more is a fault. */
export function copyTree(...patches: readonly string[]): CopiedTree {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-planted-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  const leaveNothing = (): void => remove();
  process.once("exit", leaveNothing);
  const words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listed = execFileSync("git", words, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
  for (const file of listed.split("\0").filter(Boolean)) {
    // What was deleted and not committed is still listed.
    if (existsSync(join(root, file))) cpSync(join(root, file), join(folder, file));
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const patch of patches) {
    // The folder of all temporary files may itself be in a repository, whose rules are not ours.
    const env = { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() };
    execFileSync("git", ["apply", patch], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  }
  return {
    folder,
    remove() {
      process.off("exit", leaveNothing);
      remove();
    },
  };
}
