import { Type } from "typebox";
import { Amount, withDescription, OneOf, PaymentId, PaymentRequestId, Time } from "../contract/schemas.ts";
import { paymentStatuses } from "./payment-summary.schema.ts";

/** Response of `pay`. */
export const PayResponse = Type.Object({
  paymentRequestId: PaymentRequestId,
  paymentId: PaymentId,
  paymentStatus: Type.Optional(
    OneOf(
      paymentStatuses,
      "The status of the payment. Absent if only an order code or entry code was issued.",
    ),
  ),
  paymentAmount: Type.Optional(withDescription(Amount, "The requested amount.")),
  paymentCreateTime: withDescription(Time, "When the gateway accepted the payment."),
  paymentTime: Type.Optional(withDescription(Time, "When the buyer paid.")),
  normalUrl: Type.Optional(
    Type.String({ maxLength: 2048, description: "The page on which the buyer pays.", "x-secret": true }),
  ),
  schemeUrl: Type.Optional(
    Type.String({
      maxLength: 2048,
      description:
        "The address that opens the payment provider's app, with the app's own scheme. In a repeated request, if the provider has such an app.",
      "x-secret": true,
    }),
  ),
  applinkUrl: Type.Optional(
    Type.String({
      maxLength: 2048,
      description: "As `schemeUrl`, for an app that opens by a web address.",
      "x-secret": true,
    }),
  ),
  paymentData: Type.Optional(
    Type.String({
      maxLength: 4096,
      description:
        "Session data or a client secret, with which the payment provider's own component works in your page. In a repeated request, if the provider has such a component. Do not store or log it.",
      "x-secret": true,
    }),
  ),
  redirectActionForm: Type.Optional(
    Type.Object(
      {
        method: Type.String({ description: "The HTTP method of the redirect: always `GET`." }),
        redirectUrl: Type.String({ description: "The page on which the buyer pays.", "x-secret": true }),
        actionFormType: Type.String({ description: "Always `RedirectActionForm`." }),
      },
      { description: "The page to which to send the buyer, in the older format." },
    ),
  ),
  orderCodeForm: Type.Optional(
    Type.Object(
      {
        expireTime: withDescription(Time, "Until when the buyer can scan the code."),
        paymentMethodType: Type.String({ description: "The payment method whose buyers can scan the code." }),
        codeDetails: Type.Array(
          Type.Object({
            codeValueType: OneOf(
              { QRCODE: "A two-dimensional QR code.", BARCODE: "A one-dimensional barcode." },
              "The kind of code.",
            ),
            displayType: OneOf(
              { TEXT: "The text of the code: you draw the code from it." },
              "The format of `codeValue`.",
            ),
            codeValue: Type.String({
              maxLength: 2048,
              description: "The content of the code.",
              "x-secret": true,
            }),
          }),
          { description: "The code in each format that you can show." },
        ),
      },
      { description: "The code to show to the buyer, for an `OrderCode` payment." },
    ),
  ),
  actualPaymentAmount: Type.Optional(withDescription(Amount, "The amount that the buyer paid.")),
  authExpiryTime: Type.Optional(withDescription(Time, "Until when the authorized money can be captured.")),
  authReleaseTime: Type.Optional(
    withDescription(Time, "When the rest of the authorization hold was released."),
  ),
  sequence: Type.Integer({ minimum: 1, description: "Increases with each change of the payment." }),
});
