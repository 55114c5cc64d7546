import { Type } from "typebox";
import { described, Time, toTime } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";

interface Shown {
  readonly now: Date;
  readonly aheadMs: number;
}

export const viewClock = view({
  name: "clock",
  summary: "Shows the merchant's clock, which may be ahead of real time in the sandbox.",
  permission: "calls.read",

  request: Type.Object({}),
  response: Type.Object({
    time: described(Time, "The time of the merchant's clock."),
    aheadSeconds: Type.Integer({ minimum: 0, description: "Seconds that the clock is ahead of real time." }),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: { request: {}, response: { time: "2026-11-22T09:31:05+00:00", aheadSeconds: 604_800 } },

  find: async ({ now, aheadMs }): Promise<Shown> => ({ now, aheadMs }),

  answer: ({ now, aheadMs }: Shown) => ({
    code: "SUCCESS",
    time: toTime(now),
    aheadSeconds: Math.round(aheadMs / 1000),
  }),
});
