import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";

/**
 * PHP cannot forbid positional arguments, so only the names of parameters are stable. This test checks that
 * our pages and programs use named arguments, because a new field may be inserted between others.
 */
const root = join(import.meta.dirname, "../..");
const models = new Set(
  globSync("clients/php/src/Models/*.php", { cwd: root }).map((path) => basename(path, ".php")),
);
const pages = globSync(
  ["clients/{php,conformance/php,life/php}/**/*.{php,md}", "docs/**/*.md", "cli/templates/*.php"],
  { cwd: root },
).filter((path) => !path.includes("/src/Models/"));

test("all our examples construct models with named arguments", () => {
  const constructed = pages.flatMap((path) =>
    findConstructions(read(path)).map((each) => ({ path, ...each })),
  );
  assert.ok(constructed.length > 40, `looked at ${constructed.length}`);
  assert.deepEqual(
    constructed.filter(({ isNamed }) => !isNamed).map(({ path, text }) => `${path}: ${text}`),
    [],
  );
});

test("a positional argument is found", () => {
  for (const text of ["new Amount('EUR', '1')", "new Amount(\n    'EUR',", "new Models\\Amount($currency)"])
    assert.deepEqual(
      findConstructions(text).map(({ isNamed }) => isNamed),
      [false],
      text,
    );
  for (const text of [
    "new Amount(currency: 'EUR')",
    "new Amount(\n    currency: 'EUR',",
    "new Amount(...$all)",
  ])
    assert.deepEqual(
      findConstructions(text).map(({ isNamed }) => isNamed),
      [true],
      text,
    );
  assert.deepEqual(findConstructions("new Tollgate('x')"), []);
});

interface Construction {
  readonly text: string;
  readonly isNamed: boolean;
}

/**
 * Finds constructor calls with their first argument. The other arguments need no check, because PHP rejects a
 * positional argument after a named one.
 */
function findConstructions(text: string): Construction[] {
  const found = text.matchAll(/\bnew (?:\\?[A-Z]\w*\\)*([A-Z]\w+)\(\s*([^\s)][^\n]*)/g);
  return [...found]
    .filter(([, name = ""]) => models.has(name))
    .map(([whole, , first = ""]) => ({ text: whole, isNamed: /^(?:\w+:(?!:)|\.\.\.)/.test(first) }));
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}
