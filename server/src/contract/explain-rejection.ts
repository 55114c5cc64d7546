import type { Operation } from "./operation.ts";
import { problemFinder, type FindProblems } from "./problems.ts";
import { unknownFieldFinder, type FindUnknownFields } from "./unknown-fields.ts";

/**
 * The explanations that the sandbox sends next to the result. A live gateway has no teacher and sends no explanations.
 */
export interface Teacher {
  readonly problems: FindProblems;
  readonly warnings: FindUnknownFields;
}

export function explainerFor({ request, needs, warns }: Operation): Teacher {
  const unknownFields = unknownFieldFinder(request);
  return {
    problems: problemFinder(request, needs),
    warnings: warns ? (json) => [...unknownFields(json), ...warns(json)] : unknownFields,
  };
}
