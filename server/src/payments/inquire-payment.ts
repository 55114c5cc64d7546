import { Type } from "typebox";
import { inquiry } from "../api/operation.ts";
import { Amount, Id, OneOf, Time, toTime } from "../api/schemas.ts";
import { statesOf } from "../core/lifecycle.ts";
import { toAmount } from "../core/money.ts";
import { refuse, results } from "../core/result.ts";
import { isInStore, paymentLifecycle, type Payment } from "./payment.ts";
import { findPayment, findPaymentByRequest } from "./payment.sql.ts";

export const inquirePayment = inquiry({
  path: "payments/inquiryPayment",
  summary: "Tells the status and the details of a payment.",
  description:
    "Asks by `paymentId` or by `paymentRequestId`; if both are given, `paymentId` decides. After a `pay` " +
    "whose answer was lost, ask by `paymentRequestId`. `result` speaks of the call, `paymentStatus` of the payment.",

  request: Type.Object({
    paymentId: Type.Optional(Id),
    paymentRequestId: Type.Optional(Id),
  }),

  response: Type.Object({
    paymentId: Id,
    paymentRequestId: Id,
    paymentStatus: OneOf(statesOf(paymentLifecycle), "Where the payment stands."),
    paymentResultCode: Type.String({ maxLength: 64, description: "Why the payment stands there." }),
    paymentResultMessage: Type.String({ maxLength: 256, description: "The same, for people." }),
    paymentAmount: Type.Optional(Amount),
    actualPaymentAmount: Type.Optional(Amount),
    paymentCreateTime: Time,
    paymentTime: Type.Optional(Time),
    sequence: Type.Integer({ minimum: 1, description: "Grows with every change of the payment." }),
  }),

  results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED", "ORDER_NOT_EXIST"],
  inStore: true,

  example: {
    request: { paymentId: "20261115093000123047601530017744120" },
    response: {
      paymentId: "20261115093000123047601530017744120",
      paymentRequestId: "order-1001-attempt-1",
      paymentStatus: "SUCCESS",
      paymentResultCode: "SUCCESS",
      paymentResultMessage: "success.",
      paymentAmount: { currency: "EUR", value: "1250" },
      actualPaymentAmount: { currency: "EUR", value: "1250" },
      paymentCreateTime: "2026-11-15T09:30:00+00:00",
      paymentTime: "2026-11-15T09:30:07+00:00",
      sequence: 2,
    },
  },

  async find(call, { paymentId, paymentRequestId }) {
    if (paymentId === undefined && paymentRequestId === undefined) {
      return refuse("PARAM_ILLEGAL", { field: "paymentId", detail: "Give paymentId or paymentRequestId." });
    }
    const payment =
      paymentId === undefined
        ? await findPaymentByRequest(call.tx, call, paymentRequestId ?? "")
        : await findPayment(call.tx, call, paymentId);
    if (!payment) return refuse("ORDER_NOT_EXIST");
    if (call.inStoreOnly && !isInStore(payment)) {
      return refuse("ACCESS_DENIED", {
        detail: "Online payments of the sandbox are under /ams/sandbox/api/.",
      });
    }
    return payment;
  },

  answer(payment: Payment) {
    return {
      code: "SUCCESS",
      paymentId: payment.paymentId,
      paymentRequestId: payment.paymentRequestId,
      paymentStatus: payment.status,
      paymentResultCode: payment.resultCode,
      paymentResultMessage: results[payment.resultCode].message,
      ...(payment.amount && { paymentAmount: toAmount(payment.amount) }),
      ...(payment.paidAmount && { actualPaymentAmount: toAmount(payment.paidAmount) }),
      paymentCreateTime: toTime(payment.createdAt),
      ...(payment.paidAt && { paymentTime: toTime(payment.paidAt) }),
      sequence: payment.sequence,
    };
  },
});
