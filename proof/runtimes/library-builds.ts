import { execFile } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { LibraryBuilds } from "./runtime.ts";

const run = promisify(execFile);
const clients = join(import.meta.dirname, "../../clients");

/** `buildLibraries` builds each client library as its users install it, once for all versions of its language. */
export async function buildLibraries(keyFolder: string): Promise<LibraryBuilds> {
  const cache = join(tmpdir(), "tollgate-runtimes");
  mkdirSync(cache, { recursive: true });
  const buildFolder = mkdtempSync(join(cache, "built-"));
  process.once("exit", () => rmSync(buildFolder, { recursive: true, force: true }));
  const [typescript, classes] = [join(buildFolder, "typescript"), join(buildFolder, "classes")];
  mkdirSync(typescript, { recursive: true });
  mkdirSync(classes, { recursive: true });
  await unpackNpmArchive(typescript);
  await compileJava(classes);
  return {
    cache,
    clients,
    typescript,
    classes,
    wheel: await buildWheel(buildFolder),
    mountedFolders: [clients, cache, keyFolder],
  };
}

/**
 * `unpackNpmArchive` puts the package that npm would install at `../../typescript/src`, from which the runners import
 * it.
 */
async function unpackNpmArchive(folder: string): Promise<void> {
  const library = join(clients, "typescript");
  await run(process.execPath, ["build.ts"], { cwd: library });
  await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: library });
  const [archive = ""] = globSync("*.tgz", { cwd: folder });
  await run("tar", ["--extract", "--file", archive], { cwd: folder });
  cpSync(join(folder, "package/dist/esm"), join(folder, "typescript/src"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"type":"module"}\n');
  cpSync(join(clients, "conformance"), join(folder, "conformance"), {
    recursive: true,
    filter: (path) => path.endsWith("conformance") || path.endsWith(".json"),
  });
  mkdirSync(join(folder, "life"));
  for (const name of globSync("{conformance,life}/*.ts", { cwd: clients })) {
    const text = stripTypeScriptTypes(readFileSync(join(clients, name), "utf8"));
    const script = text.replaceAll(/((?:from|import) "\.[^"]*)\.ts"/g, '$1.js"');
    writeFileSync(join(folder, name.replace(/\.ts$/, ".js")), script);
  }
}

async function buildWheel(folder: string): Promise<string> {
  const args = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, "."];
  await run("python3", args, { cwd: join(clients, "python") });
  const [wheel = ""] = globSync("*.whl", { cwd: folder });
  return join(folder, wheel);
}

async function compileJava(classes: string): Promise<void> {
  const sources = globSync("{java/src/main/java/**,conformance/java,life/java}/*.java", { cwd: clients });
  const compiledSources = sources.filter((name) => !name.endsWith("module-info.java"));
  await run("javac", ["--release", "17", "-d", classes, ...compiledSources], {
    cwd: clients,
    maxBuffer: 2 ** 26,
  });
}
