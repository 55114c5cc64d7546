import { Type } from "typebox";
import { CursorOf, NextCursor, PageLimit, pageLimitDefault } from "../contract/page-request.ts";
import { withDescription, Id } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
import { pageOf, toNextCursor, type Page } from "../core/page-window.ts";
import { refuse } from "../core/result.ts";
import {
  Settlement,
  settlementExample,
  SettlementItem,
  settlementItemExample,
  toSettlement,
  toSettlementItem,
} from "./settlement.schema.ts";
import { findBatchView, listBatchItems } from "./settlement.sql.ts";
import { itemCursorOf, parseItemCursor, type BatchItem, type BatchView } from "./settlement.ts";
import { itemCursorForm } from "../core/cursor-forms.ts";

export const viewSettlement = view({
  name: "settlement",
  summary: "Returns a settlement batch with its sums, payouts and movements.",
  permission: "balance.read",

  request: Type.Object({
    batchId: withDescription(
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

  async find(call, { batchId: id, cursor, limit = pageLimitDefault }) {
    const batch = await findBatchView(call.tx, call, id);
    if (!batch) return refuse("ORDER_NOT_EXIST");
    const after = cursor === undefined ? undefined : parseItemCursor(cursor);
    const found = await listBatchItems(call.tx, call, batch.batchId, { after, limit });
    return { batch, items: pageOf(found, { limit }, itemCursorOf) };
  },

  answer({ batch, items }: { readonly batch: BatchView; readonly items: Page<BatchItem> }) {
    return {
      code: "SUCCESS",
      settlement: toSettlement(batch),
      items: items.items.map(toSettlementItem),
      ...toNextCursor(items),
    };
  },
});
