import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { packageNames } from "../package-names.ts";

/**
 * An install line must not name a package that an attacker can publish (dependency confusion). The registry's
 * package `tollgate` is not ours. Until our packages are published, an install line may name only a file of
 * this repository, or our own name after a line that sets the package source.
 */
const root = fileURLToPath(new URL("../../", import.meta.url));
const pages = globSync("{*.md,clients/**/*.md,docs/**/*.md,examples/**/*.md}", {
  cwd: root,
  exclude: (name) => name.includes("node_modules"),
});
const libraries = ["typescript", "java", "php", "python", "go"];

test("an install line installs the library only from this repository", () => {
  const lines = pages.flatMap((page) => findInstallLines(read(page)).map((line) => ({ page, ...line })));
  const foreignLines = lines.filter((line) => !line.isOurs).map(({ page, line }) => `${page}: ${line}`);
  assert.deepEqual(foreignLines, []);
  for (const library of libraries)
    assert.ok(
      lines.some(({ page }) => page === `clients/${library}/README.md`),
      `${library}: its README has no install line`,
    );
});

test("a README says that its package is not published yet, as long as it is not", () => {
  for (const library of libraries)
    assert.equal(
      /^Not published yet\. /m.test(read(`clients/${library}/README.md`)),
      !packageNames.isPublished,
      library,
    );
});

test("a README shows `tollgate dev`, its .env and `tollgate approve`, and no invented settings", () => {
  for (const library of libraries) {
    const part = /<!-- gateway -->([\s\S]*?)<!-- end of gateway -->/.exec(
      read(`clients/${library}/README.md`),
    )?.[1];
    const blocks = [...(part ?? "").matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block);
    assert.deepEqual(
      blocks,
      ["npx --no tollgate dev\n", "set -a; . ./.env; set +a\n", 'npx --no tollgate approve "$PAYMENT_ID"\n'],
      library,
    );
  }
});

test("an install line for an unrelated package is found", () => {
  const foreignLines = [
    "pip install tollgate",
    `python3 -m pip install --upgrade ${packageNames.pypi}`,
    "pip install 'tollgate[httpx]'",
    `npm install ${packageNames.npm}`,
    `pnpm add ${packageNames.npm}`,
    `yarn add ${packageNames.npm}`,
    `uv add ${packageNames.pypi}`,
    `poetry add ${packageNames.pypi}`,
    "npm i --save tollgate",
    "npm install --global tollgate-2.3.4.tgz",
    `composer require ${packageNames.composer}`,
    "composer config repositories.tollgate path ./tollgate/clients/php\ncomposer require tollgate/other",
    "composer config repositories.tollgate path ./tollgate/clients/php\ncomposer require tollgate/other:@RC",
    "<groupId>com.tollgate</groupId>\n<artifactId>tollgate-java</artifactId>",
    `<groupId>${packageNames.mavenGroup}</groupId>\n<artifactId>${packageNames.mavenArtifact}</artifactId>`,
    `implementation("${packageNames.mavenGroup}:${packageNames.mavenArtifact}:1.2.3")`,
    `go get ${packageNames.go}@v1.2.3`,
    'export GOPROXY="file://$PWD/tollgate/clients/go/dist"\ngo get github.com/somebody/tollgate',
  ];
  for (const text of foreignLines)
    assert.deepEqual(
      findInstallLines(text).map(({ isOurs }) => isOurs),
      [false],
      text,
    );
});

