import { Type, type Static } from "typebox";
import { OneOf, toTime } from "../contract/schemas.ts";
import { results, type ResultCode } from "../core/result.ts";
import { RequestSummaryForm } from "./request-summary.schema.ts";
import type { RequestSummary } from "./request-summary.ts";

/** An API request as the portal lists it. */
export const ApiRequestForm = Type.Object(
  {
    ...RequestSummaryForm.properties,
    resultStatus: OneOf(
      { S: "The request succeeded.", F: "The request was refused.", U: "The outcome is not known yet." },
      "The result status of the request.",
    ),
  },
  { title: "Call" },
);

export function toApiRequest({
  requestId,
  at,
  path,
  keyVersion,
  resultCode,
  durationUs,
}: RequestSummary): Static<typeof ApiRequestForm> {
  return {
    requestId,
    createdTime: toTime(at),
    path,
    keyVersion,
    resultCode,
    resultStatus: findResultStatus(resultCode),
    durationMs: Math.round(durationUs / 1000),
  };
}

/**
 * `findResultStatus` returns the status of a result code. It returns U for a code that this version does not know any more,
 * because the log may be older.
 */
function findResultStatus(code: string): "S" | "F" | "U" {
  return Object.hasOwn(results, code) ? results[code as ResultCode].status : "U";
}
