import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Runner } from "../../clients/runner.ts";
import { newContainerRunner, type SystemName } from "./runtime-systems.ts";
import type { InstalledRuntime, Runtime, LibraryBuilds } from "./runtime.ts";

const run = promisify(execFile);

/** Where a program runs: in a container of this system, or on this machine. */
type RuntimeLocation = SystemName | "here";
type RunnerFactory = (...args: readonly string[]) => Runner;

export const pythons: readonly Runtime[] = [
  python("3.10", "jammy"),
  python("3.11", "here"),
  python("3.12", "noble"),
  python("3.13", "trixie"),
  python("3.14", "sid"),
  python("3.15", "sid"),
];

export const phps: readonly Runtime[] = [
  php("8.1", "jammy"),
  php("8.2", "here"),
  php("8.3", "noble"),
  php("8.4", "trixie"),
  php("8.5", "resolute"),
];

export const javas: readonly Runtime[] = [
  java("17", "here"),
  java("21", "trixie"),
  java("25", "resolute"),
  java("26", "sid"),
  java("27", "sid"),
];

export const gos: readonly Runtime[] = ["1.24.0", "1.25.14", "1.26.11", "1.27.3"].map(go);

function python(version: string, location: RuntimeLocation): Runtime {
  return {
    name: `python-${version}`,
    library: "Python",
    source: describeSource(location),
    async install(builds) {
      const start = await newRunnerFactory(location, builds);
      const program = `python${version}`;
      const printedVersion = await readVersion(start(program, "--version"), `Python ${version}`);
      const environment = { PYTHONPATH: await packagesFor(version, builds), PYTHONDONTWRITEBYTECODE: "1" };
      const runner = (folder: string): Runner => {
        const each = start(program, join(builds.clients, folder, "python/run.py"));
        return { ...each, environment: { ...each.environment, ...environment } };
      };
      return { version: printedVersion, cases: runner("conformance"), life: runner("life") };
    },
  };
}

/** The wheel and its dependencies, as pip installs them for this version. */
async function packagesFor(version: string, { wheel }: LibraryBuilds): Promise<string> {
  const folder = join(dirname(wheel), `packages-${version}`);
  const pipArgs = ["--quiet", "--only-binary=:all:", "--python-version", version, "--target", folder];
  await run("python3", ["-m", "pip", "install", ...pipArgs, wheel]);
  return folder;
}

function php(version: string, location: RuntimeLocation): Runtime {
  return {
    name: `php-${version}`,
    library: "PHP",
    source: describeSource(location),
    async install(builds) {
      const start = await newRunnerFactory(location, builds);
      const program = location === "here" ? "php" : `php${version}`;
      const printedVersion = await readVersion(start(program, "--version"), `PHP ${version}.`);
      const strictArgs = ["-d", "zend.assertions=1", "-d", "assert.exception=1", "-d", "error_reporting=-1"];
      return {
        version: printedVersion,
        cases: start(program, ...strictArgs, "conformance/php/run.php"),
        life: start(program, ...strictArgs, "life/php/run.php"),
      };
    },
  };
}

function java(version: string, location: RuntimeLocation): Runtime {
  return {
    name: `java-${version}`,
    library: "Java",
    source: describeSource(location),
    async install(builds) {
      const start = await newRunnerFactory(location, builds);
      const program = location === "here" ? "java" : `/usr/lib/jvm/java-${version}-openjdk-amd64/bin/java`;
      const printedVersion = await readVersion(start(program, "--version"), `openjdk ${version}`);
      const args = [program, "-XX:TieredStopAtLevel=1", "-cp", builds.classes];
      return {
        version: printedVersion,
        cases: start(...args, "io.tollgate.conformance.Conformance"),
        life: start(...args, "io.tollgate.life.Life"),
      };
    },
  };
}

function go(version: string): Runtime {
  const [major = "", minor = ""] = version.split(".");
  return {
    name: `go-${major}.${minor}`,
    library: "Go",
    source: `\`GOTOOLCHAIN=go${version}\``,
    async install({ clients }) {
      const environment = { GOTOOLCHAIN: `go${version}` };
      const runner = (folder: string): InstalledRuntime["life"] => ({
        command: ["sh", `${folder}/go/run.sh`],
        cwd: clients,
        environment,
      });
      const printedVersion = await readVersion(
        { command: ["go", "version"], cwd: clients, environment },
        `go version go${version} `,
      );
      return { version: printedVersion, cases: runner("conformance"), life: runner("life") };
    },
  };
}

async function newRunnerFactory(location: RuntimeLocation, builds: LibraryBuilds): Promise<RunnerFactory> {
  if (location !== "here") return newContainerRunner(location, builds);
  return (program = "", ...args) => ({ command: [program, ...args], cwd: builds.clients });
}

/** The version that a program prints; throws if it is not the wanted one. */
async function readVersion({ command, cwd, environment }: Runner, expectedPrefix: string): Promise<string> {
  const [program, ...args] = command;
  const { stdout } = await run(program, args, { cwd, env: { ...process.env, ...environment } });
  const [line = ""] = stdout.split("\n");
  if (!line.startsWith(expectedPrefix)) throw new Error(`${line} is not ${expectedPrefix}`);
  return line;
}

function describeSource(location: RuntimeLocation): string {
  const sourceNames: Partial<Record<RuntimeLocation, string>> = {
    here: "this machine",
    trixie: "Debian 13",
    sid: "Debian unstable",
  };
  return sourceNames[location] ?? `Ubuntu ${location}`;
}