test("no line that starts the command-line tool downloads a package", () => {
  const places = [
    ...pages,
    ...globSync("{cli,server/src/home}/**/*.{md,ts,mts,java,php,py,go}", { cwd: root }),
  ]
    .filter((place) => !isDatedRecord(place) && !/(?:node_modules|dist)\//.test(place))
    .map((place) => ({ place, text: read(place) }));
  const lines = places.flatMap(({ place, text }) => findNpxLines(text).map((line) => `${place}: ${line}`));
  assert.ok(lines.length > 50);
  assert.deepEqual(
    places.flatMap(({ place, text }) => findDownloadingLines(text).map((line) => `${place}: ${line}`)),
    [],
  );
});

test("an npx line that would download an unrelated package is found", () => {
  const downloading = [
    "npx tollgate dev",
    "npx --yes tollgate dev",
    "npx -y tollgate@latest dev",
    "npx tollgate@1.2.3 pay",
    "npm exec tollgate -- dev",
    "npm exec --yes tollgate dev",
    `npx ${packageNames.npm} dev`,
    "bunx tollgate dev",
    "pnpm dlx tollgate dev",
    "yarn dlx tollgate dev",
  ];
  for (const text of downloading) assert.equal(findDownloadingLines(text).length, 1, text);
  for (const text of ["npx --no tollgate dev", "npx oxfmt docs", "tollgate dev"])
    assert.deepEqual(findDownloadingLines(text), [], text);
});

/** Whether a page is a dated record, which keeps its original text. */
function isDatedRecord(page: string): boolean {
  return page === "CHANGELOG.md" || /^docs\/(decisions|evidence)\//.test(page);
}

/** Finds lines that run Tollgate's package with a package manager. */
function findNpxLines(text: string): string[] {
  return [
    ...text.matchAll(
      /\b(?:npx|npm exec|bunx|pnpm dlx|yarn dlx)(?: -[\w-]+(?:=\S+)?)* @?tollgate(?![\w-])[^\n`]*/g,
    ),
  ].map(([line]) => line);
}

/** Lines that would download from a registry if the package is not installed. */
function findDownloadingLines(text: string): string[] {
  if (packageNames.isCommandPublished) return [];
  return findNpxLines(text).filter((line) => !/^npx --no tollgate(?!@)/.test(line));
}

interface InstallLine {
  readonly line: string;
  readonly isOurs: boolean;
}

/**
 * The names that install lines may use: after the publication, the libraries' names in the registries belong
 * to us.
 */
const ownPackageNames: readonly string[] = packageNames.isPublished
  ? [packageNames.npm, packageNames.pypi]
  : [];

function findInstallLines(text: string): InstallLine[] {
  const found: InstallLine[] = [];
  for (const [line, packageArguments = ""] of text.matchAll(
    /\b(?:npm (?:install|i|add)|(?:pnpm|yarn|bun|uv|poetry) add|pip3? install) +([^\n`]+)/g,
  ))
    found.push(
      ...packageNamesIn(packageArguments).map((name) => ({
        line,
        isOurs: isOwnFile(name) || ownPackageNames.includes(name),
      })),
    );
  const isComposerConfigured =
    packageNames.isPublished ||
    /composer config repositories\.\w+ path \.\/tollgate\/clients\/php\n/.test(text);
  for (const [line, packageArguments = ""] of text.matchAll(/composer require +([^\n`]+)/g))
    found.push(
      ...packageNamesIn(packageArguments).map((name) => ({
        line,
        isOurs: isComposerConfigured && name.replace(/:@RC$/, "") === packageNames.composer,
      })),
    );
  const isMavenInstalled = packageNames.isPublished || text.includes("mvn -f tollgate/clients/java install");
  const coordinates = [
    ...text.matchAll(/<groupId>([^<]+)<\/groupId>\s*<artifactId>([^<]+)</g),
    ...text.matchAll(/implementation[ (]["']([^:"']+):([^:"']+)/g),
  ];
  const isGoProxySet =
    packageNames.isPublished || text.includes('GOPROXY="file://$PWD/tollgate/clients/go/dist');
  for (const [line, name] of text.matchAll(/\bgo get +([^\s`@]+)/g))
    found.push({ line, isOurs: isGoProxySet && name === packageNames.go });
  for (const [line, group, name] of coordinates)
    found.push({
      line,
      isOurs: isMavenInstalled && group === packageNames.mavenGroup && name === packageNames.mavenArtifact,
    });
  return found;
}

function packageNamesIn(packageArguments: string): string[] {
  return packageArguments
    .split(/\s+/)
    .map((word) => word.replace(/^["']|["']$/g, ""))
    .filter((word) => word !== "" && !word.startsWith("-"));
}

/** `isOwnFile` accepts paths only: a folder of a checkout in `tollgate/`, or the package that `npm run pack:cli` wrote. npm sends no request to a registry for a path. */
function isOwnFile(name: string): boolean {
  if (/^\.\/tollgate-[\w.-]+\.tgz$/.test(name)) return true;
  const path = /^\.\/tollgate\/(clients\/\w+)/.exec(name)?.[1];
  return path !== undefined && existsSync(join(root, path));
}

function read(page: string): string {
  return readFileSync(join(root, page), "utf8");
}
