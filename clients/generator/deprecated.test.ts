import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Emitter } from "./emitter.ts";
import { go } from "./go.ts";
import { java } from "./java.ts";
import { buildModel } from "./model.ts";
import type { Document, Schema } from "./openapi-document.ts";
import { php } from "./php.ts";
import { python } from "./python.ts";
import { typescript } from "./typescript.ts";

const path = join(import.meta.dirname, "../../server/openapi.json");
const readDocument = (): Document => JSON.parse(readFileSync(path, "utf8")) as Document;
const replacement = "Use `somethingNewer` instead.";

/**
 * For each language, the patterns of a deprecated field and a deprecated operation that editors and compilers
 * recognise.
 */
const deprecationPatterns: readonly (readonly [Emitter, file: string, field: RegExp, operation: RegExp])[] = [
  [
    typescript,
    "typescript/src/generated/",
    / \* @deprecated Use `somethingNewer` instead\.\n {3}\*\/\n {2}readonly paymentId\?/,
    / \* @deprecated Use `somethingNewer` instead\.\n {3}\*\/\n {2}pay\(/,
  ],
  [
    java,
    "java/src/main/java/io/tollgate/",
    /@deprecated Use \{@code somethingNewer\} instead\.\n {3}\*\/\n {2}@Deprecated\n {2}public String paymentId\(\)/,
    /@deprecated Use \{@code somethingNewer\} instead\.\n {3}\*\/\n {2}@Deprecated\n {2}public PayResponse pay\(/,
  ],
  [
    php,
    "php/src/",
    /@deprecated Use `somethingNewer` instead\.\n {9}\*\/\n {8}public readonly \?string \$paymentId/,
    /@deprecated Use `somethingNewer` instead\.\n {5}\*\/\n {4}public function pay\(/,
  ],
  [
    python,
    "python/src/",
    / {4}payment_id: str \| None = None\n(?: {4}.*\n|\n)*? {4}Deprecated: Use `somethingNewer` instead\.\n/,
    /warnings\.warn\("Use `somethingNewer` instead\.", DeprecationWarning, stacklevel=2\)\n/,
  ],
  [
    go,
    "go/",
    /\t\/\/\n\t\/\/ Deprecated: Use `somethingNewer` instead\.\n\tPaymentID string/,
    /\/\/\n\/\/ Deprecated: Use `somethingNewer` instead\.\nfunc \(a \*PaymentsArea\) Pay\(/,
  ],
];

for (const [emitter, folder, field, operation] of deprecationPatterns)
  test(`${emitter.language} marks a deprecated field and a deprecated operation`, () => {
    const generatedText = (document: Document): string =>
      emitter
        .emit(buildModel(document))
        .filter((each) => each.path.startsWith(folder))
        .map(({ text }) => text)
        .join("\n");
    const generated = generatedText(
      withDeprecations(readDocument(), { deprecated: true, "x-deprecated": replacement }),
    );
    assert.match(generated, field);
    assert.match(generated, operation);
    assert.doesNotMatch(generatedText(readDocument()), /somethingNewer/);
  });

test("a deprecation must name its replacement", () => {
  assert.throws(() => buildModel(withDeprecations(readDocument(), { deprecated: true })), /x-deprecated/);
});

/** The document with `payments/pay` and the `paymentId` of its response marked as deprecated. */
function withDeprecations(document: Document, mark: object): Document {
  const pay = document.paths["/payments/pay"]?.post;
  const answer = pay?.responses["200"]?.content?.["application/json"]?.schema;
  assert.ok(pay && answer?.properties);
  Object.assign(pay, mark);
  const paymentId: Schema | undefined = answer.properties["paymentId"];
  assert.ok(paymentId);
  Object.assign(paymentId, mark);
  return document;
}
