import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strayVersions, withVersionWritten } from "./version-places.ts";

/** Writes the version of package.json wherever it stands beside: `npm run version:write`. */
const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

for (const [path, text] of withVersionWritten(read)) {
  writeFileSync(join(root, path), text);
  process.stdout.write(`${path}\n`);
}
const strays = strayVersions(read);
for (const stray of strays) process.stderr.write(`${stray}\n`);
process.exitCode = strays.length > 0 ? 1 : 0;
