import { both, resolved, type Contents, type Document, type Operation, type Schema } from "./document.ts";
import { documentRules, operationRules, schemaRules, type Rule, type Side } from "./rules.ts";

/** Breaks that we want, and the one reason for them, which the changelog tells as well. */
export interface AcceptedBreaks {
  readonly breaks: readonly string[];
  readonly because: string;
}

/** Every way in which the new document breaks whoever relies on the old one, as one line each. */
export function breaksBetween(before: Document, after: Document): string[] {
  const operations = both(before.paths, after.paths).flatMap(([path, was, is]) =>
    operationBreaks(
      { at: path.slice(1), before, after, request: "taken", answer: "given" },
      was.post,
      is.post,
    ),
  );
  // Who posts a notification is we, so that its body is what others read.
  const notifications = both(before.webhooks, after.webhooks).flatMap(([kind, was, is]) =>
    operationBreaks({ at: kind, before, after, request: "given", answer: "taken" }, was.post, is.post),
  );
  return [...brokenRules("document", documentRules, before, after), ...operations, ...notifications];
}

/** What stands between what was found and what was accepted, in both directions. */
export function unsettledBreaks(found: readonly string[], accepted: readonly AcceptedBreaks[]): string[] {
  const texts = accepted.flatMap(({ breaks }) => breaks);
  return [
    ...found.filter((each) => !texts.includes(each)).map((each) => `breaks its callers: ${each}`),
    ...texts.filter((each) => !found.includes(each)).map((each) => `accepted, but not there: ${each}`),
    ...accepted.flatMap(({ breaks, because }) => (because.trim() ? [] : [`no reason: ${breaks.join(", ")}`])),
  ];
}

interface Comparison {
  readonly at: string;
  readonly before: Document;
  readonly after: Document;
  readonly request: Side;
  readonly answer: Side;
}

function operationBreaks(comparison: Comparison, was: Operation, is: Operation): string[] {
  const { at, before, after } = comparison;
  return [
    ...brokenRules(at, operationRules, withHeaders(was, before), withHeaders(is, after)),
    ...contentBreaks(comparison, "request", was.requestBody.content, is.requestBody.content),
    ...both(was.responses, is.responses).flatMap(([, one, other]) =>
      contentBreaks(comparison, "answer", one.content, other.content),
    ),
  ];
}

function withHeaders(operation: Operation, document: Document): Operation {
  return { ...operation, parameters: operation.parameters?.map((each) => resolved(each, document)) ?? [] };
}

function contentBreaks(
  { at, before, after, ...sides }: Comparison,
  part: "request" | "answer",
  was: Contents = {},
  is: Contents = {},
): string[] {
  const compare = schemaComparison(before, after, sides[part]);
  return both(was, is).flatMap(([, one, other]) => compare(`${at} ${part}`, one.schema, other.schema));
}

function schemaComparison(before: Document, after: Document, side: Side) {
  return function compare(at: string, one: Schema, other: Schema): string[] {
    const [was, is] = [resolved(one, before), resolved(other, after)];
    for (const schema of [was, is]) refuseUnknownWords(at, schema);
    const items = both({ "[]": was.items }, { "[]": is.items });
    const fields = both(was.properties, is.properties).map(
      ([name, ...pair]) => [`.${name}`, ...pair] as const,
    );
    return [
      ...brokenRules(at, schemaRules[side], was, is),
      ...[...items, ...fields].flatMap(([name, inner, outer]) => compare(at + name, inner, outer)),
    ];
  };
}

const comparedWords =
  "type title properties required items enum pattern minLength maxLength minimum maximum minItems maxItems " +
  "x-open-enum x-digits x-digest";
/** They are for people, or for our own log. */
const harmlessWords = "description example examples x-secret x-personal x-address";
const knownWords = new Set(`${comparedWords} ${harmlessWords}`.split(" "));

/** A `oneOf` that no rule reads would let every break through. */
function refuseUnknownWords(at: string, schema: Schema): void {
  const unknown = Object.keys(schema).find((word) => !knownWords.has(word));
  if (unknown) throw new Error(`${at}: no rule of scripts/compatibility reads ${unknown}; write one.`);
}

function brokenRules<Part>(at: string, rules: readonly Rule<Part>[], before: Part, after: Part): string[] {
  return rules.flatMap(({ name, find }) => find(before, after).map((detail) => `${at}: ${name}: ${detail}`));
}
