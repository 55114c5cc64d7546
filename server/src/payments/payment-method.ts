/** Categories of payment methods, in the words of the interface. */
export type MethodCategory = "WALLET" | "MOBILE_BANKING_APP" | "ONLINE_BANKING" | "BANK_TRANSFER" | "CARD";

/** A payment method that we know by its name. */
export interface PaymentMethod {
  readonly paymentMethodType: string;
  /** As its buyers know it. */
  readonly name: string;
  readonly category: MethodCategory | undefined;
  /** Where its buyers are: ISO 3166, or GLOBAL. */
  readonly region: string;
}

/**
 * Wallets that a connector for all methods is taken to serve, and names and regions of those that a connector names.
 * A method that is not here works as well: the list only tells what to call it.
 */
const wallets: readonly (readonly [region: string, ...methods: readonly (readonly [string, string])[]])[] = [
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

export const knownWallets: readonly PaymentMethod[] = wallets.flatMap(([region, ...methods]) =>
  methods.map(([paymentMethodType, name]) => ({
    paymentMethodType,
    name,
    category: "WALLET" as const,
    region,
  })),
);

const cards: PaymentMethod = { paymentMethodType: "CARD", name: "Card", category: "CARD", region: "GLOBAL" };
const byType = new Map([...knownWallets, cards].map((method) => [method.paymentMethodType, method]));

/** Stores name no wallet: the buyer's code tells which it is. */
const atTheTill = "CONNECT_WALLET";
const knownTypes = new Set([atTheTill, ...knownWallets.map(({ paymentMethodType }) => paymentMethodType)]);

/** Whether a connector for all methods is taken to serve it. */
export function isKnownMethod(paymentMethodType: string): boolean {
  return knownTypes.has(paymentMethodType);
}

/** A known method, or for an unknown one its type as the name, and GLOBAL. */
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

/** The names of banks' methods say what they are. */
function categoryOf(paymentMethodType: string): MethodCategory | undefined {
  if (paymentMethodType.startsWith("ONLINEBANKING_")) return "ONLINE_BANKING";
  if (paymentMethodType.startsWith("BANKTRANSFER_")) return "BANK_TRANSFER";
  return paymentMethodType.startsWith("BANKAPP_") ? "MOBILE_BANKING_APP" : undefined;
}

/** Whether the type names a wallet that the buyer would recognise. */
export function isWalletNamed(paymentMethodType: string): boolean {
  return paymentMethodType !== atTheTill;
}
