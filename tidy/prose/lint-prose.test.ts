import assert from "node:assert/strict";
import { test } from "node:test";
import { lintProse, proseFiles } from "./lint-prose.ts";
import { rateRule, sentenceRule, wordRule } from "./prose-rule.ts";
import { rateWords } from "./words.ts";

const rules = { words: wordRule, sentences: sentenceRule(35) };
const findingsFor = async (path: string, text: string): Promise<string[]> =>
  (await lintProse({ path, text }, rules)).map(
    ({ line, message }) => `${line}: ${message.replace(/ -> .*/, "")}`,
  );

test("a word is found in Markdown with its line, and not in code, links and generated parts", async () => {
  const page = [
    "# Kept for ever",
    "",
    "Text with `nobody`, [a link](nobody.md) and **some",
    "body** and nobody.",
    "",
    "```sh",
    "nobody",
    "```",
    "",
    "| a | kept for ever |",
    "| --- | --- |",
    "| `anew` | anew |",
    "",
    "<!-- table, printed by `npm run generate` -->",
    "nobody",
    "<!-- end of table -->",
    "Never anew.",
  ].join("\n");
  assert.deepEqual(await findingsFor("docs/a.md", page), [
    "1: for ever",
    "4: nobody",
    "10: for ever",
    "12: anew",
    "17: anew",
  ]);
});

test("released versions of a changelog are not linted", async () => {
  const text = "# Changelog\n\n## Unreleased\n\n- Nobody.\n\n## 1.0.0, 2026-11-17\n\n- Nobody.\n";
  assert.deepEqual(await findingsFor("CHANGELOG.md", text), ["5: Nobody"]);
});

test("a term across a line end is found at its beginning", async () => {
  assert.deepEqual(await findingsFor("server/src/a.ts", "a();\n// kept for\n// ever"), ["2: for ever"]);
  assert.deepEqual(await findingsFor("docs/a.md", "Kept for\never."), ["1: for ever"]);
});

test("parts of identifiers and compounds do not match", async () => {
  assert.deepEqual(
    await findingsFor("server/src/a.ts", "// nobodyElse, told-news, is_told, ClientNobody"),
    [],
  );
});

test("a sentence of a document has at most 35 words, with code as one word; a sentence of a comment may be longer", async () => {
  const words = (count: number): string => `The ${"word ".repeat(count - 2)}\`a b c\`.`;
  assert.deepEqual(await findingsFor("docs/a.md", `${words(35)}\n${words(36)}`), ["2: 36 words"]);
  assert.deepEqual(await findingsFor("server/src/a.ts", `// ${words(50)}`), []);
});

test("a rate counts documents and comments separately, and no messages", async () => {
  const rates = { documents: { words: 0, found: 0 }, comments: { words: 0, found: 0 } };
  const rate = { rate: rateRule(rateWords, rates) };
  await lintProse({ path: "docs/a.md", text: "Nobody is told, for\never." }, rate);
  await lintProse(
    { path: "server/src/a.ts", text: '// Beside it.\nfail("Nobody was there at all.");' },
    rate,
  );
  assert.deepEqual(rates, { documents: { words: 5, found: 3 }, comments: { words: 2, found: 1 } });
});

test("generated files and pages of evidence are not read, unless they are written by hand", () => {
  const attributes = "models/** linguist-generated\nmodels/own.py -linguist-generated\n";
  const paths = [
    "a.ts",
    "a.png",
    "models/a.py",
    "models/own.py",
    "a/generated/b.ts",
    "docs/evidence/a.md",
    "docs/evidence/README.md",
  ];
  const tree = [{ path: ".gitattributes", text: attributes }, ...paths.map((path) => ({ path, text: "" }))];
  assert.deepEqual(
    proseFiles(tree).map(({ path }) => path),
    ["a.ts", "models/own.py", "docs/evidence/README.md"],
  );
});
