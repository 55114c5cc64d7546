import { Type } from "typebox";
import { inquiry } from "../contract/operation.ts";
import { withDescription, Id, Time } from "../contract/schemas.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { refuse } from "../core/result.ts";
import { RequestSummaryForm, toRequestSummaryForm } from "./request-summary.schema.ts";
import type { RequestSummary } from "./request-summary.ts";
import { listRequests } from "./request-log.sql.ts";

interface RequestList {
  readonly requests: readonly RequestSummary[];
}

const defaultLimit = 100;
const hourMs = 3_600_000;

export const inquireRequests = inquiry({
  path: "tollgate/inquiryRequests",
  summary: "Lists your API requests and their results.",
  description:
    "Returns the newest requests in the order of their arrival, by the real clock; the default is the " +
    "last hour. A request appears about a second after its response. Requests with an invalid signature " +
    "are not stored, because anyone can send them; neither are bodies. This log is for people: under " +
    "overload, requests are left out.",

  request: Type.Object({
    createdFrom: Type.Optional(
      withDescription(Time, "Only requests at or after this time (default: one hour ago)."),
    ),
    createdUntil: Type.Optional(withDescription(Time, "Only requests before this time (default: now).")),
    resultCode: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: "Only requests with this result code.",
      }),
    ),
    requestId: Type.Optional(withDescription(Id, "Only the request with this id.")),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, description: "Maximum number of requests (default 100)." }),
    ),
  }),
  response: Type.Object({
    requests: Type.Array(RequestSummaryForm, { description: "The requests, the oldest first." }),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED"],
  inStore: true,

  example: {
    request: { resultCode: "PARAM_ILLEGAL", limit: 10 },
    response: {
      requests: [
        {
          requestId: "req_01KA3Q8Z7V0000000000000000",
          createdTime: "2026-11-15T09:30:00+00:00",
          path: "/ams/sandbox/api/v1/payments/pay",
          keyVersion: 1,
          resultCode: "PARAM_ILLEGAL",
          durationMs: 2,
        },
      ],
    },
  },

  async find(call, request) {
    const { createdFrom, createdUntil, resultCode, requestId, limit = defaultLimit } = request;
    // The request log uses the real clock, and the merchant's test clock may be ahead of it.
    const nowMs = call.now.getTime() - call.aheadMs;
    const untilMs = createdUntil === undefined ? nowMs + hourMs : parseRequestTime(createdUntil);
    if (untilMs === undefined) return refuse("PARAM_ILLEGAL", { field: "createdUntil" });
    const fromMs =
      createdFrom === undefined ? Math.min(nowMs, untilMs) - hourMs : parseRequestTime(createdFrom);
    if (fromMs === undefined) return refuse("PARAM_ILLEGAL", { field: "createdFrom" });
    const selection = { from: new Date(fromMs), until: new Date(untilMs), resultCode, requestId, limit };
    const list: RequestList = { requests: await listRequests(call.tx, call, selection) };
    return list;
  },

  answer({ requests }: RequestList) {
    return { code: "SUCCESS", requests: requests.map(toRequestSummaryForm) };
  },
});
