import { resultCodes, type CodeFacts } from "../../../clients/typescript/src/generated/result-codes.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { didYouMean } from "../../../server/src/operators/framework/did-you-mean.ts";
import { alignColumns } from "../../../server/src/operators/framework/help.ts";
import { resultMeanings, type CodeMeaning } from "../../../server/src/documents/result-meanings.ts";

const codes = Object.keys(resultCodes);

/** Returns what the client libraries know about a result code. The code may be written in upper or lower case. */
export function findCode(text: string): CodeFacts & { readonly code: string } {
  const code = text.toUpperCase();
  const facts = Object.hasOwn(resultCodes, code) ? resultCodes[code] : undefined;
  if (!facts) throw new UsageError(unknownCode(text, code));
  return { code, ...facts };
}

function unknownCode(text: string, code: string): string {
  const suggestion = didYouMean(code, codes);
  const similarCodes = suggestion === "" ? findSimilarCodes(code) : [];
  const hint = similarCodes.length > 0 ? ` Codes with the same words: ${similarCodes.join(", ")}.` : "";
  return `There is no result code ${text}.${suggestion}${hint} \`tollgate explain --list\` lists all.`;
}

/** Explains a result code: its meaning, what to do, how the client libraries return it, and similar codes. */
export function explain(text: string): string {
  const facts = findCode(text);
  const { code } = facts;
  const meaning = resultMeanings().find((each) => each.code === code);
  const { status = "U", message = "", isEverywhere = false } = meaning ?? {};
  const similarCodes = findSimilarCodes(code);
  return [
    `${code}, ${status}: ${outcomes[status]}`,
    message,
    facts.advice,
    ...(isEverywhere ? ["Every operation can return it."] : []),
    facts.error === undefined
      ? "The client libraries return it as a response."
      : `The client libraries throw it as ${facts.error}.`,
    facts.isRetryable
      ? "The same request may be repeated unchanged; the client libraries do so."
      : "Do not repeat the request unchanged: it gets the same response, or causes harm.",
    ...(facts.mayBeUnsigned
      ? ["The response may be unsigned, because the caller was not authenticated yet."]
      : []),
    ...(similarCodes.length > 0 ? [`See also: ${similarCodes.join(", ")}.`] : []),
    "",
  ].join("\n");
}

const outcomes: Readonly<Record<CodeMeaning["status"], string>> = {
  S: "it happened",
  F: "it failed",
  U: "the outcome is not known yet",
};

/** Lists all result codes with their status and meaning. */
export function listCodes(): string {
  const rows = resultMeanings().map(({ code, status, message }) => [code, `${status}  ${message}`] as const);
  return `${alignColumns(rows).join("\n")}\n`;
}

const similarCodesMax = 5;
/** Words that are ignored when the similarity of two result codes is computed. */
const ignoredWords: ReadonlySet<string> = new Set(["NOT", "IS", "IN", "NO", "OF", "TO"]);

/** Codes that have words in common with this one, the most similar first. */
function findSimilarCodes(code: string): readonly string[] {
  const splitWords = (name: string): readonly string[] =>
    name.split("_").filter((word) => !ignoredWords.has(word));
  const codeWords = new Set(splitWords(code));
  const countShared = (name: string): number => splitWords(name).filter((word) => codeWords.has(word)).length;
  return codes
    .filter((name) => name !== code && countShared(name) > 0)
    .toSorted((left, right) => countShared(right) - countShared(left))
    .slice(0, similarCodesMax);
}
