import { Type } from "typebox";
import { Amount, Id, OneOf, Time } from "../api/schemas.ts";

/** The answer of `pay`, field by field. */
export const PayResponse = Type.Object({
  paymentRequestId: Id,
  paymentId: Id,
  paymentAmount: Type.Optional(Amount),
  paymentCreateTime: Time,
  paymentTime: Type.Optional(Time),
  normalUrl: Type.Optional(
    Type.String({ maxLength: 2048, description: "The page on which the buyer pays.", "x-secret": true }),
  ),
  redirectActionForm: Type.Optional(
    Type.Object({
      method: Type.String(),
      redirectUrl: Type.String({ "x-secret": true }),
      actionFormType: Type.String(),
    }),
  ),
  orderCodeForm: Type.Optional(
    Type.Object({
      expireTime: Time,
      paymentMethodType: Type.String(),
      codeDetails: Type.Array(
        Type.Object({
          codeValueType: OneOf(["QRCODE", "BARCODE"], "As what it is shown."),
          displayType: OneOf(["TEXT"], "The text that the picture holds."),
          codeValue: Type.String({ maxLength: 2048, "x-secret": true }),
        }),
      ),
    }),
  ),
  actualPaymentAmount: Type.Optional(Amount),
  sequence: Type.Integer({ minimum: 1, description: "Grows with every change of the payment." }),
});
