import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { copyTree } from "../../proof/seeded-bugs/copied-tree.ts";

const run = promisify(execFile);

/**
 * Number of unchanged lines that separate two edits. It is larger than git's three lines of context after one edit and
 * before the next.
 */
const separatingLines = 7;

/**
 * The places that a patch edits, as `path:line`. A new file is one place, and so are changes with few lines in between.
 */
export function editsIn(patch: string): readonly string[] {
  const edits: string[] = [];
  let path = "";
  let line = 0;
  let unchanged = separatingLines;
  for (const text of patch.split("\n")) {
    const hunk = /^@@ -(\d+)/.exec(text);
    if (text.startsWith("diff --git ")) path = text.replace(/.* b\//, "");
    else if (hunk) {
      line = Number(hunk[1]);
      unchanged = separatingLines;
    } else if (/^[+-]/.test(text) && !/^(?:---|\+\+\+) [ab/]/.test(text)) {
      if (unchanged >= separatingLines) edits.push(`${path}:${line}`);
      unchanged = 0;
      if (text.startsWith("-")) line += 1;
    } else if (text.startsWith(" ")) {
      unchanged += 1;
      line += 1;
    }
  }
  return edits;
}

export interface PatchedTree {
  /** The text of a file, by its path in the repository. */
  read(path: string): string;
  /** Runs a program in the tree. If the program fails, its output is the error message. */
  run(program: string, ...words: readonly string[]): Promise<void>;
  remove(): void;
}

/** Applies a patch to a copy of the working tree. A patch that does not apply is an error. */
export function applyPatch(patchFile: string): PatchedTree {
  const { folder, remove } = copyTree(patchFile);
  // NODE_TEST_CONTEXT is removed, because Node.js skips the tests of a process that inherits this variable.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return {
    read: (path) => readFileSync(join(folder, path), "utf8"),
    async run(program, ...words) {
      await run(program, words, { cwd: folder, env, maxBuffer: 2 ** 26 }).catch((error: unknown) => {
        const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
        throw new Error(`${[program, ...words].join(" ")} fails:\n${stdout}${stderr}`, { cause: error });
      });
    },
    remove,
  };
}
