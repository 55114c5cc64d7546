import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { runFolderVariable } from "../../server/test/start/test-database.ts";
import { eventually } from "../../server/test/start/test-process.ts";
import { buildPortal } from "../build/build-portal.ts";

/**
 * `ensureBuiltPortal` returns the folder of the built portal. It is built once per test run, because a build takes longer
 * than most tests.
 */
export async function ensureBuiltPortal(): Promise<string> {
  const runFolder = process.env[runFolderVariable];
  if (!runFolder) throw new Error("Run tests with `npm test`: it makes the folder that they share.");
  const folder = join(runFolder, "portal");
  // Lock: the test file that creates this folder builds the portal. The others wait until the folder with the built
  // portal exists; it appears complete, by a rename.
  const isFirst = await mkdir(`${folder}-begun`).then(
    () => true,
    () => false,
  );
  if (isFirst) await buildPortal(folder);
  else await eventually(120_000, async () => existsSync(folder), Boolean);
  return folder;
}
