/** Categories of payment methods, with the names of the public interface. */
export type MethodCategory = "WALLET" | "MOBILE_BANKING_APP" | "ONLINE_BANKING" | "BANK_TRANSFER" | "CARD";

/** A payment method that the gateway knows by name. */
export interface PaymentMethod {
  readonly paymentMethodType: string;
  /** The name that buyers know. */
  readonly name: string;
  readonly category: MethodCategory | undefined;
  /** The region of the method's buyers: ISO 3166, or GLOBAL. */
  readonly region: string;
}

/**
 * Payment methods that the gateway assumes a connector for all methods (`*`) serves, with their names and regions. A
 * payment method that is not listed works as well: the list only provides names.
 */
const methodsByRegion: readonly (readonly [
  region: string,
  ...methods: readonly (readonly [string, string])[],
])[] = [
  ["CN", ["ALIPAY_CN", "Alipay"]],
  ["HK", ["ALIPAY_HK", "AlipayHK"]],
  ["ID", ["DANA", "DANA"], ["GOPAY_ID", "GoPay"], ["OVO", "OVO"], ["SHOPEEPAY_ID", "ShopeePay"]],
  ["JP", ["PAYPAY", "PayPay"], ["LINEPAY", "LINE Pay"]],
  ["KR", ["KAKAOPAY", "Kakao Pay"], ["NAVERPAY", "Naver Pay"], ["TOSSPAY", "Toss Pay"]],
  ["MY", ["BOOST", "Boost"], ["GRABPAY_MY", "GrabPay"], ["TNG", "Touch ’n Go eWallet"]],
  ["PH", ["GCASH", "GCash"], ["GRABPAY_PH", "GrabPay"], ["MAYA", "Maya"]],
  ["SG", ["GRABPAY_SG", "GrabPay"]],
  ["TH", ["RABBIT_LINE_PAY", "Rabbit LINE Pay"], ["TRUEMONEY", "TrueMoney"]],
  ["TW", ["JKOPAY", "JKOPAY"]],
  ["VN", ["MOMO", "MoMo"], ["ZALOPAY", "ZaloPay"]],
  ["BR", ["MERCADOPAGO_BR", "Mercado Pago"]],
];

export const knownMethods: readonly PaymentMethod[] = methodsByRegion.flatMap(([region, ...methods]) =>
  methods.map(([paymentMethodType, name]) => ({
    paymentMethodType,
    name,
    category: "WALLET" as const,
    region,
  })),
);

const cardMethod: PaymentMethod = {
  paymentMethodType: "CARD",
  name: "Card",
  category: "CARD",
  region: "GLOBAL",
};
const byType = new Map([...knownMethods, cardMethod].map((method) => [method.paymentMethodType, method]));

/** The type that a store sends instead of a payment method: the buyer's code identifies the e-wallet. */
const connectWallet = "CONNECT_WALLET";
const knownTypes = new Set([
  connectWallet,
  ...knownMethods.map(({ paymentMethodType }) => paymentMethodType),
]);

/** `isKnownMethod` returns whether a connector for all methods probably serves this method. */
export function isKnownMethod(paymentMethodType: string): boolean {
  return knownTypes.has(paymentMethodType);
}

/** `methodOf` returns a known method. For an unknown method, the name is its type and the region is GLOBAL. */
export function methodOf(paymentMethodType: string): PaymentMethod {
  return (
    byType.get(paymentMethodType) ?? {
      paymentMethodType,
      name: paymentMethodType.replaceAll("_", " "),
      category: categoryOf(paymentMethodType),
      region: "GLOBAL",
    }
  );
}

/** The category of a bank's payment method, which is the prefix of the type. */
function categoryOf(paymentMethodType: string): MethodCategory | undefined {
  if (paymentMethodType.startsWith("ONLINEBANKING_")) return "ONLINE_BANKING";
  if (paymentMethodType.startsWith("BANKTRANSFER_")) return "BANK_TRANSFER";
  return paymentMethodType.startsWith("BANKAPP_") ? "MOBILE_BANKING_APP" : undefined;
}

/** `isMethodNamed` returns whether the type names a payment method that the buyer would recognise. */
export function isMethodNamed(paymentMethodType: string): boolean {
  return paymentMethodType !== connectWallet;
}
