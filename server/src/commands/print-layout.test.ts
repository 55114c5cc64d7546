import assert from "node:assert/strict";
import { test } from "node:test";
import { between, printed } from "./print-layout.ts";

const start = "<!-- beans, printed by `npm run generate` -->";
const end = "<!-- end of beans -->";

test("what is printed takes the place of what stood between its markers, and of nothing else", () => {
  const written = `Before.\n\n${start}\n\nold beans\n\n${end}\n\nAfter.\n`;
  const now = between(written, "beans", "| arabica |");
  assert.equal(now, `Before.\n\n${start}\n\n| arabica |\n\n${end}\n\nAfter.\n`);
  assert.equal(between(now, "beans", "| arabica |"), now);
});

test("a document that has lost a marker is not passed over", () => {
  for (const written of ["Before.", `${start} after`, `${end} ${start}`])
    assert.throws(() => between(written, "beans", ""), /There is no place marked <!-- beans/);
});

test("imports are told in words: packages by their names, files by their paths", () => {
  const { imports = "" } = printed["ARCHITECTURE.md"] ?? {};
  assert.match(imports, /^\| noun \| core, noun \|$/m);
  assert.match(imports, /^\| schema \| core, noun, schema, `api\/schemas\.ts`, typebox \|$/m);
  assert.match(imports, /^\| core \| core, `node:crypto` \|$/m);
  assert.match(imports, /^\| postgres \| core, postgres, Node, pg \|$/m);
  assert.match(imports, /^\| main \| .*, Node, any package \|$/m);
});

test("the page of commands has every option of each, with an example", () => {
  const { commands = "" } = printed["docs/operating/commands.md"] ?? {};
  assert.match(commands, /^### merchant suspend \[CLIENT_ID\]\n\nRefuse a merchant's calls/m);
  assert.match(commands, /^\| `--quiet-seconds N` \| how long after/m);
  assert.match(commands, /^tollgate payment show \d{35}$/m);
});
