import { Type, type Static } from "typebox";
import { inquiry } from "../api/operation.ts";
import { PaymentRequestId } from "../api/schemas.ts";
import { refuse } from "../core/result.ts";
import { Order } from "../payments/pay-request.schema.ts";
import { findSessionByRequest } from "./session.sql.ts";

export const retrieveSession = inquiry({
  path: "payments/retrievePaymentSession",
  summary: "Tells what a payment session is about.",
  description:
    "Asks by `paymentRequestId`. Gives back the order and your own words as they came; where the payment stands is " +
    "told by `inquiryPayment`.",

  request: Type.Object({ paymentRequestId: PaymentRequestId }),
  response: Type.Object({
    order: Order,
    customizedInfo: Type.Optional(
      Type.String({ description: "The object that was given, as JSON in a string.", "x-personal": true }),
    ),
  }),
  results: ["SUCCESS", "ORDER_NOT_EXIST"],
  inStore: false,

  example: {
    request: { paymentRequestId: "order-1002-attempt-1" },
    response: {
      order: {
        referenceOrderId: "order-1002",
        orderDescription: "Two coffees",
        orderAmount: { currency: "EUR", value: "1250" },
      },
      customizedInfo: '{"customizedField1":"table 4"}',
    },
  },

  async find(call, { paymentRequestId }) {
    return (await findSessionByRequest(call.tx, call, paymentRequestId)) ?? refuse("ORDER_NOT_EXIST");
  },

  answer({ order, customizedInfo }) {
    return {
      code: "SUCCESS",
      order: order as Static<typeof Order>,
      ...(customizedInfo && { customizedInfo: JSON.stringify(customizedInfo) }),
    };
  },
});
