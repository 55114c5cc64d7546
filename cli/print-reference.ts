import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { commands } from "./src/commands.ts";
import { buildReferencePage } from "./src/reference-page.ts";

/**
 * Writes the command reference from the table of commands. With `--check` it only reports whether the page would
 * change.
 */
const path = "docs/reference/command-line.md";
const file = join(import.meta.dirname, "..", path);
const text = buildReferencePage(commands);
const isUpToDate = (await readFile(file, "utf8").catch(() => "")) === text;

if (!isUpToDate && process.argv.includes("--check")) {
  process.stderr.write(`${path} differs from the table of commands. Run npm run generate.\n`);
  process.exitCode = 1;
} else if (!isUpToDate) {
  await writeFile(file, text);
  process.stdout.write(`wrote ${path}\n`);
}
