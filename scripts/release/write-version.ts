import { readFileSync, writeFileSync } from "node:fs";
import { misplacedVersions, replaceVersions } from "./version-places.ts";

/** Writes the version of package.json to all other places: `npm run version:write`, in the root. */
const read = (path: string): string => readFileSync(path, "utf8");

for (const [path, text] of replaceVersions(read)) {
  writeFileSync(path, text);
  process.stdout.write(`${path}\n`);
}
const strays = misplacedVersions(read);
for (const stray of strays) process.stderr.write(`${stray}\n`);
process.exitCode = strays.length > 0 ? 1 : 0;
