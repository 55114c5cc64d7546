import { Type } from "typebox";
import { Amount, described, OneOf, PaymentId, PaymentRequestId, Time } from "../api/schemas.ts";
import { paymentStatuses } from "./payment-summary.schema.ts";

/** The answer of `pay`, field by field. */
export const PayResponse = Type.Object({
  paymentRequestId: PaymentRequestId,
  paymentId: PaymentId,
  paymentStatus: Type.Optional(
    OneOf(
      paymentStatuses,
      "Where the payment stands. Absent while an order code or entry code was only issued.",
    ),
  ),
  paymentAmount: Type.Optional(described(Amount, "What was asked for.")),
  paymentCreateTime: described(Time, "When we took it in."),
  paymentTime: Type.Optional(described(Time, "When it was paid.")),
  normalUrl: Type.Optional(
    Type.String({ maxLength: 2048, description: "The page on which the buyer pays.", "x-secret": true }),
  ),
  redirectActionForm: Type.Optional(
    Type.Object(
      {
        method: Type.String({ description: "How to go there: always `GET`." }),
        redirectUrl: Type.String({ description: "The page on which the buyer pays.", "x-secret": true }),
        actionFormType: Type.String({ description: "Always `RedirectActionForm`." }),
      },
      { description: "Where to send the buyer, in the older form." },
    ),
  ),
  orderCodeForm: Type.Optional(
    Type.Object(
      {
        expireTime: described(Time, "Until when the buyer can scan it."),
        paymentMethodType: Type.String({ description: "The wallet whose buyers can scan it." }),
        codeDetails: Type.Array(
          Type.Object({
            codeValueType: OneOf(
              { QRCODE: "A square code.", BARCODE: "A code of bars." },
              "As what it is shown.",
            ),
            displayType: OneOf({ TEXT: "The text itself: you draw the code." }, "What `codeValue` is."),
            codeValue: Type.String({
              maxLength: 2048,
              description: "What the code says.",
              "x-secret": true,
            }),
          }),
          { description: "The code, in each form in which it can be shown." },
        ),
      },
      { description: "The code to show to the buyer, of an `OrderCode` payment." },
    ),
  ),
  actualPaymentAmount: Type.Optional(described(Amount, "What was really paid.")),
  authExpiryTime: Type.Optional(described(Time, "Until when held money can be captured.")),
  authReleaseTime: Type.Optional(described(Time, "When the rest of the hold was released.")),
  sequence: Type.Integer({ minimum: 1, description: "Grows with every change of the payment." }),
});
