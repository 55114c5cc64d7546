import { Type } from "typebox";
import { view } from "../contract/view.ts";
import { ApiRequestForm, toApiRequest } from "./api-request.schema.ts";
import type { RecentCall } from "../core/recent-call.ts";

export const viewRecentCalls = view({
  name: "recentCalls",
  summary: "Lists the last API requests in the sandbox, including those with an invalid signature.",
  description:
    "The last 50 authenticated and the last 50 unauthenticated requests, from the memory of the " +
    "responding process; each process has its own list. Anyone can send unauthenticated requests in your " +
    "name. In live the list is empty.",
  permission: "calls.read",

  request: Type.Object({}),
  response: Type.Object({
    calls: Type.Array(
      Type.Object({
        ...ApiRequestForm.properties,
        isProven: Type.Boolean({ description: "Whether the signature was valid." }),
      }),
      { description: "The requests, the newest first." },
    ),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: {},
    response: {
      calls: [
        {
          requestId: "req_01KA3Q8Z7V0000000000000000",
          createdTime: "2026-11-15T09:30:00+00:00",
          path: "/ams/sandbox/api/v1/payments/pay",
          keyVersion: 1,
          resultCode: "INVALID_SIGNATURE",
          resultStatus: "F",
          durationMs: 2,
          isProven: false,
        },
      ],
    },
  },

  find: async ({ recentCalls }) => ({ recentCalls }),

  answer({ recentCalls }: { readonly recentCalls: readonly RecentCall[] }) {
    const calls = recentCalls.map((call) => ({ ...toApiRequest(call), isProven: call.isProven }));
    return { code: "SUCCESS", calls };
  },
});
