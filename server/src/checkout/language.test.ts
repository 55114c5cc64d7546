import assert from "node:assert/strict";
import { test } from "node:test";
import {
  acceptedLanguages,
  pluralText,
  fillTemplate,
  selectLanguage,
  languages,
  regionOf,
} from "./language.ts";
import { en } from "./languages/en.ts";
import type { Forms, Texts } from "./languages/texts.ts";

const names = Object.keys(en) as (keyof Texts)[];
const formsOf = (text: string | Forms): readonly string[] =>
  typeof text === "string" ? [text] : Object.values(text);
const placesIn = (text: string): string => [...text.matchAll(/\{\w+\}/g)].map(String).toSorted().join(" ");

for (const [tag, name, texts] of languages as readonly (readonly [string, string, Texts])[]) {
  test(`${name}: every text exists, with the same placeholders, and a form for every plural category`, () => {
    assert.deepEqual(Object.keys(texts), names);
    const categories = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
    for (const each of names) {
      const text = texts[each];
      for (const form of formsOf(text)) {
        assert.ok(form.trim() === form && form !== "", `${each} is empty or has surrounding spaces`);
        // An Arabic dual means "two" by the form of the word, so the text needs no number.
        const isNumberOptional = typeof text !== "string" && placesIn(form) === "";
        if (!isNumberOptional) assert.equal(placesIn(form), placesIn(formsOf(en[each])[0] ?? ""), each);
      }
      if (typeof text !== "string")
        assert.deepEqual(
          categories.filter((category) => !(category in text)),
          [],
          `${each} lacks a form`,
        );
    }
  });
}

test("no language has English texts, except names and signs", () => {
  const sentences = names.filter((each) => typeof en[each] === "string" && en[each].length > 12);
  for (const [tag, , texts] of languages.slice(1))
    for (const each of sentences) assert.notEqual(texts[each], en[each], `${tag}: ${each}`);
});

test("the first available language is used, with any region, script or spelling", () => {
  const tagOf = (...wanted: readonly string[]): string => selectLanguage(wanted).tag;
  assert.equal(tagOf("pt_BR"), "pt");
  assert.equal(tagOf("zh-TW"), "zh-Hant");
  assert.equal(tagOf("zh-HK"), "zh-Hant");
  assert.equal(tagOf("zh-CN"), "zh-Hans");
  assert.equal(tagOf("zh"), "zh-Hans");
  assert.equal(tagOf("tl-PH"), "fil");
  assert.equal(tagOf("sv", "xx-nonsense-", "", "ko-KR", "de"), "ko");
  assert.equal(tagOf("sv"), "en");
  assert.equal(selectLanguage(["de-CH"]).locale, "de-CH");
  assert.equal(selectLanguage(["ar-EG"]).direction, "rtl");
  assert.equal(selectLanguage(["ur"]).direction, "ltr");
});

test("a browser's languages are ordered by their weights, and their region is the buyer's", () => {
  assert.deepEqual(acceptedLanguages("en;q=0.5, fil-PH, de;q=0.9, fr;q=0"), ["fil-PH", "de", "en"]);
  assert.deepEqual(acceptedLanguages(undefined), [""]);
  assert.equal(regionOf(["en", "fil-PH", "de-AT"]), "PH");
  assert.equal(regionOf(["en", "*"]), undefined);
});

test("numbers choose the plural form by the rules of the language", () => {
  const forms = (tag: string): string[] =>
    [1, 2, 3, 11, 100].map((count) => {
      const language = selectLanguage([tag]);
      return pluralText(language, language.texts.minutesLeft, count);
    });
  assert.deepEqual(forms("en"), [
    "1 minute left",
    "2 minutes left",
    "3 minutes left",
    "11 minutes left",
    "100 minutes left",
  ]);
  // Arabic has four words for minutes: for one, for two (without a number), for a few, and for many.
  assert.equal(new Set(forms("ar").map((text) => text.replaceAll(/\d/g, ""))).size, 4);
});

test("hostile text stays text when it is inserted", () => {
  assert.equal(fillTemplate("Back to {merchant}", { merchant: "<b>" }).markup, "Back to &lt;b&gt;");
  assert.equal(fillTemplate("<{merchant}>", { merchant: "x" }).markup, "&lt;x&gt;");
});
