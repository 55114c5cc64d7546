import { execFile } from "node:child_process";
import { globSync, readFileSync, statSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { packageNames } from "./package-names.ts";

/**
 * Tests each library like a user: it runs the tests, builds the archive, installs the archive into an empty
 * project, and runs the examples against a real gateway. `node clients/packages.ts python` runs only one
 * library.
 */
const run = promisify(execFile);
const clientsFolder = import.meta.dirname;
const root = join(clientsFolder, "..");
const stepTimeoutMs = 600_000;

interface BuiltPackage {
  readonly archive: string;
}

type PackageCheck = (folder: string) => Promise<BuiltPackage>;

const packageChecks: Readonly<Record<string, PackageCheck>> = {
  async typescript(folder) {
    const home = join(clientsFolder, "typescript");
    await shell("node", ["build.ts"], home);
    await shell("npx", ["publint", "--strict"], home);
    await shell("npm", ["pack", "--silent", "--pack-destination", folder], home);
    const archive = onlyFile(folder, "*.tgz");
    // The profile leaves out compilers from before 2022, which support neither `exports` nor `.mjs`.
    await shell("npx", ["attw", archive, "--profile", "node16"], home);
    const project = join(folder, "project");
    // The project has Express 4, which many shops still use; the repository itself has version 5.
    const installed = [archive, "express@4", "pg@8"];
    await shell("npm", ["install", "--silent", "--no-audit", "--prefix", project, ...installed], folder);
    const importTest =
      `const a = require('${packageNames.npm}'); import('${packageNames.npm}').then((b) => ` +
      "{ if (typeof a.Tollgate !== 'function' || typeof b.Tollgate !== 'function') process.exit(1); })";
    await shell("node", ["-e", importTest], project);
    for (const name of ["shop.ts", "notify-express.ts"])
      await copyFile(join(home, "examples", name), join(project, name));
    await shell("node", ["../life/run-typescript-examples.ts", project], home);
    return { archive };
  },

  async java() {
    const home = join(clientsFolder, "java");
    await shell("mvn", ["--quiet", "--batch-mode", "verify"], home);
    await shell("node", ["run-examples.ts"], home);
    return { archive: onlyFile(join(home, "target"), `${packageNames.mavenArtifact}-*[0-9].jar`) };
  },

  async php(folder) {
    const home = join(clientsFolder, "php");
    await shell("phpunit", [], home);
    await shell("composer", ["archive", "--quiet", "--format=tar.gz", `--dir=${folder}`], home);
    await installAsReadmeSays(folder, home);
    await shell("php", ["run-examples.php"], home);
    return { archive: onlyFile(folder, "*.tar.gz") };
  },

  async python(folder) {
    const home = join(clientsFolder, "python");
    const [python, pip] = [join(folder, "venv/bin/python"), join(folder, "venv/bin/pip")];
    await shell("python3", ["-m", "venv", join(folder, "venv")], folder);
    await shell(
      pip,
      [
        "install",
        "--quiet",
        "build",
        "fastapi",
        "uvicorn",
        "django",
        "flask",
        "httpx",
        "psycopg[binary]",
        "pytest",
      ],
      folder,
    );
    await shell(python, ["-m", "build", "--wheel", "--outdir", folder, home], folder);
    const archive = onlyFile(folder, "*.whl");
    await shell(pip, ["install", "--quiet", archive], folder);
    await shell(
      python,
      ["-m", "unittest", "discover", "--top-level-directory", ".", "--start-directory", "tests"],
      home,
    );
    await shell(python, ["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "gateway_tests"], home);
    await shell(python, ["run_examples.py", "--all"], home);
    return { archive };
  },

  async go(folder) {
    const home = join(clientsFolder, "go");
    await shell("sh", ["-c", 'test -z "$(gofmt -l . ../conformance/go ../life/go | tee /dev/stderr)"'], home);
    for (const place of [home, join(home, "examples")])
      await shell("go", ["vet", "-tags=gateway", "./..."], place);
    await shell("go", ["test", "."], home);
    const [archive, secondArchive] = await Promise.all(
      ["one", "two"].map(async (name) => {
        await shell("node", ["pack.ts", join(folder, name)], home);
        return onlyFile(join(folder, name), "**/*.zip");
      }),
    );
    if (!archive || !secondArchive || !readFileSync(archive).equals(readFileSync(secondArchive)))
      throw new Error("Two builds of the same sources differ.");
    // Both run in parallel, because both mostly wait for a gateway.
    await Promise.all([
      shell("go", ["test", "-tags=gateway", "./tollgatetest"], home),
      shell("node", ["run-examples.ts"], home),
    ]);
    return { archive };
  },
};

/** Runs the install lines of the PHP README in an empty project, next to a checkout with the name `tollgate`. */
async function installAsReadmeSays(folder: string, home: string): Promise<void> {
  const part = /<!-- install -->([\s\S]*?)<!-- end of install -->/.exec(
    readFileSync(join(home, "README.md"), "utf8"),
  )?.[1];
  const initCommand = /`(composer init[^`]*)`/.exec(part ?? "")?.[1];
  const lines = /```sh\n([\s\S]*?)```/.exec(part ?? "")?.[1];
  if (initCommand === undefined || lines === undefined)
    throw new Error("README.md has no installation lines.");
  const [project, composerHome] = [join(folder, "project"), join(folder, "composer")];
  await Promise.all([mkdir(project), mkdir(composerHome)]);
  await symlink(root, join(project, "tollgate"));
  // Composer's public index is disabled: the library has no dependencies, and another owner could have its
  // name in the index.
  await writeFile(join(composerHome, "config.json"), '{"repositories":{"packagist":false}}');
  const loadsClass = `php -r 'require "vendor/autoload.php"; exit(class_exists("Tollgate\\\\Tollgate") ? 0 : 1);'`;
  const script = `set -e\nexport COMPOSER_HOME='${composerHome}' COMPOSER_NO_INTERACTION=1\n${initCommand}\n${lines}${loadsClass}`;
  await shell("bash", ["-c", script], project);
}

const selected = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(packageChecks);
const results: string[] = [];
for (const name of selected) results.push(`${name}=${await checkPackage(name)}`);
process.stdout.write(`packages: ${results.join(" ")}\n`);
if (results.some((verdict) => verdict.endsWith("=failed"))) process.exitCode = 1;

async function checkPackage(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `tollgate-${name}-package-`));
  const startedAtMs = performance.now();
  try {
    const check = packageChecks[name];
    if (!check) throw new Error(`Known packages: ${Object.keys(packageChecks).join(", ")}.`);
    // The folder gets its own package.json, so that the empty project does not find what the repository has
    // installed.
    await writeFile(join(folder, "package.json"), "{}\n");
    const { archive } = await check(folder);
    return `${Math.ceil(statSync(archive).size / 1024)}KiB`;
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    return "failed";
  } finally {
    process.stderr.write(`${name}: ${Math.round((performance.now() - startedAtMs) / 1000)} s\n`);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs a program; on failure, the error includes its output. */
async function shell(program: string, parameters: readonly string[], cwd: string): Promise<void> {
  const command = program === "node" ? process.execPath : program;
  // Tests that start their own gateway use this command.
  const tollgate = `'${process.execPath}' '${join(root, "cli/src/start.ts")}'`;
  const env = {
    ...process.env,
    TOLLGATE_COMMAND: tollgate,
    PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`,
  };
  await run(command, [...parameters], { cwd, env, timeout: stepTimeoutMs, maxBuffer: 1 << 26 }).catch(
    (error: { readonly stdout?: string; readonly stderr?: string }) => {
      const output = `${error.stdout ?? ""}${error.stderr ?? ""}`.split("\n").slice(-60).join("\n");
      throw new Error(`${program} ${parameters.join(" ")} failed:\n${output}`);
    },
  );
}

function onlyFile(folder: string, pattern: string): string {
  const [file, another] = globSync(pattern, { cwd: folder });
  if (file === undefined || another !== undefined) throw new Error(`${folder} has no single ${pattern}.`);
  return join(folder, file);
}
