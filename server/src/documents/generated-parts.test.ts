import assert from "node:assert/strict";
import { test } from "node:test";
import { replaceBetweenMarkers, generatedParts } from "./generated-parts.ts";

const start = "<!-- beans, printed by `npm run generate` -->";
const end = "<!-- end of beans -->";

test("printed text replaces only the text between its markers", () => {
  const original = `Before.\n\n${start}\n\nold beans\n\n${end}\n\nAfter.\n`;
  const now = replaceBetweenMarkers(original, "beans", "| arabica |");
  assert.equal(now, `Before.\n\n${start}\n\n| arabica |\n\n${end}\n\nAfter.\n`);
  assert.equal(replaceBetweenMarkers(now, "beans", "| arabica |"), now);
});

test("a document without its marker fails", () => {
  for (const written of ["Before.", `${start} after`, `${end} ${start}`])
    assert.throws(() => replaceBetweenMarkers(written, "beans", ""), /There is no marker <!-- beans/);
});

test("imports are described in words: packages by their names, files by their paths", () => {
  const { imports = "" } = generatedParts["docs/internals/layout.md"] ?? {};
  assert.match(imports, /^\| noun \| pure, noun, `pdf\/create-pdf\.ts` \|$/m);
  assert.match(imports, /^\| schema \| pure, noun, schema, `contract\/schemas\.ts`, typebox \|$/m);
  assert.match(imports, /^\| core \| core, `node:crypto`, `node:net` \|$/m);
  assert.match(imports, /^\| postgres \| pure, postgres, Node, pg \|$/m);
  assert.match(imports, /^\| main \| .*, Node, any package \|$/m);
});

test("the page of commands has every option of each, with an example", () => {
  const { commands = "" } = generatedParts["docs/operating/commands.md"] ?? {};
  assert.match(commands, /^### merchant suspend \[CLIENT_ID\]\n\nReject a merchant's API requests/m);
  assert.match(commands, /^\| `--quiet-seconds N` \| Quiet time in seconds/m);
  assert.match(commands, /^tollgate payment show \d{35}$/m);
});
