import { Type, type Static } from "typebox";
import { inquiry } from "../contract/operation.ts";
import { Amount, withDescription, forms, OneOf, Region, Text, type Meanings } from "../contract/schemas.ts";
import { parseAmount } from "../core/money.ts";
import { findMissingField, requireField } from "../core/conditional-required.ts";
import { refuse } from "../core/result.ts";
import {
  Buyer,
  Env,
  MerchantAccountId,
  MerchantRegion,
  PaymentFactor,
  productCodes,
  SettlementStrategy,
} from "./pay-request.schema.ts";
import { listOptions, type DisableReason, type PaymentOption } from "./payment-option.ts";
import { captureModeOf } from "./payment.ts";

const disableReasonMeanings: Meanings<DisableReason> = {
  CURRENT_CHANNEL_NOT_EXIST: "No connected payment provider offers this payment method.",
  CHANNEL_NOT_SUPPORT_CURRENCY: "The payment method does not accept this currency.",
  CHANNEL_DISABLE: "The payment method does not support authorization with later capture.",
  SERVICE_DEGRADE: "The payment provider does not respond at the moment.",
};

const Option = Type.Object(
  {
    paymentMethodType: Text(64, "The value of `paymentMethodType` to send to `pay`."),
    enabled: Type.Boolean({ description: "Whether `pay` would accept a payment now." }),
    paymentMethodCategory: Type.Optional(
      Type.String({ maxLength: 32, description: "The category of the payment method, such as `WALLET`." }),
    ),
    paymentMethodRegion: Type.Array(Type.String({ maxLength: 6 }), {
      description: "The region of the method's buyers: ISO 3166, or `GLOBAL`.",
    }),
    disableReason: Type.Optional(OneOf(disableReasonMeanings, "The reason why the method is not enabled.")),
    supportedCurrencies: Type.Optional(
      Type.Array(Type.String(), {
        description: "Accepted currencies; absent if the method accepts all currencies that we support.",
      }),
    ),
  },
  {
    title: "PaymentOption",
    description: "A payment method, including those that are disabled at the moment.",
  },
);

const requiredFields = [requireField("env.osType", { "env.terminalType": ["WAP", "APP"] })];

export const consultPayment = inquiry({
  path: "payments/consult",
  summary: "Lists the payment methods that can be used for an amount.",
  description:
    "Send this request before you show the buyer the payment methods. For a method that is not `enabled`, " +
    "`disableReason` has the reason: it does not accept the currency, no payment provider offers it, or " +
    "its provider does not respond. Nothing is recorded, and the response is no guarantee: `pay` decides.",

  request: Type.Object({
    productCode: OneOf({ CASHIER_PAYMENT: productCodes.CASHIER_PAYMENT }, "The kind of payment."),
    paymentAmount: withDescription(Amount, "The amount that the buyer would pay."),
    env: Env,
    settlementStrategy: Type.Optional(SettlementStrategy),
    userRegion: Type.Optional(Region("The buyer's region; its payment methods are listed first.")),
    merchantRegion: Type.Optional(MerchantRegion),
    allowedPaymentMethodRegions: Type.Optional(
      Type.Array(Type.String({ pattern: forms.regionOrGlobal }), {
        maxItems: 300,
        description: "Only payment methods of these countries: ISO 3166, or `GLOBAL`.",
      }),
    ),
    allowedPaymentMethods: Type.Optional(
      Type.Array(Text(64), { maxItems: 300, description: "Only these methods." }),
    ),
    blockedPaymentMethods: Type.Optional(
      Type.Array(Text(64), { maxItems: 300, description: "None of these methods." }),
    ),
    paymentFactor: Type.Optional(PaymentFactor),
    buyer: Type.Optional(Buyer),
    merchantAccountId: Type.Optional(MerchantAccountId),
  }),
  requiredFields,
  response: Type.Object({
    paymentOptions: Type.Array(Option, { description: "One entry for each method, sorted by suitability." }),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "CURRENCY_NOT_SUPPORT", "NO_PAY_OPTIONS"],
  inStore: false,

  example: {
    request: {
      productCode: "CASHIER_PAYMENT",
      paymentAmount: { currency: "EUR", value: "1250" },
      env: { terminalType: "WEB" },
      userRegion: "PH",
      allowedPaymentMethods: ["GCASH", "MAYA"],
    },
    response: {
      paymentOptions: [
        {
          paymentMethodType: "GCASH",
          enabled: true,
          paymentMethodCategory: "WALLET",
          paymentMethodRegion: ["PH"],
        },
        {
          paymentMethodType: "MAYA",
          enabled: false,
          paymentMethodCategory: "WALLET",
          paymentMethodRegion: ["PH"],
          disableReason: "CHANNEL_NOT_SUPPORT_CURRENCY",
          supportedCurrencies: ["PHP"],
        },
      ],
    },
  },
  moreExamples: [
    {
      title: "All methods, for a buyer with a phone",
      request: {
        productCode: "CASHIER_PAYMENT",
        paymentAmount: { currency: "PHP", value: "45000" },
        env: { terminalType: "APP", osType: "IOS" },
        userRegion: "PH",
      },
      response: {
        paymentOptions: [
          {
            paymentMethodType: "GCASH",
            enabled: true,
            paymentMethodCategory: "WALLET",
            paymentMethodRegion: ["PH"],
          },
        ],
      },
    },
  ],

  async find(call, request) {
    const amount = parseAmount(request.paymentAmount);
    if (amount === "CURRENCY_NOT_SUPPORT") return refuse(amount, { field: "paymentAmount.currency" });
    if (amount === "PARAM_ILLEGAL") return refuse(amount, { field: "paymentAmount.value" });
    const missing = findMissingField(requiredFields, request);
    if (missing) return refuse("PARAM_ILLEGAL", { field: missing, detail: `${missing} is missing.` });
    const options = listOptions(call, {
      currency: amount.currency,
      isHeld: captureModeOf(request.paymentFactor) === "MANUAL",
      types: request.allowedPaymentMethods,
      blocked: request.blockedPaymentMethods,
      regions: request.allowedPaymentMethodRegions,
      userRegion: request.userRegion,
    });
    return options.some(({ connector }) => connector !== undefined) ? { options } : refuse("NO_PAY_OPTIONS");
  },

  answer({ options }: { readonly options: readonly PaymentOption[] }) {
    return { code: "SUCCESS", paymentOptions: options.map(toOptionDetails) };
  },
});

/**
 * The fields of a payment option in the response. Logos and promotions are omitted, because the gateway does not know
 * them.
 */
function toOptionDetails(option: PaymentOption): Static<typeof Option> {
  const { paymentMethodType, category, region, disableReason, currencies } = option;
  return {
    paymentMethodType,
    enabled: disableReason === undefined,
    ...(category && { paymentMethodCategory: category }),
    paymentMethodRegion: [region],
    ...(disableReason && { disableReason }),
    ...(currencies.length > 0 && { supportedCurrencies: [...currencies] }),
  };
}
