import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { billOfMaterials, root } from "./tree.ts";

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly dev?: boolean; readonly optional?: boolean; readonly devOptional?: boolean }>
  >;
}

test("the SBOM lists every package that a program needs at run time, and no development tool", async () => {
  const { components } = await billOfMaterials();
  const named = new Set(components.map(({ name }) => name));
  const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as Lock;
  const needed = Object.entries(lock.packages)
    .filter(([place]) => place.startsWith("node_modules/") && !/\/(?:@tollgate\/|tollgate$)/.test(place))
    .filter(([, { dev, optional, devOptional }]) => !dev && !optional && !devOptional)
    .map(([place]) => place.replace(/^.*node_modules\//, ""));
  assert.ok(needed.length > 80, `${needed.length} packages`);
  assert.deepEqual(
    needed.filter((name) => !named.has(name)),
    [],
  );
  assert.ok(named.has("node"));
  for (const tool of ["typescript", "oxlint", "oidc-provider", "rolldown"]) assert.ok(!named.has(tool), tool);
});
