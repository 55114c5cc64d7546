import { Type } from "typebox";
import { NextCursor, PageRequest, pageWindow } from "../contract/page-request.ts";
import { forms } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
import { pageOf, toNextCursor, type Page } from "../core/page-window.ts";
import { isRefusal } from "../core/result.ts";
import { Settlement, settlementExample, toSettlement } from "./settlement.schema.ts";
import { listBatchViews } from "./settlement.sql.ts";
import type { BatchView } from "./settlement.ts";

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

  async find(call, { currency, ...pageRequest }) {
    const window = pageWindow(pageRequest);
    if (isRefusal(window)) return window;
    const idBefore = pageRequest.cursor;
    const found = await listBatchViews(call.tx, call, {
      currency,
      fromDay: undefined,
      toDay: undefined,
      idBefore,
      limit: window.limit,
    });
    return pageOf(found, window, ({ batchId }) => batchId);
  },

  answer(page: Page<BatchView>) {
    return { code: "SUCCESS", settlements: page.items.map(toSettlement), ...toNextCursor(page) };
  },
});
