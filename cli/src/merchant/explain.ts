import { resultCodes, type CodeFacts } from "../../../clients/typescript/src/generated/result-codes.ts";
import { didYouMean } from "../../../server/src/commands/did-you-mean.ts";

/** What the client libraries know of a result code, however it is written. */
export function factsOf(given: string): CodeFacts & { readonly code: string } {
  const code = given.toUpperCase();
  const facts = Object.hasOwn(resultCodes, code) ? resultCodes[code] : undefined;
  if (!facts)
    throw new Error(`There is no result code ${given}.${didYouMean(code, Object.keys(resultCodes))}`);
  return { code, ...facts };
}

/** A result code in words: what it comes as in the libraries, whether to send again, and what to do. */
export function explain(given: string): string {
  const facts = factsOf(given);
  return [
    facts.code,
    facts.advice,
    facts.error === undefined
      ? "The client libraries return it as an answer."
      : `The client libraries throw it as ${facts.error}.`,
    facts.isRetryable
      ? "The same request may be sent again as it is; they do so themselves."
      : "Sent again as it is, the request gets the same answer, or worse.",
    ...(facts.mayBeUnsigned ? ["It may come without a signature: the caller was not known yet."] : []),
    "",
  ].join("\n");
}
