import { Type } from "typebox";
import { CursorOf, NextCursor, PageLimit, pageLimitUsual } from "../api/page.ts";
import { described, Id } from "../api/schemas.ts";
import { view } from "../api/view.ts";
import { pageOf, toNext, type Page } from "../core/page.ts";
import { refuse } from "../core/result.ts";
import {
  Settlement,
  settlementExample,
  SettlementItem,
  settlementItemExample,
  toSettlement,
  toSettlementItem,
} from "./settlement.schema.ts";
import { findShownBatch, listBatchItems } from "./settlement.sql.ts";
import { itemCursorForm, itemCursorOf, itemPlaceOf, type BatchItem, type ShownBatch } from "./settlement.ts";

export const viewSettlement = view({
  name: "settlement",
  summary: "Shows a batch: its sums, its payouts, and the movements that it is made of.",
  right: "balance.read",

  request: Type.Object({
    batchId: described(Id, "Which one: by its own id, or by that of a payout, which your bank shows."),
    cursor: CursorOf(itemCursorForm, { maxLength: 128, "x-digits": true }),
    limit: Type.Optional(PageLimit),
  }),
  response: Type.Object({
    settlement: Settlement,
    items: Type.Array(SettlementItem, { description: "Its movements, by the records that caused them." }),
    nextCursor: NextCursor,
  }),
  results: ["SUCCESS", "ORDER_NOT_EXIST"],

  example: {
    request: { batchId: settlementExample.batchId },
    response: { settlement: settlementExample, items: [settlementItemExample] },
  },

  async find(call, { batchId: id, cursor, limit = pageLimitUsual }) {
    const batch = await findShownBatch(call.tx, call, id);
    if (!batch) return refuse("ORDER_NOT_EXIST");
    const after = cursor === undefined ? undefined : itemPlaceOf(cursor);
    const found = await listBatchItems(call.tx, call, batch.batchId, { after, limit });
    return { batch, items: pageOf(found, { limit }, itemCursorOf) };
  },

  answer({ batch, items }: { readonly batch: ShownBatch; readonly items: Page<BatchItem> }) {
    return {
      code: "SUCCESS",
      settlement: toSettlement(batch),
      items: items.items.map(toSettlementItem),
      ...toNext(items),
    };
  },
});
