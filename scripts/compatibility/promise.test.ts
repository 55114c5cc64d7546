import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "../..");

test("every page that says how long an old version is supported says two years", () => {
  for (const path of [
    "COMPATIBILITY.md",
    "docs/interface.md",
    "server/src/http/merchant-api/service-document.ts",
  ]) {
    const text = readFileSync(join(root, path), "utf8");
    const terms = [...text.matchAll(/stays[^.|\n]*?for (?:\*\*)?at least (\w+ \w+)/g)].map(
      ([, term]) => term,
    );
    assert.deepEqual(terms, ["two years"], path);
  }
});

test("the supported runtimes are those of the manifests", () => {
  const promise = readFileSync(join(root, "COMPATIBILITY.md"), "utf8");
  const runtimeVersions: Readonly<Record<string, readonly [path: string, pattern: RegExp]>> = {
    "TypeScript | Node": ["clients/typescript/package.json", /"node": ">=(\d+)"/],
    Java: ["clients/java/pom.xml", /<maven\.compiler\.release>(\d+)</],
    PHP: ["clients/php/composer.json", /"php": ">=([\d.]+)"/],
    Python: ["clients/python/pyproject.toml", /requires-python = ">=([\d.]+)"/],
    Go: ["clients/go/go.mod", /^go ([\d.]+)$/m],
  };
  for (const [name, [path, pattern]] of Object.entries(runtimeVersions)) {
    const version = pattern.exec(readFileSync(join(root, path), "utf8"))?.[1] ?? "nothing";
    const row = name.includes("|") ? `| ${name} ${version},` : `| ${name} | ${version} |`;
    assert.ok(promise.includes(row), `COMPATIBILITY.md has no ${row}`);
  }
});
