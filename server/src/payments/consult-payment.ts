import { Type, type Static } from "typebox";
import { inquiry } from "../api/operation.ts";
import { Amount, Digits, forms, OneOf, Text } from "../api/schemas.ts";
import { parseAmount } from "../core/money.ts";
import { firstMissing, need } from "../core/need.ts";
import { refuse } from "../core/result.ts";
import { Buyer, Env, PaymentFactor, Region, SettlementStrategy } from "./pay-request.schema.ts";
import { disableReasons, listOptions, type PaymentOption } from "./payment-option.ts";
import { captureModeOf } from "./payment.ts";

const Option = Type.Object(
  {
    paymentMethodType: Text(64, "What to send as `paymentMethodType` to `pay`."),
    enabled: Type.Boolean({ description: "Whether a payment would be taken now." }),
    paymentMethodCategory: Type.Optional(Type.String({ maxLength: 32 })),
    paymentMethodRegion: Type.Array(Type.String({ maxLength: 6 }), {
      description: "Where its buyers are: ISO 3166, or `GLOBAL`.",
    }),
    disableReason: Type.Optional(OneOf(disableReasons, "Why it is not enabled.")),
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
    productCode: OneOf(["CASHIER_PAYMENT"], "The kind of payment."),
    paymentAmount: Amount,
    env: Env,
    settlementStrategy: Type.Optional(SettlementStrategy),
    userRegion: Type.Optional({
      ...Region,
      description: "Where the buyer is: methods from there come first.",
    }),
    merchantRegion: Type.Optional(Region),
    allowedPaymentMethodRegions: Type.Optional(
      Type.Array(Type.String({ pattern: forms.regionOrGlobal }), { maxItems: 300 }),
    ),
    allowedPaymentMethods: Type.Optional(Type.Array(Text(64), { maxItems: 300 })),
    blockedPaymentMethods: Type.Optional(Type.Array(Text(64), { maxItems: 300 })),
    paymentFactor: Type.Optional(PaymentFactor),
    buyer: Type.Optional(Buyer),
    merchantAccountId: Type.Optional(Digits(Text(32))),
  }),
  needs,
  response: Type.Object({ paymentOptions: Type.Array(Option) }),
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
