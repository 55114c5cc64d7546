import { Type } from "typebox";
import { withDescription, Time, toTime } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";

interface ClockView {
  readonly now: Date;
  readonly aheadMs: number;
}

export const viewClock = view({
  name: "clock",
  summary: "Shows the merchant's clock, which may be ahead of real time in the sandbox.",
  permission: "calls.read",

  request: Type.Object({}),
  response: Type.Object({
    time: withDescription(Time, "The time of the merchant's clock."),
    aheadSeconds: Type.Integer({ minimum: 0, description: "Seconds that the clock is ahead of real time." }),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: { request: {}, response: { time: "2026-11-22T09:31:05+00:00", aheadSeconds: 604_800 } },

  find: async ({ now, aheadMs }): Promise<ClockView> => ({ now, aheadMs }),

  answer: ({ now, aheadMs }: ClockView) => ({
    code: "SUCCESS",
    time: toTime(now),
    aheadSeconds: Math.round(aheadMs / 1000),
  }),
});
