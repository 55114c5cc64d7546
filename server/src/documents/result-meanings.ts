import { requestValidationCodes, results, type ResultStatus } from "../core/result.ts";

/** A result code as `tollgate explain` shows it. */
export interface CodeMeaning {
  readonly code: string;
  readonly status: ResultStatus;
  readonly message: string;
  /** Whether every operation can return the code. */
  readonly isEverywhere: boolean;
}

export function resultMeanings(): readonly CodeMeaning[] {
  return Object.entries(results).map(([code, { status, message }]) => ({
    code,
    status,
    message,
    isEverywhere: requestValidationCodes.some((each) => each === code),
  }));
}
