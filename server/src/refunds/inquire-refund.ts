import { Type } from "typebox";
import { inquiry } from "../contract/operation.ts";
import {
  Amount,
  withDescription,
  OneOf,
  Personal,
  RefundId,
  RefundRequestId,
  Time,
  toTime,
} from "../contract/schemas.ts";
import { toAmount } from "../core/money.ts";
import { refuse } from "../core/result.ts";
import { findPayment } from "../payments/payment.sql.ts";
import { isInStore } from "../payments/payment.ts";
import { findRefund, findRefundByRequest } from "./refund.sql.ts";
import { refundReversalTime, refundStatuses } from "./refund-status.schema.ts";
import type { Refund } from "./refund.ts";

export const inquireRefund = inquiry({
  path: "payments/inquiryRefund",
  summary: "Returns the status and the details of a refund.",
  description:
    "Finds the refund by `refundId` or by `refundRequestId`; if both are given, `refundId` decides. If " +
    "the response to a `refund` was lost, use `refundRequestId`. `result` is about this request, " +
    "`refundStatus` about the refund. A refund with `SUCCESS` can still become `FAIL`, weeks later, if the " +
    "buyer's bank returns the money.",

  request: Type.Object({
    refundId: Type.Optional(RefundId),
    refundRequestId: Type.Optional(RefundRequestId),
  }),
  response: Type.Object({
    refundId: RefundId,
    refundRequestId: RefundRequestId,
    refundAmount: withDescription(Amount, "The refunded amount."),
    refundStatus: OneOf(refundStatuses, "The status of the refund."),
    refundTime: Type.Optional(
      withDescription(Time, "When the payment provider returned the money; only with `SUCCESS`."),
    ),
    refundReversalTime,
    metadata: Type.Optional(Personal(2048, "Your own data from the refund request.")),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED", "ORDER_NOT_EXIST"],
  inStore: true,

  example: {
    request: { refundRequestId: "order-1001-refund-1" },
    response: {
      refundId: "20261116141503418047602904415082637",
      refundRequestId: "order-1001-refund-1",
      refundAmount: { currency: "EUR", value: "350" },
      refundStatus: "SUCCESS",
      refundTime: "2026-11-16T14:15:04+00:00",
    },
  },
  moreExamples: [
    {
      title: "Still in progress",
      request: { refundId: "20261116141503418047602904415082637" },
      response: {
        refundId: "20261116141503418047602904415082637",
        refundRequestId: "order-1001-refund-1",
        refundAmount: { currency: "EUR", value: "350" },
        refundStatus: "PROCESSING",
      },
    },
    {
      title: "Failed after it had succeeded",
      request: { refundRequestId: "order-1001-refund-1" },
      response: {
        refundId: "20261116141503418047602904415082637",
        refundRequestId: "order-1001-refund-1",
        refundAmount: { currency: "EUR", value: "350" },
        refundStatus: "FAIL",
        refundReversalTime: "2026-11-19T08:30:00+00:00",
      },
    },
  ],

  async find(call, { refundId, refundRequestId }) {
    if (refundId === undefined && refundRequestId === undefined) {
      return refuse("PARAM_ILLEGAL", { field: "refundId", detail: "Give refundId or refundRequestId." });
    }
    const refund =
      refundId === undefined
        ? await findRefundByRequest(call.tx, call, refundRequestId ?? "")
        : await findRefund(call.tx, call, refundId);
    if (!refund) return refuse("ORDER_NOT_EXIST", { detail: "The refund does not exist." });
    const payment = call.inStoreOnly ? await findPayment(call.tx, call, refund.paymentId) : undefined;
    return payment && !isInStore(payment) ? refuse("ACCESS_DENIED") : refund;
  },

  answer(refund: Refund) {
    return {
      code: "SUCCESS",
      refundId: refund.refundId,
      refundRequestId: refund.refundRequestId,
      refundAmount: toAmount(refund.amount),
      refundStatus: refund.status,
      ...(refund.status === "SUCCESS" && refund.finishedAt && { refundTime: toTime(refund.finishedAt) }),
      ...(refund.reversedAt && { refundReversalTime: toTime(refund.reversedAt) }),
      ...(refund.metadata && { metadata: refund.metadata }),
    };
  },
});
