import type { TSchema } from "typebox";
import { Errors } from "typebox/value";
import { formatConditions, isRequired, type RequiredField } from "../core/conditional-required.ts";
import { results, type Refusal } from "../core/result.ts";
import type { JsonObject, JsonValue } from "../core/strict-json.ts";
import { amountProblem, currencyProblem } from "./amount-problem.ts";
import {
  describeForm,
  wrongCount,
  wrongForm,
  wrongType,
  type ValueProblem,
  type SchemaNode,
} from "./error-messages.ts";
import { isObject, normalise } from "./read-request.ts";

/** One problem of a request, in words: the field, the problem, and, if known, the correct value. */
export interface Problem extends ValueProblem {
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
export function problemFinder(schema: TSchema, requiredFields: readonly RequiredField[] = []): FindProblems {
  return (json, refusal) => {
    if (!isObject(json)) return [];
    const request = normalise(schema, json) as JsonObject;
    const problems = [...problemsIn(schema, request, requiredFields)];
    return refusalFirst(problems, refusal).slice(0, problemsMax);
  };
}

/**
 * Puts the rejection's problem first. If no rule of a field explains it better, the problem has the rejection's own
 * words.
 */
function refusalFirst(problems: readonly Problem[], refusal: Refusal): readonly Problem[] {
  const { field, detail, hint, refused: code } = refusal;
  if (field === undefined) return problems;
  const isOfField = (problem: Problem): boolean =>
    problem.field === field || problem.field.startsWith(`${field}.`);
  const [ofField, others] = [problems.filter(isOfField), problems.filter((problem) => !isOfField(problem))];
  if (ofField.length > 0) return [...ofField, ...others];
  const { message } = results[code];
  return [{ field, problem: [detail ?? message, hint].filter(Boolean).join(" ") }, ...others];
}

function* problemsIn(
  schema: SchemaNode,
  request: JsonObject,
  requiredFields: readonly RequiredField[],
): Iterable<Problem> {
  const applicable = requiredFields.filter((need) => isRequired(need, request));
  const missing = new Map(
    missingIn(schema, request, reasonsByField(applicable)).map((problem) => [problem.field, problem]),
  );
  yield* missing.values();
  for (const requiredField of requiredFields) {
    const missingConditions = requiredField.conditions.filter(({ field }) => missing.has(field));
    const otherConditions = requiredField.conditions.filter(
      (condition) => !missingConditions.includes(condition),
    );
    if (
      missingConditions.length !== 1 ||
      missing.has(requiredField.field) ||
      requiredField.valueIn(request) !== undefined
    )
      continue;
    if (isRequired({ ...requiredField, conditions: otherConditions }, request))
      yield {
        field: requiredField.field,
        problem: `Missing, if ${formatConditions({ ...requiredField, conditions: missingConditions })}.`,
      };
  }
  yield* malformedIn(schema, request);
}

/** The reason why a field is required, by the field's path and by the paths of the enclosing objects. */
function reasonsByField(requiredFields: readonly RequiredField[]): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  for (const requiredField of requiredFields) {
    for (let depth = 1; depth < requiredField.path.length; depth += 1) {
      const parent = requiredField.path.slice(0, depth).join(".");
      if (!reasons.has(parent)) reasons.set(parent, "");
    }
    reasons.set(requiredField.field, ` It is needed when ${formatConditions(requiredField)}.`);
  }
  return reasons;
}

/** Every required field that is absent. If an object is absent, its required fields count as absent as well. */
function missingIn(
  schema: SchemaNode,
  object: JsonObject,
  reasons: ReadonlyMap<string, string>,
  path: readonly string[] = [],
): readonly Problem[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, inner]): readonly Problem[] => {
    const steps = [...path, name];
    const field = steps.join(".");
    const value = object[name];
    if (Array.isArray(value)) return missingInList(inner, value, reasons, steps);
    if (value !== undefined && value !== "")
      return isObject(value) ? missingIn(inner, value, reasons, steps) : [];
    if (value === "" ? !reasons.has(field) : !required.includes(name) && !reasons.has(field)) return [];
    const nested = inner.properties ? missingIn(inner, {}, reasons, steps) : [];
    const problem = `Missing: ${describeForm(inner)}.${reasons.get(field) ?? ""}`;
    return nested.length > 0 ? nested : [{ field, problem }];
  });
}

function missingInList(
  { items }: SchemaNode,
  list: readonly JsonValue[],
  reasons: ReadonlyMap<string, string>,
  path: readonly string[],
): readonly Problem[] {
  if (!items) return [];
  return list.flatMap((item, index) =>
    isObject(item) ? missingIn(items, item, reasons, [...path, String(index)]) : [],
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
      const fieldProblem = schema.title === "Amount" ? amountFieldProblem(name, given, value) : undefined;
      if (fieldProblem) yield { field: [...path, name].join("."), ...fieldProblem };
      else yield* malformedIn(inner, given, [...path, name]);
    }
  } else if (schema.items) {
    if (!Array.isArray(value)) return yield { field, ...wrongType(schema, value) };
    const countProblem = wrongCount(schema, value.length);
    if (countProblem) yield { field, ...countProblem };
    for (const [index, item] of value.entries())
      yield* malformedIn(schema.items, item as JsonValue, [...path, String(index)]);
  } else {
    const [error] = Errors(schema as TSchema, value);
    if (error) yield { field, ...wrongForm(schema, value) };
  }
}

function amountFieldProblem(name: string, given: JsonValue, amount: JsonObject): ValueProblem | undefined {
  if (name === "currency") return currencyProblem(given);
  return name === "value" ? amountProblem(given, amount["currency"]) : undefined;
}
