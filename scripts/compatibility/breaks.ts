import {
  answerHeaders,
  matchingEntries,
  requestHeaders,
  resolveReference,
  reverseOperations,
  type Document,
  type Operation,
  type Operations,
  type Schema,
} from "./openapi-document.ts";
import { documentRules, operationRules, schemaRules, type Caller, type Rule, type Side } from "./rules.ts";

/** Accepted breaking changes, and their common reason, which is also in the changelog. */
export interface AcceptedBreaks {
  readonly breaks: readonly string[];
  readonly because: string;
}

/** Every breaking change from the old document to the new one, one per line. */
export function breaksBetween(before: Document, after: Document, caller: Caller): string[] {
  const reverseCaller = caller === "others" ? "gateway" : "others";
  return [
    ...applyRules("document", documentRules[caller], before, after),
    ...breaksOfOperations({ before, after, caller }, before.paths, after.paths),
    ...breaksOfOperations(
      { before, after, caller: reverseCaller },
      reverseOperations(before),
      reverseOperations(after),
    ),
  ];
}

/**
 * Returns breaking changes that were not accepted, accepted ones that were not found, and ones that were accepted
 * without a reason.
 */
export function unresolvedBreaks(found: readonly string[], accepted: readonly AcceptedBreaks[]): string[] {
  const texts = accepted.flatMap(({ breaks }) => breaks);
  return [
    ...found.filter((each) => !texts.includes(each)).map((each) => `breaks its callers: ${each}`),
    ...texts.filter((each) => !found.includes(each)).map((each) => `accepted, but not found: ${each}`),
    ...accepted.flatMap(({ breaks, because }) => (because.trim() ? [] : [`no reason: ${breaks.join(", ")}`])),
  ];
}

interface Comparison {
  readonly before: Document;
  readonly after: Document;
  readonly caller: Caller;
}

const sides = {
  others: { request: "taken", answer: "given" },
  gateway: { request: "given", answer: "taken" },
} as const;

function breaksOfOperations(comparison: Comparison, before: Operations, after: Operations): string[] {
  return matchingEntries(before, after).flatMap(([path, was, is]) =>
    breaksOfOperation(path.replace(/^\//, ""), comparison, was.post, is.post),
  );
}

function breaksOfOperation(at: string, comparison: Comparison, was: Operation, is: Operation): string[] {
  const { before, after, caller } = comparison;
  const [request, answer] = [`${at} request`, `${at} answer`];
  const compareRequests = newSchemaComparison(before, after, sides[caller].request);
  const compareResponses = newSchemaComparison(before, after, sides[caller].answer);
  return [
    ...applyRules(at, operationRules, was, is),
    ...compareRequests(`${request} headers`, requestHeaders(was, before), requestHeaders(is, after)),
    ...matchingEntries(was.requestBody.content, is.requestBody.content).flatMap(([, old, fresh]) =>
      compareRequests(request, old.schema, fresh.schema),
    ),
    ...matchingEntries(was.responses, is.responses).flatMap(([, one, other]) => [
      ...compareResponses(`${answer} headers`, answerHeaders(one, before), answerHeaders(other, after)),
      ...matchingEntries(one.content, other.content).flatMap(([, old, fresh]) =>
        compareResponses(answer, old.schema, fresh.schema),
      ),
    ]),
  ];
}

function newSchemaComparison(before: Document, after: Document, side: Side) {
  return function compare(at: string, one: Schema, other: Schema): string[] {
    const [was, is] = [resolveReference(one, before), resolveReference(other, after)];
    for (const schema of [was, is]) rejectUnknownKeywords(at, schema);
    const items = matchingEntries({ "[]": was.items }, { "[]": is.items });
    const fields = matchingEntries(was.properties, is.properties).map(
      ([name, ...pair]) => [`.${name}`, ...pair] as const,
    );
    return [
      ...applyRules(at, schemaRules[side], was, is),
      ...[...items, ...fields].flatMap(([name, old, fresh]) => compare(at + name, old, fresh)),
    ];
  };
}

const comparedKeywords =
  "type format default title properties required items enum pattern minLength maxLength minimum maximum minItems maxItems " +
  "x-open-enum x-digits x-digest x-needed-when";
/** Schema keywords that cannot break a caller: they are for readers, or for the gateway's own log. */
const harmlessKeywords =
  "description example examples x-secret x-personal x-address x-about x-enumDescriptions";
const knownKeywords = new Set(`${comparedKeywords} ${harmlessKeywords}`.split(" "));

/** An unknown keyword, such as `oneOf`, could hide breaking changes. */
function rejectUnknownKeywords(at: string, schema: Schema): void {
  const unknown = Object.keys(schema).find((word) => !knownKeywords.has(word));
  if (unknown) throw new Error(`${at}: no rule of scripts/compatibility reads ${unknown}; write one.`);
}

function applyRules<Part>(at: string, rules: readonly Rule<Part>[], before: Part, after: Part): string[] {
  return rules.flatMap(({ name, find }) => find(before, after).map((detail) => `${at}: ${name}: ${detail}`));
}
