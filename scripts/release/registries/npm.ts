import { readFileSync, writeFileSync } from "node:fs";
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
} from "./registry.ts";

const folder = "clients/typescript";

export const npm: Registry = {
  name: "npm",
  language: "typescript",
  needs: [],
  purl: (version) => `pkg:npm/${packageNames.npm.replace("@", "%40")}@${version}`,

  async build({ root, version }, out) {
    const home = join(root, folder);
    await run(process.execPath, ["build.ts"], { cwd: home });
    const [manifest, readme] = [join(home, "package.json"), join(home, "README.md")];
    writeFileSync(manifest, publishable(readFileSync(manifest, "utf8")));
    writeFileSync(readme, withAbsoluteLinks(readFileSync(readme, "utf8"), folder, version));
    const packed = await run("npm", ["pack", "--silent", "--pack-destination", out], { cwd: home });
    return [packed.trim()];
  },

  async check({ root, version }, out) {
    const name = `${packageNames.npm.replace("@", "").replace("/", "-")}-${version}.tgz`;
    const tools = join(root, "node_modules/.bin");
    const lint = await run(join(tools, "publint"), [join(out, name), "--strict"]).then(
      () => [],
      (error: Error) => [error.message],
    );
    // The dry run shows the content that npm would publish, and publishes nothing.
    const dryRunArgs = [
      "publish",
      join(out, name),
      "--dry-run",
      "--json",
      ...(version.includes("-") ? ["--tag", "next"] : []),
    ];
    const publishProblems = await run("npm", dryRunArgs, { cwd: out }).then(
      () => [],
      (error: Error) => [error.message],
    );
    return {
      problems: [...npmProblems(await entriesOf(join(out, name)), version), ...lint, ...publishProblems],
      checks: ["publint --strict", "npm publish --dry-run", "manifest, LICENSE, README, provenance"],
    };
  },
};

/**
 * `publishable` removes `private` from a manifest. The package in a checkout stays private, so that it cannot be
 * published by accident.
 */
export function publishable(manifest: string): string {
  const { private: _private, scripts: _scripts, ...rest } = JSON.parse(manifest) as Record<string, unknown>;
  return `${JSON.stringify(rest, null, 2)}\n`;
}

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly private?: boolean;
  readonly license?: string;
  readonly repository?: { readonly url?: string; readonly directory?: string };
  readonly publishConfig?: { readonly provenance?: boolean };
  readonly dependencies?: object;
  readonly scripts?: Readonly<Record<string, string>>;
}

export function npmProblems(entries: Entries, version: string): string[] {
  const manifest = JSON.parse(String(entries.get("package/package.json") ?? "{}")) as Manifest;
  const { repository, publishConfig, scripts = {} } = manifest;
  const checks: readonly (readonly [boolean, string])[] = [
    [manifest.name !== packageNames.npm, `its name is ${manifest.name}`],
    [manifest.version !== version, `its version is ${manifest.version}`],
    [manifest.private === true, "it is private"],
    [manifest.license !== "Apache-2.0", "its license differs"],
    // npm compares it with the workflow that publishes, and otherwise rejects provenance.
    [repository?.url !== `git+${packageNames.repository}.git`, "repository differs"],
    [repository?.directory !== folder, "repository names another folder"],
    [publishConfig?.provenance !== true, "it would be published without provenance"],
    [manifest.dependencies !== undefined, "it has runtime dependencies"],
    [["preinstall", "install", "postinstall"].some((name) => name in scripts), "it has an install script"],
  ];
  return [
    ...checks.filter(([isWrong]) => isWrong).map(([, what]) => what),
    ...findMissingFiles(entries, ["LICENSE", "README.md", "CHANGELOG.md"]),
    ...findRelativeLinks(String(entries.get("package/README.md") ?? "")),
    ...[...entries.keys()].filter((name) => name.includes(".test.")).map((name) => `it has ${name}`),
  ];
}
