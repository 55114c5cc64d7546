import { Type } from "typebox";
import { NextCursor, PageRequest, pageWindow } from "../contract/page-request.ts";
import {
  Amount,
  withDescription,
  OneOf,
  PaymentId,
  RefundId,
  RefundRequestId,
  Time,
  toTime,
} from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
import { toAmount } from "../core/money.ts";
import { pageOf, toNextCursor, type Page } from "../core/page-window.ts";
import { isRefusal } from "../core/result.ts";
import { refundReversalTime, refundStatuses } from "./refund-status.schema.ts";
import { listRefunds } from "./refund.sql.ts";
import type { Refund } from "./refund.ts";

export const viewRefunds = view({
  name: "refunds",
  summary: "Lists refunds, the newest first.",
  permission: "payments.read",

  request: Type.Object({
    ...PageRequest,
    refundStatus: Type.Optional(OneOf(refundStatuses, "Only refunds with this status.")),
  }),
  response: Type.Object({
    refunds: Type.Array(
      Type.Object(
        {
          refundId: RefundId,
          refundRequestId: RefundRequestId,
          paymentId: PaymentId,
          refundStatus: OneOf(refundStatuses, "The status of the refund."),
          refundResultCode: Type.String({ maxLength: 64, description: "The reason for the status." }),
          refundAmount: withDescription(Amount, "The refunded amount."),
          refundReason: Type.Optional(
            Type.String({ maxLength: 256, description: "The reason for the refund, in your own words." }),
          ),
          createdTime: withDescription(Time, "When the refund was requested."),
          refundTime: Type.Optional(withDescription(Time, "When the refund succeeded or failed.")),
          refundReversalTime,
        },
        { title: "RefundSummary", description: "A refund." },
      ),
      { description: "The refunds, the newest first." },
    ),
    nextCursor: NextCursor,
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { refundStatus: "SUCCESS" },
    response: {
      refunds: [
        {
          refundId: "20261116141503418047602904415082637",
          refundRequestId: "order-1001-refund-1",
          paymentId: "20261115093000123047601530017744120",
          refundStatus: "SUCCESS",
          refundResultCode: "SUCCESS",
          refundAmount: { currency: "EUR", value: "350" },
          refundReason: "One coffee was cold.",
          createdTime: "2026-11-16T14:15:03+00:00",
          refundTime: "2026-11-16T14:15:04+00:00",
        },
      ],
    },
  },

  async find(call, request) {
    const window = pageWindow(request);
    if (isRefusal(window)) return window;
    const found = await listRefunds(call.tx, call, { status: request.refundStatus }, window);
    return pageOf(found, window, ({ refundId }) => refundId);
  },

  answer(page: Page<Refund>) {
    const refunds = page.items.map((refund) => ({
      refundId: refund.refundId,
      refundRequestId: refund.refundRequestId,
      paymentId: refund.paymentId,
      refundStatus: refund.status,
      refundResultCode: refund.resultCode,
      refundAmount: toAmount(refund.amount),
      ...(refund.reason !== undefined && { refundReason: refund.reason }),
      createdTime: toTime(refund.createdAt),
      ...(refund.finishedAt && { refundTime: toTime(refund.finishedAt) }),
      ...(refund.reversedAt && { refundReversalTime: toTime(refund.reversedAt) }),
    }));
    return { code: "SUCCESS", refunds, ...toNextCursor(page) };
  },
});
