import { cp, mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findFont, packageNameOf, type FontFile } from "../server/src/pdf/fonts.ts";

const modules = join(import.meta.dirname, "../node_modules");

/** Copies fonts and their licenses to the folder that `findFont` searches first. The OFL requires the license file. */
export async function copyFonts(files: readonly FontFile[], home: string): Promise<void> {
  const folder = join(home, "server/fonts");
  await mkdir(folder, { recursive: true });
  for (const file of files) {
    const from = findFont(file);
    if (!from) throw new Error(`The package ${packageNameOf(file)} is not installed. Run npm ci.`);
    const path = fileURLToPath(from);
    await cp(path, join(folder, basename(path)));
    await cp(join(modules, packageNameOf(file), file.license), join(folder, `${basename(path)}.LICENSE`));
  }
}
