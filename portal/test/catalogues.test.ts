import assert from "node:assert/strict";
import { test } from "node:test";
import { merchantRoles, rights, type Right } from "../../server/src/people/role.ts";
import { chinese } from "../src/languages/chinese.ts";
import { chineseOperator } from "../src/languages/chinese-operator.ts";
import { englishOperator } from "../src/languages/english-operator.ts";
import { english } from "../src/languages/english.ts";

type Part = { readonly [key: string]: Part | string };

/** All sentences of a catalogue, by their whole key. */
function sentencesOf(part: Part, above = ""): ReadonlyMap<string, string> {
  const entries = Object.entries(part).flatMap(([key, value]): (readonly [string, string])[] =>
    typeof value === "string" ? [[above + key, value]] : [...sentencesOf(value, `${above}${key}.`)],
  );
  return new Map(entries);
}

const all = {
  english: sentencesOf({ ...english, operator: englishOperator }),
  chinese: sentencesOf({ ...chinese, operator: chineseOperator }),
};
const blanksOf = (sentence = ""): readonly string[] => (sentence.match(/\{\{\w+\}\}/g) ?? []).toSorted();

test("both languages have the same keys, and each sentence the same blanks", () => {
  assert.ok(all.english.size > 200, `${all.english.size} sentences`);
  assert.deepEqual([...all.chinese.keys()].toSorted(), [...all.english.keys()].toSorted());
  for (const [key, sentence] of all.english) {
    assert.notEqual(sentence, "", key);
    assert.deepEqual(blanksOf(all.chinese.get(key)), blanksOf(sentence), key);
  }
});

test("what is Chinese is not English that was left over", () => {
  const same = [...all.english].filter(([key, sentence]) => all.chinese.get(key) === sentence);
  assert.deepEqual(same, []);
});

test("every right that a merchant's role can have has a name", () => {
  const names = (Object.keys(rights) as Right[]).filter((right) =>
    merchantRoles.some((role) => rights[right].sandbox.some((each) => each === role)),
  );
  for (const name of names) assert.ok(all.english.has(`rights.${name}`), name);
});
