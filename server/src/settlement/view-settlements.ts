import { Type } from "typebox";
import { NextCursor, PageRequest, windowOf } from "../contract/page.ts";
import { forms } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
import { pageOf, toNext, type Page } from "../core/page.ts";
import { isRefusal } from "../core/result.ts";
import { Settlement, settlementExample, toSettlement } from "./settlement.schema.ts";
import { listShownBatches } from "./settlement.sql.ts";
import type { ShownBatch } from "./settlement.ts";

const { cursor, limit } = PageRequest;

export const viewSettlements = view({
  name: "settlements",
  summary: "Lists the merchant's settlement batches, newest first.",
  permission: "balance.read",

  request: Type.Object({
    cursor,
    limit,
    currency: Type.Optional(Type.String({ pattern: forms.currency, description: "Only this currency." })),
  }),
  response: Type.Object({
    settlements: Type.Array(Settlement, { description: "The batches, newest first." }),
    nextCursor: NextCursor,
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: { request: { currency: "EUR" }, response: { settlements: [settlementExample] } },

  async find(call, { currency, ...asked }) {
    const window = windowOf(asked);
    if (isRefusal(window)) return window;
    const idBefore = asked.cursor;
    const found = await listShownBatches(call.tx, call, {
      currency,
      fromDay: undefined,
      toDay: undefined,
      idBefore,
      limit: window.limit,
    });
    return pageOf(found, window, ({ batchId }) => batchId);
  },

  answer(page: Page<ShownBatch>) {
    return { code: "SUCCESS", settlements: page.items.map(toSettlement), ...toNext(page) };
  },
});
