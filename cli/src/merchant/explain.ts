import { resultCodes, type CodeFacts } from "../../../clients/typescript/src/generated/result-codes.ts";
import { UsageError } from "../../../server/src/commands/command.ts";
import { didYouMean } from "../../../server/src/commands/did-you-mean.ts";
import { columns } from "../../../server/src/commands/help.ts";
import { resultMeanings, type CodeMeaning } from "../../../server/src/commands/result-meanings.ts";

const codes = Object.keys(resultCodes);

/** What the client libraries know of a result code, however it is written. */
export function factsOf(given: string): CodeFacts & { readonly code: string } {
  const code = given.toUpperCase();
  const facts = Object.hasOwn(resultCodes, code) ? resultCodes[code] : undefined;
  if (!facts) throw new UsageError(unknownCode(given, code));
  return { code, ...facts };
}

function unknownCode(given: string, code: string): string {
  const meant = didYouMean(code, codes);
  const near = meant === "" ? neighboursOf(code) : [];
  const neighbours = near.length > 0 ? ` Codes with the same words: ${near.join(", ")}.` : "";
  return `There is no result code ${given}.${meant}${neighbours} \`tollgate explain --list\` lists them all.`;
}

/** A result code in words: its meaning, what to do, how the libraries return it, and similar codes. */
export function explain(given: string): string {
  const facts = factsOf(given);
  const { code } = facts;
  const meaning = resultMeanings().find((each) => each.code === code);
  const { status = "U", message = "", isEverywhere = false } = meaning ?? {};
  const neighbours = neighboursOf(code);
  return [
    `${code}, ${status}: ${outcomes[status]}`,
    message,
    facts.advice,
    ...(isEverywhere ? ["Every operation can return it."] : []),
    facts.error === undefined
      ? "The client libraries return it as an answer."
      : `The client libraries throw it as ${facts.error}.`,
    facts.isRetryable
      ? "The same request may be sent again as it is; they do so themselves."
      : "Sent again as it is, the request gets the same answer, or worse.",
    ...(facts.mayBeUnsigned ? ["It may come without a signature: the caller was not known yet."] : []),
    ...(neighbours.length > 0 ? [`See also: ${neighbours.join(", ")}.`] : []),
    "",
  ].join("\n");
}

const outcomes: Readonly<Record<CodeMeaning["status"], string>> = {
  S: "it happened",
  F: "it did not happen",
  U: "the outcome is not known yet",
};

/** All result codes, with their status and meaning. */
export function listCodes(): string {
  const rows = resultMeanings().map(({ code, status, message }) => [code, `${status}  ${message}`] as const);
  return `${columns(rows).join("\n")}\n`;
}

const neighboursMax = 5;
/** Words that say nothing of what a code is about. */
const common: ReadonlySet<string> = new Set(["NOT", "IS", "IN", "NO", "OF", "TO"]);

/** Codes that share words with this one, those that share most first. */
function neighboursOf(code: string): readonly string[] {
  const wordsOf = (name: string): readonly string[] => name.split("_").filter((word) => !common.has(word));
  const own = new Set(wordsOf(code));
  const shared = (name: string): number => wordsOf(name).filter((word) => own.has(word)).length;
  return codes
    .filter((name) => name !== code && shared(name) > 0)
    .toSorted((one, other) => shared(other) - shared(one))
    .slice(0, neighboursMax);
}
