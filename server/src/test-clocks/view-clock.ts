import { Type } from "typebox";
import { described, Time, toTime } from "../api/schemas.ts";
import { view } from "../api/view.ts";

interface Shown {
  readonly now: Date;
  readonly aheadMs: number;
}

export const viewClock = view({
  name: "clock",
  summary: "Shows the merchant's clock, which in the sandbox may be ahead of real time.",
  right: "calls.read",

  request: Type.Object({}),
  response: Type.Object({
    time: described(Time, "What the merchant's clock shows."),
    aheadSeconds: Type.Integer({ minimum: 0, description: "How far it is ahead of real time." }),
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
