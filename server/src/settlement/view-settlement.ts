import { Type } from "typebox";
import { CursorOf, NextCursor, PageLimit, pageLimitUsual } from "../contract/page.ts";
import { described, Id } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
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
import { itemCursorOf, itemPlaceOf, type BatchItem, type ShownBatch } from "./settlement.ts";
import { itemCursorForm } from "../core/cursor-forms.ts";

export const viewSettlement = view({
  name: "settlement",
  summary: "Returns a settlement batch with its sums, payouts and movements.",
  permission: "balance.read",

  request: Type.Object({
    batchId: described(
      Id,
      "Id of the batch, or of one of its payouts (the end-to-end id on your bank statement).",
    ),
    cursor: CursorOf(itemCursorForm, { maxLength: 128, "x-digits": true }),
    limit: Type.Optional(PageLimit),
  }),
  response: Type.Object({
    settlement: Settlement,
    items: Type.Array(SettlementItem, { description: "Its movements by record." }),
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
