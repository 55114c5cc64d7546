import { Type } from "typebox";
import { inquiry } from "../api/operation.ts";
import { described, Id, Time } from "../api/schemas.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { refuse } from "../core/result.ts";
import { RememberedRequestForm, toRemembered } from "./remembered-request.schema.ts";
import type { RememberedRequest } from "./remembered-request.ts";
import { listRequests } from "./request-log.sql.ts";

interface Found {
  readonly requests: readonly RememberedRequest[];
}

const limitUsual = 100;
const hourMs = 3_600_000;

export const inquireRequests = inquiry({
  path: "tollgate/inquiryRequests",
  summary: "Shows the calls that you made, and how each was answered.",
  description:
    "The newest, in the order in which they came, by the real clock; of the last hour unless you say otherwise. A call appears " +
    "about a second after its answer. One whose signature did not hold is not remembered, because anybody can send those, and " +
    "neither are bodies. This log is for people: when there is too much to do, calls are left out of it.",

  request: Type.Object({
    createdFrom: Type.Optional(
      described(Time, "Only calls from then on; an hour ago unless you say otherwise."),
    ),
    createdUntil: Type.Optional(described(Time, "Only calls before then; now unless you say otherwise.")),
    resultCode: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: "Only calls that were answered with this code.",
      }),
    ),
    requestId: Type.Optional(described(Id, "Only the call of this name.")),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, description: "At most so many; 100 unless said otherwise." }),
    ),
  }),
  response: Type.Object({
    requests: Type.Array(RememberedRequestForm, { description: "The calls, the oldest first." }),
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
    const { createdFrom, createdUntil, resultCode, requestId, limit = limitUsual } = request;
    // The log is written by the real clock, and the merchant's may be ahead of it.
    const nowMs = call.now.getTime() - call.aheadMs;
    const untilMs = createdUntil === undefined ? nowMs + hourMs : parseRequestTime(createdUntil);
    if (untilMs === undefined) return refuse("PARAM_ILLEGAL", { field: "createdUntil" });
    const fromMs =
      createdFrom === undefined ? Math.min(nowMs, untilMs) - hourMs : parseRequestTime(createdFrom);
    if (fromMs === undefined) return refuse("PARAM_ILLEGAL", { field: "createdFrom" });
    const selection = { from: new Date(fromMs), until: new Date(untilMs), resultCode, requestId, limit };
    const found: Found = { requests: await listRequests(call.tx, call, selection) };
    return found;
  },

  answer({ requests }: Found) {
    return { code: "SUCCESS", requests: requests.map(toRemembered) };
  },
});
