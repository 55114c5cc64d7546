import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { runFolderVariable } from "../../server/test/start/test-database.ts";
import { eventually } from "../../server/test/start/test-process.ts";
import { buildPortal } from "../build/build-portal.ts";

/** Gives the folder of the portal, built once for all test files of a run: a build costs more than most tests. */
export async function builtPortal(): Promise<string> {
  const runFolder = process.env[runFolderVariable];
  if (!runFolder) throw new Error("Run tests with `npm test`: it makes the folder that they share.");
  const folder = join(runFolder, "portal");
  // Lock: one file makes this folder, and builds. The others wait until the portal is there, which it is at once and whole.
  const isFirst = await mkdir(`${folder}-begun`).then(
    () => true,
    () => false,
  );
  if (isFirst) await buildPortal(folder);
  else await eventually(120_000, async () => existsSync(folder), Boolean);
  return folder;
}
