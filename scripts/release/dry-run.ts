import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { packageNames } from "../../clients/package-names.ts";
import { isReleased } from "./changelog.ts";
import { librarySbom } from "./library-sbom.ts";
import { misplacedNames } from "./package-places.ts";
import { central } from "./registries/central.ts";
import { goProxy } from "./registries/go.ts";
import { npm } from "./registries/npm.ts";
import { packagist } from "./registries/packagist.ts";
import { pypi } from "./registries/pypi.ts";
import { digestOf, type Registry, type Tree } from "./registries/registry.ts";
import { misplacedVersions, versionOf } from "./version-places.ts";

export const registries: readonly Registry[] = [npm, central, packagist, pypi, goProxy];

/**
 * A complete rehearsal of a library release without publishing: `npm run release -- --dry-run [VERSION] [--only java]
 * [--keep FOLDER]`. The version is prepared in two copies of the repository and each library is built in both. The
 * archives must be equal, and each is checked against the rules of its registry. Nothing leaves the machine.
 */
export async function dryRun(
  root: string,
  requestedVersion: string | undefined,
  options: DryRunOptions,
): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-release-"));
  try {
    const current = versionOf((path) => readFileSync(join(root, path), "utf8"));
    const version = requestedVersion ?? nextVersion(current);
    const trees = ["first", "second"].map((name) => prepareTree(root, join(folder, name), version));
    const isPrepared = trees.every(({ root: treeRoot }) =>
      report("version and changelogs", findPreparationProblems(treeRoot, version), [version]),
    );
    const selectedRegistries = registries.filter(
      ({ language }) => options.only.length === 0 || options.only.includes(language),
    );
    const verdicts: boolean[] = [];
    for (const registry of selectedRegistries) verdicts.push(await rehearse(registry, trees, options.keep));
    for (const hint of remainingOwnerSteps())
      process.stdout.write(`remaining steps for the owner: ${hint}\n`);
    return isPrepared && verdicts.every((isGood) => isGood);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface DryRunOptions {
  /** Languages; all if empty. */
  readonly only: readonly string[];
  /** The folder for archives and SBOMs. */
  readonly keep: string | undefined;
}

/** The default version: the release of a candidate, or the next patch version. */
export function nextVersion(version: string): string {
  const [main = "", candidate] = version.split("-");
  if (candidate !== undefined) return main;
  return main.replace(/\d+$/, (last) => String(Number(last) + 1));
}

/** The tracked files and new files in their current state, with the version prepared by the release command itself. */
function prepareTree(root: string, treeRoot: string, version: string): Tree {
  const words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const names = execFileSync("git", words, { cwd: root, maxBuffer: 1 << 26 })
    .toString()
    .split("\0");
  for (const name of names.filter((each) => each !== "")) {
    mkdirSync(dirname(join(treeRoot, name)), { recursive: true });
    cpSync(join(root, name), join(treeRoot, name), { verbatimSymlinks: true });
  }
  symlinkSync(join(root, "node_modules"), join(treeRoot, "node_modules"));
  // The checkout of a tag already has its version, and its archives are the ones to publish. So the version is prepared
  // only if it is missing.
  const read = (path: string): string => readFileSync(join(treeRoot, path), "utf8");
  if (versionOf(read) !== version || !isReleased(read("CHANGELOG.md"), version))
    execFileSync(process.execPath, ["scripts/release/release.ts", version], { cwd: treeRoot, stdio: "pipe" });
  return { root: treeRoot, version };
}

function findPreparationProblems(treeRoot: string, version: string): string[] {
  const read = (path: string): string => readFileSync(join(treeRoot, path), "utf8");
  return [
    ...(versionOf(read) === version ? [] : ["the version was not written"]),
    ...misplacedVersions(read),
    ...misplacedNames(read),
    ...(isReleased(read("CHANGELOG.md"), version) ? [] : ["CHANGELOG.md has no section for the version"]),
  ];
}

async function rehearse(
  registry: Registry,
  trees: readonly Tree[],
  keep: string | undefined,
): Promise<boolean> {
  const startedAtMs = performance.now();
  const [tree] = trees;
  if (!tree) return false;
  try {
    const outs = trees.map(({ root }) => join(root, ".release", registry.language));
    const built: (readonly string[])[] = [];
    for (const [index, each] of trees.entries()) {
      mkdirSync(outs[index] ?? "", { recursive: true });
      built.push(await registry.build(each, outs[index] ?? ""));
    }
    const [out = "", secondOut = ""] = outs;
    const files = built[0] ?? [];
    const differing = files.filter((name) => digestOf(join(out, name)) !== digestOf(join(secondOut, name)));
    const { problems, checks } = await registry.check(tree, out);
    const sbom = librarySbom(registry, tree.version, out, files);
    writeFileSync(join(out, "sbom.cdx.json"), sbom);
    if (keep !== undefined) cpSync(out, join(keep, registry.language), { recursive: true });
    const seconds = Math.round((performance.now() - startedAtMs) / 1000);
    const facts = [`${files.length} files, equal in both builds`, ...checks, "SBOM", `${seconds} s`];
    const problemsFound = [...differing.map((name) => `${name} differs between two builds`), ...problems];
    const isGood = report(`${registry.language} for ${registry.name}`, problemsFound, facts);
    for (const name of files) process.stdout.write(`  ${digestOf(join(out, name))}  ${name}\n`);
    return isGood;
  } catch (error) {
    return report(
      `${registry.language} for ${registry.name}`,
      [error instanceof Error ? error.message : String(error)],
      [],
    );
  }
}

function report(what: string, problems: readonly string[], facts: readonly string[]): boolean {
  const isGood = problems.length === 0;
  process.stdout.write(`${what}: ${isGood ? `ok (${facts.join("; ")})` : "NOT READY"}\n`);
  for (const problem of problems) process.stdout.write(`  ${problem}\n`);
  return isGood;
}

/** Steps that no program can do: see RELEASING.md. */
function remainingOwnerSteps(): string[] {
  const names = Object.entries(packageNames).filter(([, name]) => String(name).includes(".example"));
  return [
    ...names.map(([name]) => `${name} in clients/package-names.ts is a placeholder`),
    ...(packageNames.isPublished ? [] : ["accounts, and isPublished in clients/package-names.ts"]),
  ];
}
