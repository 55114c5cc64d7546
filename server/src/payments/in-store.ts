import { inStoreScenarios, type InStoreScenario, type Payment } from "./payment.ts";

/** The fields of an in-store `pay` that its rules use. */
export interface InStoreRequest {
  readonly paymentMethod: { readonly paymentMethodId?: string };
  readonly paymentNotifyUrl?: string;
  readonly paymentFactor?: { readonly inStorePaymentScenario?: string };
  readonly order: {
    readonly merchant?: {
      readonly merchantName?: string;
      readonly merchantMCC?: string;
      readonly store?: {
        readonly referenceStoreId?: string;
        readonly storeName?: string;
        readonly storeMCC?: string;
      };
    };
    readonly env?: {
      readonly storeTerminalId?: string;
      readonly storeTerminalRequestTime?: string;
      readonly userAgent?: string;
    };
  };
}

/** Default lifetime of a payment. */
export const lifetimeSeconds: Readonly<Record<InStoreScenario, number>> = {
  PaymentCode: 600,
  OrderCode: 180,
  EntryCode: 180,
};

export function scenarioOf({ paymentFactor }: InStoreRequest): InStoreScenario | undefined {
  return inStoreScenarios.find((scenario) => scenario === paymentFactor?.inStorePaymentScenario);
}

/** The first field that the scenario needs and that is not there. */
export function missingInStore(request: InStoreRequest): string | undefined {
  const scenario = scenarioOf(request);
  const { merchant, env } = request.order;
  const needed: readonly (readonly [field: string, value: string | undefined])[] = [
    ["paymentFactor.inStorePaymentScenario", scenario],
    ["paymentNotifyUrl", request.paymentNotifyUrl],
    ["order.merchant.merchantName", merchant?.merchantName],
    ["order.merchant.merchantMCC", merchant?.merchantMCC],
    ["order.merchant.store.referenceStoreId", merchant?.store?.referenceStoreId],
    ["order.merchant.store.storeName", merchant?.store?.storeName],
    ["order.merchant.store.storeMCC", merchant?.store?.storeMCC],
    ...(scenario === "PaymentCode"
      ? ([
          ["paymentMethod.paymentMethodId", request.paymentMethod.paymentMethodId],
          ["order.env.storeTerminalId", env?.storeTerminalId],
          ["order.env.storeTerminalRequestTime", env?.storeTerminalRequestTime],
        ] as const)
      : []),
    ...(scenario === "EntryCode" ? ([["order.env.userAgent", env?.userAgent]] as const) : []),
  ];
  return needed.find(([, value]) => !value)?.[0];
}

/** Checks only the form. Whether the code is valid, only the wallet knows. */
export function isPaymentCode(text: string): boolean {
  return /^\d{16,32}$/.test(text);
}

/**
 * Whether the till has what it asked for, although nobody has paid: the code that the buyer scans, or the page that
 * the buyer is sent to. Tills take `S` for that.
 */
export function isIssued({ scenario, status, wallet }: Payment): boolean {
  if (status !== "PROCESSING") return false;
  if (scenario === "OrderCode") return wallet?.code !== undefined;
  return scenario === "EntryCode" && wallet?.url !== undefined;
}
