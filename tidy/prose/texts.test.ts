import assert from "node:assert/strict";
import { test } from "node:test";
import { otherTexts } from "./other-texts.ts";
import { proseOf, type Text } from "./text.ts";
import { typescriptTexts } from "./typescript-texts.ts";

const listedTexts = (source: string, texts: readonly Text[]): string[] =>
  texts.map(({ kind, start, end }) => `${kind}: ${source.slice(start, end)}`);
const typescript = (source: string, path = "server/src/a.ts"): string[] =>
  listedTexts(source, typescriptTexts(path, source));
const other = (ending: string, source: string): string[] =>
  listedTexts(source, otherTexts(`a${ending}`, source));

test("comment marks in strings, templates and regular expressions start no comment", () => {
  const source = [
    'const url = "https://a.example/*b*/"; // one',
    "const text = `// ${ /* two */ size } /* ${`// ${1 /* three */}`}`;",
    "const slashes = /\\/\\/[/*]+/.exec(line) ?? a / b; // four",
    "const jsx = '// five';",
  ].join("\n");
  assert.deepEqual(typescript(source), [
    "comment: // one",
    "comment: /* two */",
    "comment: /* three */",
    "comment: // four",
  ]);
});

test("a comment in JSX is a comment, and similar text in JSX text is not", () => {
  const source = "const a = <p title='// no'>see // here {/* yes */}</p>;";
  assert.deepEqual(typescript(source, "portal/src/a.tsx"), ["comment: /* yes */"]);
});

test("block comments do not nest", () => {
  assert.deepEqual(typescript("/* a /* b */ c(); /** d // e */ f();"), [
    "comment: /* a /* b */",
    "comment: /** d // e */",
  ]);
});

test("consecutive line comments are one text, and others are separate", () => {
  const source = "// kept for\n  // ever\n\n// apart\na(); // behind\n/* block */\n// after";
  assert.deepEqual(typescript(source), [
    "comment: // kept for\n  // ever",
    "comment: // apart",
    "comment: // behind",
    "comment: /* block */",
    "comment: // after",
  ]);
});

test("offsets are UTF-16 code units, also after characters of two units", () => {
  assert.deepEqual(typescript('const a = "😀 Łódź"; // here'), ["comment: // here"]);
});

test("a sentence in a string is a message; a name, a key and a statement are not", () => {
  const source =
    'fail("The payment was not found.", "payment not found"); sql`select one from a_table -- why\n`; run("select a from b where c");';
  assert.deepEqual(typescript(source), ['message: "The payment was not found."', "comment: -- why"]);
});

test("in a test, names are messages and data is not", () => {
  const source = 'test("the caller gets an answer", () => { send("one two three four five"); });';
  assert.deepEqual(typescript(source, "server/src/a.test.ts"), ['message: "the caller gets an answer"']);
});

test("each text of the portal is a label, however short", () => {
  const source = 'export const english = { calls: "Calls" };';
  assert.deepEqual(typescript(source, "portal/src/languages/english-calls.ts"), ['label: "Calls"']);
});

test("a file that the parser cannot read is an error and is not skipped", () => {
  assert.throws(() => typescript("const = ;"), /oxc cannot parse it/);
});

test("comments of other languages, and no comments inside their strings", () => {
  assert.deepEqual(other(".java", 'a("// no", \'"\', """\n/* no */""", 1); // yes'), ["comment: // yes"]);
  assert.deepEqual(other(".go", 'a(`// no`, \'"\', "\\"// no") /* yes */'), ["comment: /* yes */"]);
  assert.deepEqual(other(".php", "#[Attribute]\na('# no', \"// no\"); # yes"), ["comment: # yes"]);
  assert.deepEqual(other(".py", 'a("# no")\n"""Docstring."""\nb = """# no"""  # yes'), [
    'comment: """Docstring."""',
    "comment: # yes",
  ]);
  assert.deepEqual(other(".css", "a { background: url(//no); content: '/* no */' } /* yes */"), [
    "comment: /* yes */",
  ]);
  assert.deepEqual(other(".sh", "#!/bin/sh\necho ${a#b} '# no' # not read\n# yes"), ["comment: # yes"]);
  assert.deepEqual(
    other(".sql", "select '-- no', \"--no\"; -- yes\nraise exception 'it is not there yet, try again';"),
    ["comment: -- yes", "message: 'it is not there yet, try again'"],
  );
});

test("prose has the length of its text, without marks, code and URLs", () => {
  const raw = "/**\n * Sends `a` to\n * https://a.example/b from docs/a/b.md\n */";
  const prose = proseOf(raw, "comment");
  assert.equal(prose.length, raw.length);
  assert.deepEqual(prose.match(/[^\s◦]+/g), ["Sends", "to", "from"]);
});
