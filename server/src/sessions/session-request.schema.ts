import { Type, type Static } from "typebox";
import { Amount, Digits, forms, Id, OneOf, Personal, Text, Time, Url } from "../api/schemas.ts";
import {
  Env,
  Order,
  PaymentFactor,
  PaymentMethod,
  Region,
  SettlementStrategy,
} from "../payments/pay-request.schema.ts";

const CustomizedInfo = Type.Object(
  {
    customizedField1: Type.Optional(Personal(512)),
    customizedField2: Type.Optional(Personal(512)),
    customizedField3: Type.Optional(Personal(512)),
    customizedField4: Type.Optional(Personal(512)),
    customizedField5: Type.Optional(Personal(512)),
  },
  { title: "CustomizedInfo" },
);

const AvailablePaymentMethod = Type.Object({
  paymentMethodTypeList: Type.Optional(
    Type.Array(
      Type.Object({
        paymentMethodType: Text(64),
        paymentMethodOrder: Type.Optional(Type.Integer({ minimum: 1, description: "1 comes first." })),
      }),
      { maxItems: 100, description: "Only these are offered." },
    ),
  ),
});

/** The request of `createPaymentSession`, field by field. */
export const SessionRequest = Type.Object({
  productCode: OneOf(["CASHIER_PAYMENT", "AGREEMENT_PAYMENT"], "The kind of payment."),
  productScene: Type.Optional(
    OneOf(["CHECKOUT_PAYMENT", "ELEMENT_PAYMENT", "EASY_PAY"], "Where the buyer chooses."),
  ),
  paymentRequestId: Id,
  order: Order,
  paymentAmount: Amount,
  paymentMethod: Type.Optional(PaymentMethod),
  paymentRedirectUrl: Url("Where the buyer returns to."),
  paymentNotifyUrl: Type.Optional(Url("Where we report how it ended.")),
  paymentSessionExpiryTime: Type.Optional({
    ...Time,
    description: "Until when the buyer can choose: an hour by default, and at most.",
  }),
  paymentExpiryTime: Type.Optional({
    ...Time,
    description: "Until when it can be paid; 14 minutes after the choice by default.",
  }),
  paymentFactor: Type.Optional(PaymentFactor),
  settlementStrategy: Type.Optional(SettlementStrategy),
  env: Type.Optional(Env),
  userRegion: Type.Optional({ ...Region, description: "Where the buyer is: methods from there come first." }),
  merchantRegion: Type.Optional(Region),
  allowedPaymentMethodRegions: Type.Optional(
    Type.Array(Type.String({ pattern: forms.regionOrGlobal }), { maxItems: 300 }),
  ),
  availablePaymentMethod: Type.Optional(AvailablePaymentMethod),
  savedPaymentMethods: Type.Optional(Type.Array(PaymentMethod, { maxItems: 100 })),
  locale: Type.Optional(Text(8)),
  merchantAccountId: Type.Optional(Digits(Text(32))),
  metadata: Type.Optional(Personal(2048, "The merchant's own words; comes back in the notification.")),
  customizedInfo: Type.Optional(CustomizedInfo),
});

export type SessionRequest = Static<typeof SessionRequest>;

/** Which methods the merchant offers, in its order; undefined for all that can be used. */
export function offeredTypes(request: SessionRequest): readonly string[] | undefined {
  const { paymentMethod, availablePaymentMethod } = request;
  if (paymentMethod) return [paymentMethod.paymentMethodType];
  const list = availablePaymentMethod?.paymentMethodTypeList;
  if (!list || list.length === 0) return undefined;
  const place = ({ paymentMethodOrder = Infinity }: { readonly paymentMethodOrder?: number }): number =>
    Math.min(paymentMethodOrder, Number.MAX_SAFE_INTEGER);
  const sorted = list.toSorted((one, other) => place(one) - place(other));
  return sorted.map(({ paymentMethodType }) => paymentMethodType);
}
