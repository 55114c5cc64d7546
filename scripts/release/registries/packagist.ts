import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageNames } from "../../../clients/package-names.ts";
import { withAbsoluteLinks } from "./absolute-links.ts";
import {
  findRelativeLinks,
  entriesOf,
  findMissingFiles,
  run,
  type Entries,
  type Registry,
  type Tree,
} from "./registry.ts";

const folder = "clients/php";

/**
 * Packagist reads a repository whose root has `composer.json`, and takes versions from its tags. So a release is a
 * commit of a repository that contains only the library. The rehearsal makes that commit and Composer's archive of it.
 */
export const packagist: Registry = {
  name: "Packagist",
  language: "php",
  needs: [],
  purl: (version) => `pkg:composer/${packageNames.composer}@${version}`,

  async build(tree, out) {
    const split = await splitRepository(tree);
    const name = `${packageNames.composer.replace("/", "-")}-${tree.version}.zip`;
    await run("git", ["archive", "--format=zip", `--output=${join(out, name)}`, `v${tree.version}`], {
      cwd: split,
    });
    // The release workflow pushes this bundle. The rehearsal compares only the commit id and not the bundle, because
    // git may pack it differently.
    await run("git", ["bundle", "create", "--quiet", join(out, "split.bundle"), `v${tree.version}`, "main"], {
      cwd: split,
    });
    writeFileSync(join(out, "split-commit"), await run("git", ["rev-parse", "HEAD"], { cwd: split }));
    rmSync(split, { recursive: true });
    return [name, "split-commit"];
  },

  async check(tree, out) {
    const split = await splitRepository(tree);
    const valid = await run("composer", ["validate", "--strict", "--no-interaction"], {
      cwd: split,
      env: composerEnvironment,
    }).then(
      () => [],
      (error: Error) => [error.message],
    );
    rmSync(split, { recursive: true });
    const name = `${packageNames.composer.replace("/", "-")}-${tree.version}.zip`;
    return {
      problems: [...composerProblems(await entriesOf(join(out, name))), ...valid],
      checks: [
        "composer validate --strict in the split repository",
        "git archive by its tag",
        "LICENSE, README",
      ],
    };
  },
};

const composerEnvironment = { COMPOSER_ALLOW_SUPERUSER: "1", COMPOSER_DISABLE_NETWORK: "1" };

/** The same tree gives the same commit: author, time and message are fixed. */
async function splitRepository({ root, version }: Tree): Promise<string> {
  const split = mkdtempSync(join(tmpdir(), "tollgate-split-"));
  const home = join(root, folder);
  for (const name of ["src", "autoload.php", "README.md", "CHANGELOG.md", "LICENSE"])
    cpSync(join(home, name), join(split, name), { recursive: true });
  const readme = join(split, "README.md");
  writeFileSync(readme, withAbsoluteLinks(readFileSync(readme, "utf8"), folder, version));
  writeFileSync(
    join(split, "composer.json"),
    splitManifest(readFileSync(join(home, "composer.json"), "utf8")),
  );
  const author = { NAME: "Tollgate", EMAIL: "release@tollgate.example", DATE: "2026-01-01T00:00:00Z" };
  const env = Object.fromEntries(
    ["AUTHOR", "COMMITTER"].flatMap((role) =>
      Object.entries(author).map(([what, value]) => [`GIT_${role}_${what}`, value]),
    ),
  );
  const git = (...words: readonly string[]): Promise<string> => run("git", words, { cwd: split, env });
  await git("-c", "init.defaultBranch=main", "init", "--quiet");
  await git("add", "--all");
  await git("-c", "commit.gpgsign=false", "commit", "--quiet", "--message", `Release ${version}`);
  await git("tag", `v${version}`);
  return split;
}

/**
 * `splitManifest` removes the version, because Packagist takes it from the tag, and `composer validate --strict` warns
 * about a second one. It also removes the tests.
 */
export function splitManifest(manifest: string): string {
  const all = JSON.parse(manifest) as Record<string, unknown>;
  const {
    version: _version,
    archive: _archive,
    "autoload-dev": _tests,
    "require-dev": _tools,
    ...rest
  } = all;
  return `${JSON.stringify(rest, null, 2)}\n`;
}

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly require?: Readonly<Record<string, string>>;
}

export function composerProblems(entries: Entries): string[] {
  const manifest = JSON.parse(String(entries.get("composer.json") ?? "{}")) as Manifest;
  const dependencies = Object.keys(manifest.require ?? {}).filter(
    (name) => name !== "php" && !name.startsWith("ext-"),
  );
  return [
    ...(manifest.name === packageNames.composer ? [] : [`its name is ${manifest.name}`]),
    ...(manifest.license === "Apache-2.0" ? [] : ["its license differs"]),
    ...(manifest.version === undefined ? [] : ["composer.json has a version, in addition to the tag"]),
    ...dependencies.map((name) => `it requires ${name}`),
    ...findMissingFiles(entries, ["LICENSE", "README.md", "CHANGELOG.md", "src/Tollgate.php"]),
    ...findRelativeLinks(String(entries.get("README.md") ?? "")),
  ];
}
