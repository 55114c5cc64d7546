import { Type, type Static } from "typebox";
import { withDescription, Id, Time, toTime } from "../contract/schemas.ts";
import type { RequestSummary } from "./request-summary.ts";

export const RequestSummaryForm = Type.Object(
  {
    requestId: withDescription(
      Id,
      "Our id of the request; give it to the gateway's operator when you have a question.",
    ),
    createdTime: withDescription(Time, "When the request arrived."),
    path: Type.String({ maxLength: 2048, description: "The path of the request.", "x-address": true }),
    keyVersion: Type.Integer({ minimum: 0, description: "The version of your key that signed the request." }),
    resultCode: Type.String({ maxLength: 64, description: "The result code of the response." }),
    durationMs: Type.Integer({
      minimum: 0,
      description: "The time that the gateway needed, in milliseconds.",
    }),
  },
  { title: "RememberedRequest" },
);

export function toRequestSummaryForm(summary: RequestSummary): Static<typeof RequestSummaryForm> {
  const { at, durationUs, requestId, path, keyVersion, resultCode } = summary;
  return {
    requestId,
    createdTime: toTime(at),
    path,
    keyVersion,
    resultCode,
    durationMs: Math.round(durationUs / 1000),
  };
}
