import type { GeneratedFile } from "./emitter.ts";
import { libraryDialects } from "./library-dialects.ts";
import { writeProgram } from "./library-program.ts";
import type { Model } from "./model.ts";

/**
 * Generates, for each example of each operation, a program with each client library; the pages at `/docs`
 * show them. `clients/life/library-calls.slow.ts` compiles and runs all of them and compares their requests
 * with the example.
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
          writeProgram(types, dialect, operation, request),
        ]),
      ),
    ),
  ]);
  const text = `${JSON.stringify(Object.fromEntries(calls), undefined, 2)}\n`;
  return { path: "../server/src/api-docs/generated/library-calls.json", text };
}
