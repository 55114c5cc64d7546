import { Type } from "typebox";
import { inquiry } from "../contract/operation.ts";
import { CursorOf, NextCursor } from "../contract/page-request.ts";
import { withDescription, forms, Id } from "../contract/schemas.ts";
import { isAccountingDay } from "../core/accounting-day.ts";
import { pageOf, toNextCursor, type Page } from "../core/page-window.ts";
import { refuse, type Refusal } from "../core/result.ts";
import {
  convertedSettlementExample,
  Settlement,
  settlementExample,
  SettlementItem,
  settlementItemExample,
  toSettlement,
  toSettlementItem,
} from "./settlement.schema.ts";
import { findBatchView, listBatchItems, listBatchViews } from "./settlement.sql.ts";
import { itemCursorOf, parseItemCursor, type BatchItem, type BatchView } from "./settlement.ts";
import { settlementCursorForm } from "../core/cursor-forms.ts";

type Found =
  | { readonly batches: Page<BatchView> }
  | { readonly batch: BatchView; readonly items: Page<BatchItem> };

const limitDefault = 100;

export const inquireSettlements = inquiry({
  path: "tollgate/inquirySettlements",
  summary: "Lists your settlement batches, and the movements of each.",
  description:
    "Without `batchId`, lists your batches, newest first. With it, lists that batch and its movements. The " +
    "movements add up to the batch's sums, and each movement is in exactly one batch. All amounts are " +
    "changes of your balance, in minor units.",

  request: Type.Object({
    batchId: Type.Optional(
      withDescription(Id, "One batch with its movements, by its id or the id of one of its payouts."),
    ),
    currency: Type.Optional(
      Type.String({ pattern: forms.currency, description: "Only batches of this currency." }),
    ),
    fromDay: Type.Optional(
      Type.String({ pattern: forms.day, description: "Only batches with movements from this day on." }),
    ),
    toDay: Type.Optional(
      Type.String({ pattern: forms.day, description: "Only batches with movements up to this day." }),
    ),
    cursor: CursorOf(settlementCursorForm, { maxLength: 128, "x-digits": true }),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, description: "Maximum number of rows (default 100)." }),
    ),
  }),
  response: Type.Object({
    settlements: Type.Array(Settlement, { description: "The batches, newest first." }),
    items: Type.Optional(
      Type.Array(SettlementItem, { description: "The movements of the requested batch." }),
    ),
    nextCursor: NextCursor,
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED"],
  inStore: true,

  example: {
    request: { currency: "EUR", fromDay: "2026-11-16", toDay: "2026-11-16" },
    response: { settlements: [settlementExample] },
  },
  moreExamples: [
    {
      title: "Movements of a payout",
      request: { batchId: settlementExample.batchId, limit: 1 },
      response: {
        settlements: [settlementExample],
        items: [settlementItemExample],
        nextCursor: itemCursorOf({ subjectId: settlementItemExample.subjectId, effect: "payment" }),
      },
    },
    {
      title: "Paid in another currency",
      request: { currency: "EUR" },
      response: { settlements: [convertedSettlementExample] },
    },
  ],

  async find({ tx, bucket, clientId }, request): Promise<Found | Refusal<"PARAM_ILLEGAL">> {
    const { batchId, currency, fromDay, toDay, cursor, limit = limitDefault } = request;
    const key = { bucket, clientId };
    if (batchId !== undefined) {
      const batch = await findBatchView(tx, key, batchId);
      if (!batch) return refuse("PARAM_ILLEGAL", { field: "batchId", detail: "There is no such batch." });
      const after = cursor === undefined ? undefined : parseItemCursor(cursor);
      const found = await listBatchItems(tx, key, batch.batchId, { after, limit });
      return { batch, items: pageOf(found, { limit }, itemCursorOf) };
    }
    for (const [field, day] of Object.entries({ fromDay, toDay }))
      if (day !== undefined && !isAccountingDay(day))
        return refuse("PARAM_ILLEGAL", { field, detail: "There is no such day." });
    const filter = { currency, fromDay, toDay, idBefore: cursor, limit };
    const found = await listBatchViews(tx, key, filter);
    return { batches: pageOf(found, { limit }, (batch) => batch.batchId) };
  },

  answer(found: Found) {
    if ("batches" in found) {
      const { batches } = found;
      return { code: "SUCCESS", settlements: batches.items.map(toSettlement), ...toNextCursor(batches) };
    }
    const { batch, items } = found;
    return {
      code: "SUCCESS",
      settlements: [toSettlement(batch)],
      items: items.items.map(toSettlementItem),
      ...toNextCursor(items),
    };
  },
});
