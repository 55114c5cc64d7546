import type { Operation } from "./operation.ts";
import { problemFinder, type FindProblems } from "./problems.ts";
import { unknownFieldFinder, type FindUnknownFields } from "./unknown-fields.ts";

/**
 * The explanations that the sandbox sends next to the result. A live gateway has no teacher and sends no explanations.
 */
export interface RejectionExplainer {
  readonly problems: FindProblems;
  readonly warnings: FindUnknownFields;
}

export function explainerFor({ request, requiredFields, findWarnings }: Operation): RejectionExplainer {
  const unknownFields = unknownFieldFinder(request);
  return {
    problems: problemFinder(request, requiredFields),
    warnings: findWarnings ? (json) => [...unknownFields(json), ...findWarnings(json)] : unknownFields,
  };
}
