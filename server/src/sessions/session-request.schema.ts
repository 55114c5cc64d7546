import { Type, type Static } from "typebox";
import {
  Amount,
  withDescription,
  forms,
  OneOf,
  PaymentRequestId,
  Personal,
  Region,
  Text,
  Time,
  Url,
  type Meanings,
} from "../contract/schemas.ts";
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
import { requestTextFields } from "../payments/request-texts.schema.ts";

const CustomizedInfo = Type.Object(
  {
    customizedField1: Type.Optional(Personal(512, "Your own data.")),
    customizedField2: Type.Optional(Personal(512, "Your own data.")),
    customizedField3: Type.Optional(Personal(512, "Your own data.")),
    customizedField4: Type.Optional(Personal(512, "Your own data.")),
    customizedField5: Type.Optional(Personal(512, "Your own data.")),
  },
  { title: "CustomizedInfo", description: "Your own data, stored with the session." },
);

const AvailablePaymentMethod = Type.Object(
  {
    paymentMethodTypeList: Type.Optional(
      Type.Array(
        Type.Object({
          paymentMethodType: Text(64, "The payment method, for example GCASH."),
          paymentMethodOrder: Type.Optional(
            Type.Integer({ minimum: 1, description: "Position in the list; 1 comes first." }),
          ),
        }),
        { maxItems: 100, description: "Only these methods are offered." },
      ),
    ),
  },
  { description: "The payment methods from which the buyer can choose." },
);

const kinds: Meanings = {
  CASHIER_PAYMENT: productCodes.CASHIER_PAYMENT,
  AGREEMENT_PAYMENT: "With a token; refused in a session.",
};

/** Request of `createPaymentSession`. */
export const SessionRequest = Type.Object({
  productCode: OneOf(kinds, "The kind of payment."),
  productScene: Type.Optional(
    OneOf(
      {
        CHECKOUT_PAYMENT: "On our page.",
        ELEMENT_PAYMENT: "In a part of your own page.",
        EASY_PAY: "With a payment method that the buyer has linked; refused in a session.",
      },
      "The page on which the buyer chooses. Accepted and ignored: the response always leads to our page.",
    ),
  ),
  paymentRequestId: PaymentRequestId,
  order: Order,
  paymentAmount: withDescription(Amount, "The amount that the buyer pays."),
  paymentMethod: Type.Optional(PaymentMethod),
  paymentRedirectUrl: Url("The page to which the buyer returns after the payment."),
  paymentNotifyUrl: Type.Optional(Url("The URL that receives the webhook with the result of the payment.")),
  paymentSessionExpiryTime: Type.Optional({
    ...Time,
    description: "Until when the buyer can choose a payment method; at most one hour, which is the default.",
  }),
  paymentExpiryTime: Type.Optional({
    ...Time,
    description: "Until when the buyer can pay (default: 14 minutes after the choice).",
  }),
  paymentFactor: Type.Optional(PaymentFactor),
  settlementStrategy: Type.Optional(SettlementStrategy),
  env: Type.Optional(Env),
  userRegion: Type.Optional(Region("The buyer's region; its payment methods are listed first.")),
  merchantRegion: Type.Optional(MerchantRegion),
  allowedPaymentMethodRegions: Type.Optional(
    Type.Array(Type.String({ pattern: forms.regionOrGlobal }), {
      maxItems: 300,
      description: "Only payment methods of these countries: ISO 3166, or `GLOBAL`.",
    }),
  ),
  availablePaymentMethod: Type.Optional(AvailablePaymentMethod),
  savedPaymentMethods: Type.Optional(
    Type.Array(PaymentMethod, {
      maxItems: 100,
      description: "Payment methods with which the buyer paid before.",
    }),
  ),
  locale: Type.Optional(Text(8, "The buyer's language, such as `en` or `pt_BR`.")),
  merchantAccountId: Type.Optional(MerchantAccountId),
  ...requestTextFields,
  customizedInfo: Type.Optional(CustomizedInfo),
});

export type SessionRequest = Static<typeof SessionRequest>;

/**
 * `offeredPaymentMethods` returns the payment methods that the merchant offers, in the merchant's order; undefined for
 * all usable methods.
 */
export function offeredPaymentMethods(request: SessionRequest): readonly string[] | undefined {
  const { paymentMethod, availablePaymentMethod } = request;
  if (paymentMethod) return [paymentMethod.paymentMethodType];
  const list = availablePaymentMethod?.paymentMethodTypeList;
  if (!list || list.length === 0) return undefined;
  const positionOf = ({ paymentMethodOrder = Infinity }: { readonly paymentMethodOrder?: number }): number =>
    Math.min(paymentMethodOrder, Number.MAX_SAFE_INTEGER);
  const sorted = list.toSorted((one, other) => positionOf(one) - positionOf(other));
  return sorted.map(({ paymentMethodType }) => paymentMethodType);
}
