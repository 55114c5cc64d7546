import type { Operation } from "./operation.ts";
import { problemFinder, type FindProblems } from "./problems.ts";
import { unknownFieldFinder, type FindUnknownFields } from "./unknown-fields.ts";

/** What the sandbox says beyond the result, beside it. Live has no teacher, and so says nothing of the kind. */
export interface Teacher {
  readonly problems: FindProblems;
  readonly warnings: FindUnknownFields;
}

export function teacherOf({ request, needs, warns }: Operation): Teacher {
  const unknownFields = unknownFieldFinder(request);
  return {
    problems: problemFinder(request, needs),
    warnings: warns ? (json) => [...unknownFields(json), ...warns(json)] : unknownFields,
  };
}
