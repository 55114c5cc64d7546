import { existsSync, readFileSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const modules = new URL("../../../node_modules/", import.meta.url);
const { version } = JSON.parse(readFileSync(new URL("typebox/package.json", modules), "utf8")) as {
  readonly version: string;
};

/** Where the bundle is kept: the same from run to run, so that compiled code is found again. */
export const typeboxFolder = new URL(`.cache/typebox-${version}/`, modules);

/** What is imported of it, and the name of its file in the bundle. */
export const typeboxEntries: Readonly<Record<string, string>> = {
  typebox: "index",
  "typebox/compile": "compile",
  "typebox/value": "value",
};

/**
 * TypeBox comes in seven hundred files, more than half of all that a gateway loads, and tests start hundreds of processes. In
 * one file it loads in a tenth of a second less. Programs that users start load it as it was published.
 */
export async function bundleTypebox(): Promise<void> {
  if (existsSync(typeboxFolder)) return;
  const { rolldown } = await import("rolldown");
  const input = Object.fromEntries(
    Object.entries(typeboxEntries).map(([specifier, name]) => [
      name,
      fileURLToPath(import.meta.resolve(specifier)),
    ]),
  );
  const build = await rolldown({ input, platform: "node", logLevel: "warn" });
  const folder = fileURLToPath(typeboxFolder).slice(0, -1);
  const beside = `${folder}.${process.pid}`;
  await build.write({
    dir: beside,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
  });
  await build.close();
  // Race: another run may have moved its own there in between, which is as good.
  await rename(beside, folder).catch(() => rm(beside, { recursive: true }));
}
