import { Type, type Static } from "typebox";
import { inquiry } from "../contract/operation.ts";
import { PaymentRequestId } from "../contract/schemas.ts";
import { refuse } from "../core/result.ts";
import { Order } from "../payments/pay-request.schema.ts";
import { findSessionByRequest } from "./session.sql.ts";

export const retrieveSession = inquiry({
  path: "payments/retrievePaymentSession",
  summary: "Returns the order of a payment session.",
  description:
    "Finds the session by `paymentRequestId`, and returns the order and your own data unchanged. For the " +
    "status of the payment, use `inquiryPayment`.",

  request: Type.Object({ paymentRequestId: PaymentRequestId }),
  response: Type.Object({
    order: Order,
    customizedInfo: Type.Optional(
      Type.String({ description: "The object from the request, as JSON in a string.", "x-personal": true }),
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
