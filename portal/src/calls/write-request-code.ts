import { libraryDialects } from "../../../clients/generator/library-dialects.ts";
import { writeProgram } from "../../../clients/generator/library-program.ts";
import { callSamples, languages as namesOfLanguages } from "../../../server/src/api-docs/call-samples.ts";
import { minorDigits } from "../../../server/src/core/currency.ts";
import { apiOperations, requestTypes } from "../generated/api.ts";

export const libraryLanguages = ["typescript", "java", "php", "python", "go"] as const;
export type CodeLanguage = "curl" | (typeof libraryLanguages)[number];

export function languageName(language: CodeLanguage): string {
  return language === "go" ? "Go" : namesOfLanguages[language];
}

export interface RequestToWrite {
  readonly baseUrl: string;
  /** The path as it was sent: `/ams/sandbox/api/v1/payments/pay`. */
  readonly path: string;
  readonly clientId: string;
  readonly keyVersion: number;
  /** JSON. */
  readonly body: string;
}

/**
 * `writeRequestCode` returns the API request as program code, or the `problem` if the client library cannot express it.
 */
export function writeRequestCode(
  language: CodeLanguage,
  call: RequestToWrite,
): { readonly code: string } | { readonly problem: string } {
  try {
    const body = JSON.parse(call.body);
    if (language === "curl") return { code: callSamples.curl({ ...call, keyFile: "private.pem", body }) };
    const operation = apiOperations.find(({ path }) => call.path.endsWith(`/${path}`));
    const dialect = libraryDialects[language];
    if (!operation || !dialect) return { problem: call.path };
    return { code: writeProgram(writtenTypes, dialect, operation, body) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

const writtenTypes = {
  fieldsOf: (name: string) => requestTypes[name] ?? [],
  digitsOf: minorDigits,
};
