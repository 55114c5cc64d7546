import { Type } from "typebox";
import { view } from "../api/view.ts";
import { CallForm, toCall } from "./call.schema.ts";
import type { RecentCall } from "./recent-call.ts";

export const viewRecentCalls = view({
  name: "recentCalls",
  summary: "Lists the last calls as they come, in the sandbox; also those whose signature did not hold.",
  description:
    "The last 50 that are proven and the last 50 that are not, from the memory of the process that answers: behind several, each " +
    "knows its own. Attempts that are not proven may be anybody's. In live there are none.",
  right: "calls.read",

  request: Type.Object({}),
  response: Type.Object({
    calls: Type.Array(
      Type.Object({
        ...CallForm.properties,
        isProven: Type.Boolean({ description: "Whether the signature held." }),
      }),
      { description: "The calls, the newest first." },
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
    const calls = recentCalls.map((call) => ({ ...toCall(call), isProven: call.isProven }));
    return { code: "SUCCESS", calls };
  },
});
