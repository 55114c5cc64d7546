import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { packageNames } from "../package-names.ts";

const clients = join(import.meta.dirname, "..");

/** Whoever publishes the library gives it a name of the own in one place; these are the places that have to follow. */
test("every Go file calls the library by its one name", () => {
  const places = [
    "go/**/*.{go,mod}",
    "{conformance,life}/go/*.{go,mod}",
    "../cli/{templates/*.go,src/init/languages.ts}",
  ];
  const files = globSync(places, { cwd: clients });
  assert.ok(files.length > 30, "The Go files are not where they were.");
  const strays = files.flatMap((file) =>
    [...readFileSync(join(clients, file), "utf8").matchAll(/^.*["\s]([\w.-]+\/tollgate)(?=["/\s])/gm)]
      .filter(([, name]) => name !== packageNames.go && name !== "github.com/tollgate")
      .map(([line]) => `${file}: ${line.trim()}`),
  );
  assert.deepEqual(strays, []);
  assert.match(readFileSync(join(clients, "go/README.md"), "utf8"), new RegExp(`go get ${packageNames.go}@`));
});

test("the name is one that nobody else can publish under", () => {
  // Until it is published: RFC 2606 keeps `.example` from everybody.
  assert.match(packageNames.go, /^[\w-]+\.example\//);
});
