import type { Operation } from "../contract/operation.ts";
import type { Html } from "../formats/html.ts";
import { callSamples, languages, type Language } from "./call-samples.ts";
import { tabs, type Tab } from "./code-block.ts";
import { sampleCallOf, type Facts, type LibraryLanguage } from "./facts.ts";
import type { Json } from "./literal.ts";

const libraries: Readonly<Record<LibraryLanguage, string>> = {
  typescript: "TypeScript",
  java: "Java",
  php: "PHP",
  python: "Python",
  go: "Go",
};

/**
 * A request with each client library. The first example of an operation is also signed by hand, for languages without a
 * library and for readers who want to see how signing works.
 */
export function callTabs(facts: Facts, operation: Operation, request: Json, index: number): Html {
  const calls = facts.libraryCalls[operation.path]?.[index];
  const withLibrary: Tab[] = Object.entries(libraries).flatMap(([language, label]) => {
    const code = calls?.[language as LibraryLanguage];
    return code === undefined
      ? []
      : [
          {
            group: "With the library",
            value: `${language}-library`,
            label,
            language: language as LibraryLanguage,
            code,
          },
        ];
  });
  const call = sampleCallOf(facts, operation, request);
  const byHand: Tab[] = Object.entries(languages).map(([language, label]) => ({
    group: "Signed by hand",
    value: language,
    label,
    language: language as Language,
    code: callSamples[language as Language](call),
  }));
  return tabs(`call-${index}`, "Call", index === 0 ? [...withLibrary, ...byHand] : withLibrary);
}
