import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { packageNames } from "../../../clients/package-names.ts";
import { nextVersion, registries } from "../dry-run.ts";
import { librarySbom } from "../library-sbom.ts";
import { versionOf } from "../version-places.ts";
import { withAbsoluteLinks } from "./absolute-links.ts";
import { bundleProblems, pomProblems } from "./central.ts";
import { moduleProblems } from "./go.ts";
import { npmProblems, publishable } from "./npm.ts";
import { composerProblems, splitManifest } from "./packagist.ts";
import { wheelProblems } from "./pypi.ts";
import type { Entries } from "./registry.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const version = versionOf(read);

/** An archive of these files, with one of them changed or left out. */
function archive(files: Readonly<Record<string, string>>, change: Changes = {}): Entries {
  const all = { ...files, ...change };
  return new Map(
    Object.entries(all).flatMap(([name, text]) => (text === undefined ? [] : [[name, Buffer.from(text)]])),
  );
}

type Changes = Readonly<Record<string, string | undefined>>;

test("npm: the package as built is accepted, and each mistake is reported", () => {
  const manifest = publishable(read("clients/typescript/package.json"));
  const files = {
    "package/package.json": manifest,
    "package/LICENSE": "Apache",
    "package/README.md": "[changes](https://tollgate.example/x)",
    "package/CHANGELOG.md": "",
  };
  const problems = (change: Changes): string[] => npmProblems(archive(files, change), version);
  const edited = (from: string, to: string): string[] => {
    assert.ok(manifest.includes(from), from);
    return problems({ "package/package.json": manifest.replace(from, to) });
  };
  assert.deepEqual(problems({}), []);
  assert.deepEqual(problems({ "package/LICENSE": undefined }), ["there is no LICENSE"]);
  assert.deepEqual(problems({ "package/README.md": "[here](../x.md)" }), ["README links to ../x.md"]);
  assert.deepEqual(problems({ "package/package.json": read("clients/typescript/package.json") }), [
    "it is private",
  ]);
  assert.deepEqual(edited(`"${packageNames.npm}"`, '"tollgate"'), ["its name is tollgate"]);
  assert.deepEqual(edited('"provenance": true', '"provenance": false'), [
    "it would be published without provenance",
  ]);
  assert.deepEqual(edited(packageNames.repository, "https://else.example"), []);
  assert.deepEqual(edited(`git+${packageNames.repository}`, "git+https://else.example"), [
    "repository differs",
  ]);
  assert.deepEqual(edited('"engines"', '"dependencies": {}, "engines"'), ["it has runtime dependencies"]);
  assert.deepEqual(edited('"engines"', '"scripts": { "postinstall": "x" }, "engines"'), [
    "it has an install script",
  ]);
});

test("Central: the pom has the required elements, and each missing one is reported", () => {
  const pom = read("clients/java/pom.xml");
  assert.deepEqual(pomProblems(pom, version), []);
  for (const part of ["name", "description", "url", "licenses", "developers", "scm"]) {
    const without = pom.replace(new RegExp(`^  <${part}>[\\s\\S]*?</${part}>`, "m"), "");
    assert.equal(pomProblems(without, version).length, 1, part);
  }
  assert.deepEqual(pomProblems(pom, "0.0.1"), ["pom has another version"]);
});

test("Central: the bundle has a signature and checksums for each of four files", () => {
  const kinds = [".pom", ".jar", "-sources.jar", "-javadoc.jar"];
  const ends = ["", ".asc", ".md5", ".sha1", ".sha256", ".sha512"];
  const names = kinds.flatMap((kind) => ends.map((end) => `stem${kind}${end}`));
  assert.deepEqual(bundleProblems(names, "stem"), []);
  for (const name of names)
    assert.deepEqual(
      bundleProblems(
        names.filter((each) => each !== name),
        "stem",
      ),
      [`there is no ${name}`],
    );
});

test("Packagist: the split repository has no version and no development files", () => {
  const manifest = splitManifest(read("clients/php/composer.json"));
  const files = {
    "composer.json": manifest,
    LICENSE: "",
    "README.md": "",
    "CHANGELOG.md": "",
    "src/Tollgate.php": "",
  };
  const problems = (change: Changes): string[] => composerProblems(archive(files, change));
  assert.deepEqual(problems({}), []);
  assert.deepEqual(problems({ "composer.json": read("clients/php/composer.json") }), [
    "composer.json has a version, in addition to the tag",
  ]);
  assert.deepEqual(problems({ "composer.json": manifest.replace('"php"', '"a/b": "*", "php"') }), [
    "it requires a/b",
  ]);
  assert.deepEqual(problems({ LICENSE: undefined }), ["there is no LICENSE"]);
});

