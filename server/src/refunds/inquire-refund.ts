import { Type } from "typebox";
import { inquiry } from "../api/operation.ts";
import { Amount, Id, OneOf, Personal, Time, toTime } from "../api/schemas.ts";
import { statesOf } from "../core/lifecycle.ts";
import { toAmount } from "../core/money.ts";
import { refuse } from "../core/result.ts";
import { findPayment } from "../payments/payment.sql.ts";
import { isInStore } from "../payments/payment.ts";
import { findRefund, findRefundByRequest } from "./refund.sql.ts";
import { refundLifecycle, type Refund } from "./refund.ts";

export const inquireRefund = inquiry({
  path: "payments/inquiryRefund",
  summary: "Tells the status and the details of a refund.",
  description:
    "Asks by `refundId` or by `refundRequestId`; if both are given, `refundId` decides. After a `refund` " +
    "whose answer was lost, ask by `refundRequestId`. `result` speaks of the call, `refundStatus` of the refund.",

  request: Type.Object({
    refundId: Type.Optional(Id),
    refundRequestId: Type.Optional(Id),
  }),
  response: Type.Object({
    refundId: Id,
    refundRequestId: Id,
    refundAmount: Amount,
    refundStatus: OneOf(statesOf(refundLifecycle), "Where the refund stands."),
    refundTime: Type.Optional(Time),
    metadata: Type.Optional(Personal(2048)),
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

  async find(call, { refundId, refundRequestId }) {
    if (refundId === undefined && refundRequestId === undefined) {
      return refuse("PARAM_ILLEGAL", { field: "refundId", detail: "Give refundId or refundRequestId." });
    }
    const refund =
      refundId === undefined
        ? await findRefundByRequest(call.tx, call, refundRequestId ?? "")
        : await findRefund(call.tx, call, refundId);
    if (!refund) return refuse("ORDER_NOT_EXIST", { detail: "There is no such refund." });
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
      ...(refund.metadata && { metadata: refund.metadata }),
    };
  },
});
