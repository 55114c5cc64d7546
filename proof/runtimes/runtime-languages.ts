import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Runner } from "../../clients/runner.ts";
import { programOf, type SystemName } from "./runtime-systems.ts";
import type { InstalledRuntime, Runtime, RuntimeGround } from "./runtime.ts";

const run = promisify(execFile);

/** Where a program runs: in a container of this system, or on this machine. */
type Place = SystemName | "here";
type Start = (...words: readonly string[]) => Runner;

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

function python(version: string, place: Place): Runtime {
  return {
    name: `python-${version}`,
    library: "Python",
    source: sourceOf(place),
    async install(ground) {
      const start = await starter(place, ground);
      const program = `python${version}`;
      const told = await versionOf(start(program, "--version"), `Python ${version}`);
      const environment = { PYTHONPATH: await packagesFor(version, ground), PYTHONDONTWRITEBYTECODE: "1" };
      const runner = (folder: string): Runner => {
        const each = start(program, join(ground.clients, folder, "python/run.py"));
        return { ...each, environment: { ...each.environment, ...environment } };
      };
      return { version: told, cases: runner("conformance"), life: runner("life") };
    },
  };
}

/** The wheel and its dependencies, as pip installs them for this version. */
async function packagesFor(version: string, { wheel }: RuntimeGround): Promise<string> {
  const folder = join(dirname(wheel), `packages-${version}`);
  const how = ["--quiet", "--only-binary=:all:", "--python-version", version, "--target", folder];
  await run("python3", ["-m", "pip", "install", ...how, wheel]);
  return folder;
}

function php(version: string, place: Place): Runtime {
  return {
    name: `php-${version}`,
    library: "PHP",
    source: sourceOf(place),
    async install(ground) {
      const start = await starter(place, ground);
      const program = place === "here" ? "php" : `php${version}`;
      const told = await versionOf(start(program, "--version"), `PHP ${version}.`);
      const strict = ["-d", "zend.assertions=1", "-d", "assert.exception=1", "-d", "error_reporting=-1"];
      return {
        version: told,
        cases: start(program, ...strict, "conformance/php/run.php"),
        life: start(program, ...strict, "life/php/run.php"),
      };
    },
  };
}

function java(version: string, place: Place): Runtime {
  return {
    name: `java-${version}`,
    library: "Java",
    source: sourceOf(place),
    async install(ground) {
      const start = await starter(place, ground);
      const program = place === "here" ? "java" : `/usr/lib/jvm/java-${version}-openjdk-amd64/bin/java`;
      const told = await versionOf(start(program, "--version"), `openjdk ${version}`);
      const words = [program, "-XX:TieredStopAtLevel=1", "-cp", ground.classes];
      return {
        version: told,
        cases: start(...words, "io.tollgate.conformance.Conformance"),
        life: start(...words, "io.tollgate.life.Life"),
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
      const told = await versionOf(
        { command: ["go", "version"], cwd: clients, environment },
        `go version go${version} `,
      );
      return { version: told, cases: runner("conformance"), life: runner("life") };
    },
  };
}

async function starter(place: Place, ground: RuntimeGround): Promise<Start> {
  if (place !== "here") return programOf(place, ground);
  return (program = "", ...words) => ({ command: [program, ...words], cwd: ground.clients });
}

/** The version that a program prints; throws if it is not the wanted one. */
async function versionOf({ command, cwd, environment }: Runner, wanted: string): Promise<string> {
  const [program, ...words] = command;
  const { stdout } = await run(program, words, { cwd, env: { ...process.env, ...environment } });
  const [line = ""] = stdout.split("\n");
  if (!line.startsWith(wanted)) throw new Error(`${line} is not ${wanted}`);
  return line;
}

function sourceOf(place: Place): string {
  const makers: Partial<Record<Place, string>> = {
    here: "this machine",
    trixie: "Debian 13",
    sid: "Debian unstable",
  };
  return makers[place] ?? `Ubuntu ${place}`;
}
