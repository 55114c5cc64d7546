import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { packageNames } from "../../clients/package-names.ts";
import { namePlaces, namesSource, replaceName, misplacedNames, type PackageName } from "./package-places.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

test("every place has the name in package-names.ts", () => {
  assert.deepEqual(misplacedNames(read), []);
});

test("a place with another name is found, in each place", () => {
  for (const { path, name, text } of namePlaces) {
    const expectedText = text.replace("NAME", packageNames[name]);
    const broken = (each: string): string =>
      each === path ? read(each).replaceAll(expectedText, text.replace("NAME", "outsider")) : read(each);
    assert.ok(
      misplacedNames(broken).includes(`${path}: nothing like ${expectedText}`),
      `${path}: ${expectedText}`,
    );
  }
});

const others: Readonly<Record<PackageName, string>> = {
  repository: "https://shop.example/gateway",
  npm: "@shop/gateway",
  pypi: "shop-gateway",
  mavenGroup: "example.shop",
  mavenArtifact: "shop-gateway-java",
  composer: "shop/gateway",
  go: "go.shop.example/gateway",
};

test("one command per name changes it everywhere, and no similar text", () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-names-"));
  after(() => rmSync(folder, { recursive: true }));
  for (const path of [
    ...new Set(namePlaces.map((place) => place.path)),
    namesSource,
    "scripts/release/rename.ts",
    "scripts/release/package-places.ts",
    "clients/typescript/examples",
    "clients/go/examples",
  ])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  execFileSync("git", ["init", "--quiet"], { cwd: folder });

  for (const [name, to] of Object.entries(others))
    execFileSync(process.execPath, ["scripts/release/rename.ts", name, to], { cwd: folder, stdio: "pipe" });

  const inFolder = (path: string): string => readFileSync(join(folder, path), "utf8");
  assert.deepEqual(misplacedNames(inFolder, others), []);
  for (const [name, old] of Object.entries(packageNames).filter(([, each]) => typeof each === "string"))
    for (const { path } of namePlaces)
      assert.equal(
        replaceName(inFolder(path), name as PackageName, [String(old), "again"]),
        inFolder(path),
        `${path} still has ${String(old)}`,
      );
  assert.match(
    inFolder("clients/typescript/README.md"),
    /npm install \.\/tollgate\/clients\/typescript\/shop-gateway-\d/,
  );
  assert.match(inFolder("clients/go/README.md"), /GONOSUMDB=go\.shop\.example\n/);
  assert.match(inFolder("clients/go/examples/go.mod"), /go\.shop\.example\/gateway v\d/);
  assert.match(inFolder("clients/php/README.md"), /path \.\/tollgate\/clients\/php$/m);
});
