import type { GeneratedFile } from "./emitter.ts";
import { libraryDialects } from "./library-dialects.ts";
import { programOf } from "./library-program.ts";
import type { Model } from "./model.ts";

/**
 * Each example of each operation as a program with each client library, for the pages at `/docs`.
 * `clients/life/library-calls.slow.ts` compiles and runs them all, and compares what they send with the example.
 */
export function libraryCalls(model: Model): GeneratedFile {
  const operations = model.areas.flatMap((area) => area.operations);
  const types = {
    fieldsOf: (name: string) => model.types.find((each) => each.name === name)?.fields ?? [],
    digitsOf: (currency: string) => model.currencies.find(({ code }) => code === currency)?.digits,
  };
  const calls = operations.map((operation) => [
    operation.path,
    operation.samples.map((request) =>
      Object.fromEntries(
        Object.entries(libraryDialects).map(([language, dialect]) => [
          language,
          programOf(types, dialect, operation, request),
        ]),
      ),
    ),
  ]);
  const text = `${JSON.stringify(Object.fromEntries(calls), undefined, 2)}\n`;
  return { path: "../server/src/api-docs/generated/library-calls.json", text };
}
