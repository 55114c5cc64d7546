import type { TSchema } from "typebox";
import { Errors } from "typebox/value";
import { conditionsInWords, isNeeded, type Need } from "../core/conditional-required.ts";
import { results, type Refusal } from "../core/result.ts";
import type { JsonObject, JsonValue } from "../core/strict-json.ts";
import { amountProblem, currencyProblem } from "./amount-problem.ts";
import { formOf, wrongCount, wrongForm, wrongType, type Fault, type SchemaNode } from "./error-messages.ts";
import { isObject, normalise } from "./read-request.ts";

/** One problem of a request, in words: the field, the problem, and, if known, the correct value. */
export interface Problem extends Fault {
  readonly field: string;
}

/** All problems of a rejected request. The problem in the rejection comes first. */
export type FindProblems = (json: JsonValue, refusal: Refusal) => readonly Problem[];

/**
 * Maximum number of reported problems, so that a body with a thousand wrong entries does not get a thousand sentences.
 */
const problemsMax = 50;

/**
 * Finds all problems of a rejected request, in the sandbox only. It walks the schema together with the request, while
 * the validator only returns yes or no. It never repeats a sent value, unless that is plainly an amount, a currency, a
 * time or a short number: responses are logged, and the wrong field may contain a secret.
 */
export function problemFinder(schema: TSchema, needs: readonly Need[] = []): FindProblems {
  return (json, refusal) => {
    if (!isObject(json)) return [];
    const request = normalise(schema, json) as JsonObject;
    const problems = [...problemsIn(schema, request, needs)];
    return withRefusal(problems, refusal).slice(0, problemsMax);
  };
}

/**
 * Puts the rejection's problem first. If no rule of a field explains it better, the problem has the rejection's own
 * words.
 */
function withRefusal(problems: readonly Problem[], refusal: Refusal): readonly Problem[] {
  const { field, detail, hint, refused } = refusal;
  if (field === undefined) return problems;
  const isNamed = (one: Problem): boolean => one.field === field || one.field.startsWith(`${field}.`);
  const [named, others] = [problems.filter(isNamed), problems.filter((one) => !isNamed(one))];
  if (named.length > 0) return [...named, ...others];
  const { message } = results[refused];
  return [{ field, problem: [detail ?? message, hint].filter(Boolean).join(" ") }, ...others];
}

function* problemsIn(schema: SchemaNode, request: JsonObject, needs: readonly Need[]): Iterable<Problem> {
  const certain = needs.filter((need) => isNeeded(need, request));
  const missing = new Map(missingIn(schema, request, needing(certain)).map((one) => [one.field, one]));
  yield* missing.values();
  for (const need of needs) {
    const open = need.when.filter(({ field }) => missing.has(field));
    const others = need.when.filter((one) => !open.includes(one));
    if (open.length !== 1 || missing.has(need.field) || need.valueIn(request) !== undefined) continue;
    if (isNeeded({ ...need, when: others }, request))
      yield { field: need.field, problem: `Missing, if ${conditionsInWords({ ...need, when: open })}.` };
  }
  yield* malformedIn(schema, request);
}

/** The reason why a field is required, by the field's path and by the paths of the enclosing objects. */
function needing(needs: readonly Need[]): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  for (const need of needs) {
    for (let depth = 1; depth < need.path.length; depth += 1) {
      const around = need.path.slice(0, depth).join(".");
      if (!reasons.has(around)) reasons.set(around, "");
    }
    reasons.set(need.field, ` It is needed when ${conditionsInWords(need)}.`);
  }
  return reasons;
}

/** Every required field that is absent. If an object is absent, its required fields count as absent as well. */
function missingIn(
  schema: SchemaNode,
  object: JsonObject,
  needed: ReadonlyMap<string, string>,
  path: readonly string[] = [],
): readonly Problem[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, inner]): readonly Problem[] => {
    const steps = [...path, name];
    const field = steps.join(".");
    const value = object[name];
    if (Array.isArray(value)) return missingInList(inner, value, needed, steps);
    if (value !== undefined && value !== "")
      return isObject(value) ? missingIn(inner, value, needed, steps) : [];
    if (value === "" ? !needed.has(field) : !required.includes(name) && !needed.has(field)) return [];
    const inside = inner.properties ? missingIn(inner, {}, needed, steps) : [];
    const problem = `Missing: ${formOf(inner)}.${needed.get(field) ?? ""}`;
    return inside.length > 0 ? inside : [{ field, problem }];
  });
}

function missingInList(
  { items }: SchemaNode,
  list: readonly JsonValue[],
  needed: ReadonlyMap<string, string>,
  path: readonly string[],
): readonly Problem[] {
  if (!items) return [];
  return list.flatMap((item, index) =>
    isObject(item) ? missingIn(items, item, needed, [...path, String(index)]) : [],
  );
}

/** Every present field with an invalid value. */
function* malformedIn(schema: SchemaNode, value: JsonValue, path: readonly string[] = []): Iterable<Problem> {
  const field = path.join(".");
  if (schema.properties) {
    if (!isObject(value)) return yield { field, ...wrongType(schema, value) };
    for (const [name, inner] of Object.entries(schema.properties)) {
      const given = value[name];
      if (given === undefined) continue;
      const special = schema.title === "Amount" ? amountFault(name, given, value) : undefined;
      if (special) yield { field: [...path, name].join("."), ...special };
      else yield* malformedIn(inner, given, [...path, name]);
    }
  } else if (schema.items) {
    if (!Array.isArray(value)) return yield { field, ...wrongType(schema, value) };
    const fault = wrongCount(schema, value.length);
    if (fault) yield { field, ...fault };
    for (const [index, item] of value.entries())
      yield* malformedIn(schema.items, item as JsonValue, [...path, String(index)]);
  } else {
    const [error] = Errors(schema as TSchema, value);
    if (error) yield { field, ...wrongForm(schema, value) };
  }
}

function amountFault(name: string, given: JsonValue, amount: JsonObject): Fault | undefined {
  if (name === "currency") return currencyProblem(given);
  return name === "value" ? amountProblem(given, amount["currency"]) : undefined;
}
