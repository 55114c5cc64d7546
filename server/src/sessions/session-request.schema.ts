import { Type, type Static } from "typebox";
import {
  Amount,
  described,
  forms,
  OneOf,
  PaymentRequestId,
  Personal,
  Region,
  Text,
  Time,
  Url,
  type Meanings,
} from "../api/schemas.ts";
import {
  Env,
  MerchantAccountId,
  MerchantRegion,
  Order,
  PaymentFactor,
  PaymentMethod,
  productCodes,
  SettlementStrategy,
} from "../payments/pay-request.schema.ts";

const CustomizedInfo = Type.Object(
  {
    customizedField1: Type.Optional(Personal(512, "Words of your own.")),
    customizedField2: Type.Optional(Personal(512, "Words of your own.")),
    customizedField3: Type.Optional(Personal(512, "Words of your own.")),
    customizedField4: Type.Optional(Personal(512, "Words of your own.")),
    customizedField5: Type.Optional(Personal(512, "Words of your own.")),
  },
  { title: "CustomizedInfo", description: "Words of your own, kept with the session." },
);

const AvailablePaymentMethod = Type.Object(
  {
    paymentMethodTypeList: Type.Optional(
      Type.Array(
        Type.Object({
          paymentMethodType: Text(64, "The wallet or method, for example GCASH."),
          paymentMethodOrder: Type.Optional(Type.Integer({ minimum: 1, description: "1 comes first." })),
        }),
        { maxItems: 100, description: "Only these are offered." },
      ),
    ),
  },
  { description: "What the buyer can choose from." },
);

const kinds: Meanings = {
  CASHIER_PAYMENT: productCodes.CASHIER_PAYMENT,
  AGREEMENT_PAYMENT: "With a token; refused in a session.",
};

/** The request of `createPaymentSession`, field by field. */
export const SessionRequest = Type.Object({
  productCode: OneOf(kinds, "The kind of payment."),
  productScene: Type.Optional(
    OneOf(
      {
        CHECKOUT_PAYMENT: "On our page.",
        ELEMENT_PAYMENT: "In a part of your own page.",
        EASY_PAY: "With a wallet that the buyer has linked; refused in a session.",
      },
      "Where the buyer chooses. Taken as it comes: the answer always leads to our page.",
    ),
  ),
  paymentRequestId: PaymentRequestId,
  order: Order,
  paymentAmount: described(Amount, "What the buyer pays."),
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
  userRegion: Type.Optional(Region("Where the buyer is: methods from there come first.")),
  merchantRegion: Type.Optional(MerchantRegion),
  allowedPaymentMethodRegions: Type.Optional(
    Type.Array(Type.String({ pattern: forms.regionOrGlobal }), {
      maxItems: 300,
      description: "Only methods from these countries: ISO 3166, or `GLOBAL`.",
    }),
  ),
  availablePaymentMethod: Type.Optional(AvailablePaymentMethod),
  savedPaymentMethods: Type.Optional(
    Type.Array(PaymentMethod, { maxItems: 100, description: "What the buyer has paid with before." }),
  ),
  locale: Type.Optional(Text(8, "The buyer's language, such as `en` or `pt_BR`.")),
  merchantAccountId: Type.Optional(MerchantAccountId),
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
