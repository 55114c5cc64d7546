import { existsSync, globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Plugin } from "rolldown";

const root = fileURLToPath(new URL("../../../", import.meta.url));
/** The folder of the bundle. It is the same in each run, so that the compile cache finds the compiled code again. */
const folder = join(root, "node_modules/.cache/bundle");
const stamp = join(folder, "stamp");
const packages = ["typebox", "typebox/compile", "typebox/value"];

/** The bundled form of a package or a source file, by its URL; undefined if the bundle does not contain it. */
export function bundledUrl(imported: string): string | undefined {
  const isPackage = packages.includes(imported);
  if (!isPackage && !imported.startsWith("file:")) return undefined;
  const path = isPackage ? join("packages", imported) : relative(root, fileURLToPath(imported));
  const file = join(folder, `${path.replace(/\.ts$/, "")}.mjs`);
  return existsSync(file) ? pathToFileURL(file).href : undefined;
}

/**
 * A gateway loads six hundred of our files and seven hundred of TypeBox. Tests start hundreds of processes, and a
 * bundle loads in half the time. Every source file remains a separate entry, so a process loads each module once, even
 * if several files import it. The code is not minified: a stack trace shows function names, and comments in the bundle
 * show file names.
 */
export async function bundleSources(): Promise<void> {
  const sources = globSync(["{server,sandbox}/src/**/*.ts", "server/test/crash/*-main.ts"], {
    cwd: root,
    exclude: ["**/*.{test,slow,load,d}.ts"],
  });
  const inputs = [...sources, "node_modules/.package-lock.json", relative(root, import.meta.filename)];
  const newestMs = Math.max(...inputs.map((path) => statSync(join(root, path)).mtimeMs));
  const expectedStamp = `${inputs.length} files until ${newestMs}`;
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === expectedStamp) return;

  const { rolldown } = await import("rolldown");
  const input = Object.fromEntries([
    ...sources.map((path) => [path.replace(/\.ts$/, ""), join(root, path)]),
    ...packages.map((name) => [join("packages", name), fileURLToPath(import.meta.resolve(name))]),
  ]);
  const build = await rolldown({
    input,
    platform: "node",
    plugins: [keepSourcePaths()],
    logLevel: "warn",
    preserveEntrySignatures: "allow-extension",
    // Other packages are not bundled, because tests import them, too, and must get the same instances.
    external: (name, _, isResolved) =>
      !isResolved && /^[@a-z]/.test(name) && !/^(?:typebox|@oxc-project)(?:\/|$)/.test(name),
  });
  await build.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "chunks/[name].mjs",
    codeSplitting: { groups },
  });
  await build.close();
  writeFileSync(stamp, expectedStamp);
}

/** Each chunk contains these modules and their imports, except those of earlier groups. */
const groups = [
  { name: "typebox", test: /node_modules\/typebox\//, priority: 4 },
  { name: "work", test: /server\/src\/processes\/work\.ts$/, priority: 3 },
  { name: "serve", test: /server\/src\/processes\/serve\.ts$/, priority: 2 },
  { name: "sandbox", test: /sandbox\/src\/server\.ts$/, priority: 1 },
];

/** keepSourcePaths makes every module find files relative to its source folder, whichever chunk contains it. */
function keepSourcePaths(): Plugin {
  return {
    name: "keep-places",
    transform(code, id) {
      if (!id.endsWith(".ts") || !code.includes("import.meta.")) return null;
      return code
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
        .replaceAll("import.meta.dirname", JSON.stringify(dirname(id)));
    },
  };
}
