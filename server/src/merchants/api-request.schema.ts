import { Type, type Static } from "typebox";
import { OneOf, toTime } from "../contract/schemas.ts";
import { results, type ResultCode } from "../core/result.ts";
import { RememberedRequestForm } from "./remembered-request.schema.ts";
import type { RememberedRequest } from "./remembered-request.ts";

/** An API request as the portal lists it. */
export const CallForm = Type.Object(
  {
    ...RememberedRequestForm.properties,
    resultStatus: OneOf(
      { S: "The request succeeded.", F: "The request was refused.", U: "The outcome is not known yet." },
      "The result status of the request.",
    ),
  },
  { title: "Call" },
);

export function toCall({
  requestId,
  at,
  path,
  keyVersion,
  resultCode,
  durationUs,
}: RememberedRequest): Static<typeof CallForm> {
  return {
    requestId,
    createdTime: toTime(at),
    path,
    keyVersion,
    resultCode,
    resultStatus: statusOf(resultCode),
    durationMs: Math.round(durationUs / 1000),
  };
}

/**
 * `statusOf` returns the status of a result code. It returns U for a code that this version does not know any more,
 * because the log may be older.
 */
function statusOf(code: string): "S" | "F" | "U" {
  return Object.hasOwn(results, code) ? results[code as ResultCode].status : "U";
}
