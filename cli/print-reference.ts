import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { commands } from "./src/commands.ts";
import { referencePage } from "./src/reference-page.ts";

/** Writes the page about all commands from their table; with `--check` it only tells whether it would change. */
const path = "docs/reference/command-line.md";
const file = join(import.meta.dirname, "..", path);
const text = referencePage(commands);
const isUpToDate = (await readFile(file, "utf8").catch(() => "")) === text;

if (!isUpToDate && process.argv.includes("--check")) {
  process.stderr.write(`${path} is not what the table of commands says: npm run generate\n`);
  process.exitCode = 1;
} else if (!isUpToDate) {
  await writeFile(file, text);
  process.stdout.write(`wrote ${path}\n`);
}
