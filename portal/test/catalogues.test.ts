import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { permissions } from "../../server/src/people/role.ts";
import { permissionOfAct } from "../src/generated/console.ts";
import { chinese } from "../src/languages/chinese.ts";
import { chineseOperator } from "../src/languages/chinese-operator.ts";
import { englishAudit } from "../src/languages/english-audit.ts";
import { englishOperator } from "../src/languages/english-operator.ts";
import { english } from "../src/languages/english.ts";

type Part = { readonly [key: string]: Part | string };

/** `collectSentences` returns all texts of a catalogue by their full key. */
function collectSentences(part: Part, above = ""): ReadonlyMap<string, string> {
  const entries = Object.entries(part).flatMap(([key, value]): (readonly [string, string])[] =>
    typeof value === "string" ? [[above + key, value]] : [...collectSentences(value, `${above}${key}.`)],
  );
  return new Map(entries);
}

const all = {
  english: collectSentences({ ...english, operator: englishOperator }),
  chinese: collectSentences({ ...chinese, operator: chineseOperator }),
};
const findPlaceholders = (sentence = ""): readonly string[] =>
  (sentence.match(/\{\{\w+\}\}/g) ?? []).toSorted();

test("both languages have the same keys, and each text has the same placeholders", () => {
  assert.ok(all.english.size > 200, `${all.english.size} sentences`);
  assert.deepEqual([...all.chinese.keys()].toSorted(), [...all.english.keys()].toSorted());
  for (const [key, sentence] of all.english) {
    assert.notEqual(sentence, "", key);
    assert.deepEqual(findPlaceholders(all.chinese.get(key)), findPlaceholders(sentence), key);
  }
});

test("no Chinese text is equal to the English text", () => {
  const same = [...all.english].filter(([key, sentence]) => all.chinese.get(key) === sentence);
  assert.deepEqual(same, []);
});

test("each act of a person at a gateway has a name in the audit log", () => {
  const names = Object.keys(englishAudit.acts.gateways).map((path) => path.split("/")[1] ?? "");
  assert.deepEqual(names.toSorted(), Object.keys(permissionOfAct).toSorted());
});

test("each audited act of a command has a name", async () => {
  const folder = new URL("../../server/src/", import.meta.url);
  const files = (await readdir(folder, { recursive: true })).filter((name) =>
    /(?<!test|slow)\.ts$/.test(name),
  );
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, folder), "utf8")));
  const acts = texts.flatMap((text) => [...text.matchAll(/\bact: "([a-z -]+)"/g)].map(([, act = ""]) => act));
  assert.ok(acts.length > 50, `${acts.length} acts`);
  const named = Object.keys(englishAudit.acts.provider);
  assert.deepEqual(
    [...new Set(acts)].filter((act) => !named.includes(act)),
    [],
  );
});

test("each permission has a name", () => {
  for (const name of Object.keys(permissions)) assert.ok(all.english.has(`permissions.${name}`), name);
});
