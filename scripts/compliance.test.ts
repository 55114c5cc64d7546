import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const pages = ["docs/compliance/pci-dss.md", "docs/compliance/asvs.md"];
const states = ["met", "partly", "not met", "operator"];

/** Names of all commands, from the generated page. */
const commands = new Set(
  [...read("docs/operating/commands.md").matchAll(/^### ([a-z -]*[a-z])/gm)].map(([, name = ""]) => name),
);

interface Row {
  readonly control: string;
  readonly state: string;
  readonly named: readonly string[];
}

function rowsOf(page: string): readonly Row[] {
  return [...read(page).matchAll(/^\| (\d.*?) \| .*? \| (.*?) \| ?(.*?) ?\|$/gm)].map(
    ([, control = "", state = "", where = ""]) => ({
      control,
      state,
      named: [...where.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
    }),
  );
}

/**
 * `isMissing` returns true for a path of a missing file, and for an unknown command. It ignores other names in code, such
 * as headers.
 */
function isMissing(name: string): boolean {
  if (name.startsWith("tollgate ")) return !commands.has(name.slice("tollgate ".length));
  const isPath = name.includes("/") || /^[A-Z]+\.md$/.test(name);
  return isPath && !existsSync(join(root, name));
}

test("a missing file or command is found", () => {
  assert.deepEqual(["server/src/none.test.ts", "NONE.md", "tollgate none", "__Host-"].filter(isMissing), [
    "server/src/none.test.ts",
    "NONE.md",
    "tollgate none",
  ]);
});

for (const page of pages) {
  const rows = rowsOf(page);

  test(`${page}: every file, test and command that it names exists`, () => {
    assert.ok(rows.length > 40, `${rows.length} rows`);
    assert.deepEqual(
      rows.flatMap(({ named }) => named.filter(isMissing)),
      [],
    );
  });

  test(`${page}: each fulfilled control has its evidence, and no control is listed twice`, () => {
    for (const { control, state, named } of rows) {
      assert.ok(states.includes(state), `${control}: ${state}`);
      if (state === "met") assert.ok(named.length > 0, control);
    }
    const controls = rows.map(({ control }) => control);
    assert.deepEqual(controls, [...new Set(controls)]);
  });
}
