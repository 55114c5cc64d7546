import { Type } from "typebox";
import { NextCursor, PageRequest, pageWindow } from "../contract/page-request.ts";
import { OneOf, PaymentId, withDescription } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
import { pageOf, toNextCursor, type Page } from "../core/page-window.ts";
import { isRefusal } from "../core/result.ts";
import { DisputeSummary, disputeStatuses, summarizeDispute } from "./dispute-summary.schema.ts";
import { listDisputes, listDisputesOfPayment } from "./dispute.sql.ts";
import type { Dispute } from "./dispute.ts";

interface DisputePage extends Page<Dispute> {
  readonly now: Date;
}

export const viewDisputes = view({
  name: "disputes",
  summary: "Lists disputes with their deadlines and possible answers, the newest first.",
  permission: "disputes.read",

  request: Type.Object({
    ...PageRequest,
    disputeStatus: Type.Optional(OneOf(disputeStatuses, "Only disputes with this status.")),
    paymentId: Type.Optional(withDescription(PaymentId, "All disputes of this payment, on one page.")),
  }),
  response: Type.Object({
    disputes: Type.Array(DisputeSummary, { description: "The disputes, the newest first." }),
    nextCursor: NextCursor,
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { disputeStatus: "CREATED" },
    response: {
      disputes: [
        {
          disputeId: "20261118101530482047605661029384756",
          paymentId: "20261115093000123047601530017744120",
          disputeType: "CHARGEBACK",
          disputeStatus: "CREATED",
          disputeAmount: { currency: "EUR", value: "1250" },
          frozenAmount: { currency: "EUR", value: "1250" },
          reasonCode: "13.1",
          reasonMessage: "The goods did not arrive.",
          createdTime: "2026-11-18T10:15:30+00:00",
          defenseDueTime: "2026-11-25T10:15:30+00:00",
          canAccept: true,
          canDefend: true,
        },
      ],
    },
  },

  async find(call, request) {
    const { tx, now } = call;
    const { paymentId, disputeStatus: status } = request;
    if (paymentId !== undefined)
      return { items: await listDisputesOfPayment(tx, call, paymentId), nextCursor: undefined, now };
    const window = pageWindow(request);
    if (isRefusal(window)) return window;
    const disputes = await listDisputes(tx, call, { status }, window);
    return { ...pageOf(disputes, window, ({ disputeId }) => disputeId), now };
  },

  answer(page: DisputePage) {
    const disputes = page.items.map((dispute) => summarizeDispute(dispute, page.now));
    return { code: "SUCCESS", disputes, ...toNextCursor(page) };
  },
});
