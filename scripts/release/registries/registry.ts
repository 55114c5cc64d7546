import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";

/** A copy of the repository that the release command has prepared for a version. */
export interface Tree {
  readonly root: string;
  readonly version: string;
}

/** How a library becomes an archive that its registry accepts. */
export interface Registry {
  readonly name: string;
  readonly language: string;
  /** Builds the archives in an empty folder, and returns their names. The same sources must give the same bytes. */
  build(tree: Tree, out: string): Promise<readonly string[]>;
  /**
   * Checks the archives by the registry's rules, and installs them as a user does. Returns the problems, and the checks
   * with their tools.
   */
  check(tree: Tree, out: string): Promise<Verdict>;
  /** Returns the package URL (purl) by which vulnerability scanners know the library. */
  purl(version: string): string;
  /** Runtime dependencies, as package URLs. */
  readonly needs: readonly string[];
}

export interface Verdict {
  readonly problems: readonly string[];
  readonly checks: readonly string[];
}

/** The files in an archive, by name. */
export type Entries = ReadonlyMap<string, Buffer>;

/**
 * Reads a zip or a gzipped tar: jars and wheels are zips. Python can read both, and every machine of ours has Python.
 */
export async function entriesOf(archive: string): Promise<Entries> {
  const program = `
import base64, json, sys, tarfile, zipfile
path, found = sys.argv[1], {}
if zipfile.is_zipfile(path):
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            if not entry.is_dir():
                found[entry.filename] = base64.b64encode(archive.read(entry)).decode()
else:
    with tarfile.open(path) as archive:
        for entry in archive:
            if entry.isfile():
                found[entry.name] = base64.b64encode(archive.extractfile(entry).read()).decode()
json.dump(found, sys.stdout)`;
  const output = await run("python3", ["-c", program, archive]);
  const files = JSON.parse(output) as Readonly<Record<string, string>>;
  return new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text, "base64")]));
}

/** Returns the output of a program. Times and paths that get into archives are the same in every build. */
export async function run(
  program: string,
  words: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const env = { ...process.env, SOURCE_DATE_EPOCH: "1767225600", TZ: "UTC", ...options.env };
  const settings = { cwd: options.cwd, env, maxBuffer: 1 << 28, timeout: 600_000 };
  const running = promisify(execFile)(program, [...words], settings);
  const { stdout, stderr } = await running.catch(
    (error: { readonly stdout?: string; readonly stderr?: string }) => {
      const output = `${error.stdout ?? ""}${error.stderr ?? ""}`.split("\n").slice(-40).join("\n");
      throw new Error(`${program} ${words.join(" ")} failed:\n${output}`);
    },
  );
  return stdout === "" ? stderr : stdout;
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export function digestOf(path: string, algorithm = "sha256"): string {
  return createHash(algorithm).update(readFileSync(path)).digest("hex");
}

/** Files that must be in every archive, at any place: Apache-2.0 requires the first of them. */
export function findMissingFiles(entries: Entries, names: readonly string[]): string[] {
  const entryNames = [...entries.keys()];
  return names
    .filter((name) => !entryNames.some((entry) => entry === name || entry.endsWith(`/${name}`)))
    .map((name) => `there is no ${name}`);
}

/** `findRelativeLinks` returns relative links of a README, which would be broken on the registry's page. */
export function findRelativeLinks(readme: string): string[] {
  return [...readme.matchAll(/\]\((?!https?:|#|mailto:)([^)]+)\)/g)].map(([, to]) => `README links to ${to}`);
}
