import type { Operation } from "../contract/operation.ts";
import type { Html } from "../formats/html.ts";
import { callSamples, languages, type Language } from "./call-samples.ts";
import { codeTabs, type Tab } from "./code-block.ts";
import { sampleCallOf, type SiteFacts, type LibraryLanguage } from "./site-facts.ts";
import type { Json } from "./json-literal.ts";

const libraryNames: Readonly<Record<LibraryLanguage, string>> = {
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
export function callTabs(facts: SiteFacts, operation: Operation, request: Json, index: number): Html {
  const calls = facts.libraryCalls[operation.path]?.[index];
  const withLibrary: Tab[] = Object.entries(libraryNames).flatMap(([language, label]) => {
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
  const signedByHand: Tab[] = Object.entries(languages).map(([language, label]) => ({
    group: "Signed by hand",
    value: language,
    label,
    language: language as Language,
    code: callSamples[language as Language](call),
  }));
  return codeTabs(`call-${index}`, "Call", index === 0 ? [...withLibrary, ...signedByHand] : withLibrary);
}
