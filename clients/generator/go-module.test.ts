import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { packageNames } from "../package-names.ts";

const clients = join(import.meta.dirname, "..");

/**
 * The import path of the library is set in one place when it is published. This test checks all files that
 * repeat it.
 */
test("every Go file uses the same import path for the library", () => {
  const places = [
    "go/**/*.{go,mod}",
    "{conformance,life}/go/*.{go,mod}",
    "../cli/{templates/*.go,src/init/languages.ts}",
  ];
  const files = globSync(places, { cwd: clients });
  assert.ok(files.length > 30, "Too few Go files found; were they moved?");
  const strays = files.flatMap((file) =>
    [...readFileSync(join(clients, file), "utf8").matchAll(/^.*["\s]([\w.-]+\/tollgate)(?=["/\s])/gm)]
      .filter(([, name]) => name !== packageNames.go && name !== "github.com/tollgate")
      .map(([line]) => `${file}: ${line.trim()}`),
  );
  assert.deepEqual(strays, []);
  assert.match(readFileSync(join(clients, "go/README.md"), "utf8"), new RegExp(`go get ${packageNames.go}@`));
});

test("the import path is one that no other publisher can register", () => {
  // Until the library is published, its name ends in `.example`, which RFC 2606 reserves, so that no attacker
  // can register it.
  assert.match(packageNames.go, /^[\w-]+\.example\//);
});
