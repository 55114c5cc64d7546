import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";

/**
 * PHP cannot forbid arguments by position, so the promise is only that names stay. Whoever copies from our pages has to see names, and our
 * own programs have to survive a field that comes in between.
 */
const root = join(import.meta.dirname, "../..");
const models = new Set(
  globSync("clients/php/src/Models/*.php", { cwd: root }).map((path) => basename(path, ".php")),
);
const pages = globSync(
  ["clients/{php,conformance/php,life/php}/**/*.{php,md}", "docs/**/*.md", "cli/templates/*.php"],
  { cwd: root },
).filter((path) => !path.includes("/src/Models/"));

test("models are constructed with named arguments, wherever we show it", () => {
  const made = pages.flatMap((path) => constructions(read(path)).map((each) => ({ path, ...each })));
  assert.ok(made.length > 40, `looked at ${made.length}`);
  assert.deepEqual(
    made.filter(({ isNamed }) => !isNamed).map(({ path, text }) => `${path}: ${text}`),
    [],
  );
});

test("an argument by position is found", () => {
  for (const text of ["new Amount('EUR', '1')", "new Amount(\n    'EUR',", "new Models\\Amount($currency)"])
    assert.deepEqual(
      constructions(text).map(({ isNamed }) => isNamed),
      [false],
      text,
    );
  for (const text of [
    "new Amount(currency: 'EUR')",
    "new Amount(\n    currency: 'EUR',",
    "new Amount(...$all)",
  ])
    assert.deepEqual(
      constructions(text).map(({ isNamed }) => isNamed),
      [true],
      text,
    );
  assert.deepEqual(constructions("new Tollgate('x')"), []);
});

interface Construction {
  readonly text: string;
  readonly isNamed: boolean;
}

/** The first argument decides: after a name, PHP itself refuses one by position. */
function constructions(text: string): Construction[] {
  const found = text.matchAll(/\bnew (?:\\?[A-Z]\w*\\)*([A-Z]\w+)\(\s*([^\s)][^\n]*)/g);
  return [...found]
    .filter(([, name = ""]) => models.has(name))
    .map(([whole, , first = ""]) => ({ text: whole, isNamed: /^(?:\w+:(?!:)|\.\.\.)/.test(first) }));
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}
