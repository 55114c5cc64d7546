import { Type, type Static } from "typebox";
import { OneOf, toTime } from "../api/schemas.ts";
import { results, type ResultCode } from "../core/result.ts";
import { RememberedRequestForm } from "./remembered-request.schema.ts";
import type { RememberedRequest } from "./remembered-request.ts";

/** A call as people see it in a list. */
export const CallForm = Type.Object(
  {
    ...RememberedRequestForm.properties,
    resultStatus: OneOf(
      { S: "It happened.", F: "It was refused.", U: "Nobody knows yet." },
      "What the code means for the call.",
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

/** The log may be older than this program, and have a code that it does not know any more. */
function statusOf(code: string): "S" | "F" | "U" {
  return Object.hasOwn(results, code) ? results[code as ResultCode].status : "U";
}
