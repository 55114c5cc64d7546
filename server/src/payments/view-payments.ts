import { Type } from "typebox";
import { NextCursor, PageRequest, windowOf } from "../api/page.ts";
import { forms, OneOf } from "../api/schemas.ts";
import { view } from "../api/view.ts";
import { pageOf, toNext, type Page } from "../core/page.ts";
import { isRefusal } from "../core/result.ts";
import { PaymentSummary, paymentStatuses, summaryOf } from "./payment-summary.schema.ts";
import { listPayments } from "./payment.sql.ts";
import type { Payment } from "./payment.ts";

const Minor = (description: string) =>
  Type.Optional(Type.String({ pattern: forms.amount, description, "x-digits": true }));

export const viewPayments = view({
  name: "payments",
  summary: "Lists payments, the newest first.",
  description:
    "By the time at which they were taken in. A filter that fits few payments of many is slow: name a window of time with it.",
  right: "payments.read",

  request: Type.Object({
    ...PageRequest,
    paymentStatus: Type.Optional(OneOf(paymentStatuses, "Only what stands there.")),
    paymentMethodType: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: "Only what is paid so." }),
    ),
    currency: Type.Optional(Type.String({ pattern: forms.currency, description: "Only this currency." })),
    amountFrom: Minor("Only from this amount on, in the currency's smallest unit."),
    amountUntil: Minor("Only up to this amount, in the currency's smallest unit."),
  }),
  response: Type.Object({
    payments: Type.Array(PaymentSummary, { description: "The payments, the newest first." }),
    nextCursor: NextCursor,
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { paymentStatus: "SUCCESS", currency: "EUR", amountFrom: "1000", limit: 1 },
    response: {
      payments: [
        {
          paymentId: "20261115093000123047601530017744120",
          paymentRequestId: "order-1001-attempt-1",
          paymentStatus: "SUCCESS",
          paymentResultCode: "SUCCESS",
          productCode: "CASHIER_PAYMENT",
          paymentMethodType: "GCASH",
          wallet: "sandbox-wallet",
          orderDescription: "Two coffees",
          paymentAmount: { currency: "EUR", value: "1250" },
          actualPaymentAmount: { currency: "EUR", value: "1250" },
          capturedAmount: { currency: "EUR", value: "1250" },
          paymentCreateTime: "2026-11-15T09:30:00+00:00",
          paymentTime: "2026-11-15T09:30:07+00:00",
          paymentExpiryTime: "2026-11-15T09:44:00+00:00",
        },
      ],
      nextCursor: "20261115093000123047601530017744120",
    },
  },

  async find(call, request) {
    const window = windowOf(request);
    if (isRefusal(window)) return window;
    const { paymentStatus: status, paymentMethodType, currency, amountFrom, amountUntil } = request;
    const filter = { status, paymentMethodType, currency, amountFrom, amountUntil };
    const found = await listPayments(call.tx, call, filter, window);
    return pageOf(found, window, ({ paymentId }) => paymentId);
  },

  answer(page: Page<Payment>) {
    return { code: "SUCCESS", payments: page.items.map(summaryOf), ...toNext(page) };
  },
});
