import { execFile } from "node:child_process";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { packageNames } from "../../clients/package-names.ts";
import type { Guide } from "./guide.ts";
import { programsOf } from "./run-guide.ts";

/**
 * Fills a folder as a reader's would be: the programs of the guides, the client library, and `npx tollgate`. Both are
 * built from this repository; published packages are tested by `npm run test:clients -- packages`.
 */
export async function prepareReaderFolder(
  folder: string,
  root: string,
  guides: readonly Guide[],
): Promise<void> {
  // PostgreSQL runs as another user when we are root, and must enter the folder.
  await chmod(folder, 0o755);
  const library = join(folder, "node_modules", packageNames.npm);
  await mkdir(library, { recursive: true });
  await symlink(join(root, "clients/typescript/src"), join(library, "src"));
  const exports = { ".": "./src/generated/package.ts", "./testing": "./src/testing.ts" };
  await writeFile(join(library, "package.json"), JSON.stringify({ type: "module", exports }));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await mkdir(join(folder, "bin"));
  const npx = `#!/bin/sh\n[ "$1" = --no ] && shift\n[ "$1" = tollgate ] && shift && exec node '${root}cli/src/start.ts' "$@"\n`;
  await writeFile(join(folder, "bin/npx"), npx, { mode: 0o755 });
  for (const guide of guides)
    for (const [file, text] of programsOf(guide)) await writeFile(join(folder, file), text);
}

/** Compiler errors of the TypeScript programs, with the lines of the pages. */
export async function typeProblems(
  folder: string,
  root: string,
  guides: readonly Guide[],
): Promise<readonly string[]> {
  const files = guides
    .flatMap((guide) => [...programsOf(guide).keys()])
    .filter((file) => file.endsWith(".ts"));
  if (files.length === 0) return [];
  const typeRoots = [join(root, "node_modules/@types")];
  const settings = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: { typeRoots },
    include: [],
    files,
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
    "bin/tsc",
  );
  const compilerOutput = await new Promise<string>((resolve) => {
    execFile(process.execPath, [compiler, "--project", folder], { cwd: folder }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
  const problems = compilerOutput.split("\n").filter((line) => line !== "" && !line.startsWith(" "));
  return problems.map((line) => {
    const [, file, at, problem] = /^([\w-]+)\.ts\((\d+),\d+\): (.*)$/.exec(line) ?? [];
    if (file === undefined) throw new Error(`The compiler says: ${line}`);
    return `docs/guides/${file}.md:${at}: ${problem}`;
  });
}