test("PyPI: METADATA, license and typing marker", () => {
  const head = [
    `Name: ${packageNames.pypi}`,
    `Version: ${version.replace("-rc.", "rc")}`,
    "License-Expression: Apache-2.0",
    `Project-URL: Repository, ${packageNames.repository}`,
    "Description-Content-Type: text/markdown",
    "Requires-Python: >=3.10",
  ];
  const metadata = "x.dist-info/METADATA";
  const files = {
    [metadata]: `${head.join("\n")}\n\n# Title\n`,
    "x.dist-info/licenses/LICENSE": "",
    "tollgate_client/py.typed": "",
  };
  const problems = (change: Changes): string[] => wheelProblems(archive(files, change), version);
  assert.deepEqual(problems({}), []);
  for (const line of head)
    assert.deepEqual(problems({ [metadata]: (files[metadata] ?? "").replace(line, "X: y") }), [
      `METADATA has no ${line}`,
    ]);
  assert.deepEqual(problems({ "tollgate_client/py.typed": undefined }), ["there is no py.typed"]);
  assert.deepEqual(problems({ "tests/test_a.py": "" }), ["it has tests/test_a.py"]);
});

test("Go: the module's rules", () => {
  const prefix = `${packageNames.go}@v${version}/`;
  const files = {
    [`${prefix}go.mod`]: `module ${packageNames.go}\n\ngo 1.24\n`,
    [`${prefix}LICENSE`]: "",
    [`${prefix}README.md`]: "",
    [`${prefix}client.go`]: "",
  };
  const problems = (change: Changes): string[] => moduleProblems(archive(files, change), version);
  assert.deepEqual(problems({}), []);
  assert.deepEqual(problems({ [`${prefix}LICENSE`]: undefined }), ["there is no LICENSE"]);
  assert.deepEqual(problems({ [`${prefix}go.mod`]: "module else.example/x\n" }), [
    "go.mod names another module",
  ]);
  assert.deepEqual(problems({ [`${prefix}Client.go`]: "" }), ["two files are named client.go"]);
  assert.deepEqual(problems({ [`${prefix}examples/go.mod`]: "" }), ["examples/go.mod is a separate module"]);
  assert.deepEqual(problems({ "client.go": "" }), [`client.go is outside of ${prefix}`]);
  const second = `${packageNames.go}@v2.0.0/`;
  const renamed = Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name.replace(prefix, second), text]),
  );
  assert.deepEqual(moduleProblems(archive(renamed), "2.0.0"), [
    "from version 2 on, its name must end in /v2",
  ]);
});

test("a README's links to files lead to the sources of its version", () => {
  const readme = "[a](../../docs/x.md#y) [b](examples/z.py) [c](#options) [d](https://example.com)";
  const base = `${packageNames.repository}/blob/v1.2.0`;
  assert.equal(
    withAbsoluteLinks(readme, "clients/python", "1.2.0"),
    `[a](${base}/docs/x.md#y) [b](${base}/clients/python/examples/z.py) [c](#options) [d](https://example.com)`,
  );
});

test("the default version of a rehearsal", () => {
  assert.deepEqual(["1.4.0-rc.2", "1.2.9"].map(nextVersion), ["1.4.0", "1.2.10"]);
});

test("an SBOM lists the library, its archives and its dependencies, and is reproducible", () => {
  for (const registry of registries) {
    const text = librarySbom(registry, "1.2.0", root, ["LICENSE"]);
    assert.equal(librarySbom(registry, "1.2.0", root, ["LICENSE"]), text);
    const { bomFormat, specVersion, serialNumber, metadata, components } = JSON.parse(text) as Sbom;
    assert.deepEqual([bomFormat, specVersion], ["CycloneDX", "1.6"]);
    assert.match(
      serialNumber,
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    assert.match(metadata.component.purl, /^pkg:(?:npm|maven|composer|pypi|golang)\/.+@v?1\.2\.0$/);
    assert.match(metadata.component.components[0]?.hashes[0]?.content ?? "", /^[0-9a-f]{64}$/);
    assert.deepEqual(
      components.map(({ purl }) => purl),
      registry.needs,
    );
  }
});

interface Sbom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly serialNumber: string;
  readonly metadata: {
    readonly component: {
      readonly purl: string;
      readonly components: readonly { readonly hashes: readonly { readonly content: string }[] }[];
    };
  };
  readonly components: readonly { readonly purl: string }[];
}
