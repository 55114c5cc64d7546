import { Type, type Static } from "typebox";
import { inquiry } from "../api/operation.ts";
import { Amount, described, forms, OneOf, Region, Text, type Meanings } from "../api/schemas.ts";
import { parseAmount } from "../core/money.ts";
import { firstMissing, need } from "../core/need.ts";
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

const reasonsInWords: Meanings<DisableReason> = {
  CURRENT_CHANNEL_NOT_EXIST: "No wallet here serves it.",
  CHANNEL_NOT_SUPPORT_CURRENCY: "It does not take this currency.",
  CHANNEL_DISABLE: "It cannot hold money until you capture it.",
  SERVICE_DEGRADE: "Its wallet does not answer just now.",
};

const Option = Type.Object(
  {
    paymentMethodType: Text(64, "What to send as `paymentMethodType` to `pay`."),
    enabled: Type.Boolean({ description: "Whether a payment would be taken now." }),
    paymentMethodCategory: Type.Optional(
      Type.String({ maxLength: 32, description: "What kind of method it is, such as `WALLET`." }),
    ),
    paymentMethodRegion: Type.Array(Type.String({ maxLength: 6 }), {
      description: "Where its buyers are: ISO 3166, or `GLOBAL`.",
    }),
    disableReason: Type.Optional(OneOf(reasonsInWords, "Why it is not enabled.")),
    supportedCurrencies: Type.Optional(
      Type.Array(Type.String(), { description: "Absent when it takes all that we know." }),
    ),
  },
  { title: "PaymentOption", description: "A payment method, those included that cannot be used just now." },
);

const needs = [need("env.osType", { "env.terminalType": ["WAP", "APP"] })];

export const consultPayment = inquiry({
  path: "payments/consult",
  summary: "Lists the payment methods that can be used for an amount.",
  description:
    "Ask before you show the buyer a choice. What is not `enabled` says why in `disableReason`: the payment method does " +
    "not take the currency, nobody serves it, or its wallet does not answer just now. Nothing is recorded, and " +
    "nothing is promised: `pay` decides.",

  request: Type.Object({
    productCode: OneOf({ CASHIER_PAYMENT: productCodes.CASHIER_PAYMENT }, "The kind of payment."),
    paymentAmount: described(Amount, "What the buyer would pay."),
    env: Env,
    settlementStrategy: Type.Optional(SettlementStrategy),
    userRegion: Type.Optional(Region("Where the buyer is: methods from there come first.")),
    merchantRegion: Type.Optional(MerchantRegion),
    allowedPaymentMethodRegions: Type.Optional(
      Type.Array(Type.String({ pattern: forms.regionOrGlobal }), {
        maxItems: 300,
        description: "Only methods from these countries: ISO 3166, or `GLOBAL`.",
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
  needs,
  response: Type.Object({
    paymentOptions: Type.Array(Option, { description: "One entry for each method, the best first." }),
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
  scenes: [
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
    const missing = firstMissing(needs, request);
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
    return { code: "SUCCESS", paymentOptions: options.map(toDetails) };
  },
});

/** No logos and no promotions: we have none, and a guess would be worse. */
function toDetails(option: PaymentOption): Static<typeof Option> {
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
