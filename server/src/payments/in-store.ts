import { requireField, type RequiredField } from "../core/conditional-required.ts";
import type { NextAction } from "../providers/next-action.ts";
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
export const defaultLifetimeSeconds: Readonly<Record<InStoreScenario, number>> = {
  PaymentCode: 600,
  OrderCode: 180,
  EntryCode: 180,
};

export function scenarioOf({ paymentFactor }: InStoreRequest): InStoreScenario | undefined {
  return inStoreScenarios.find((scenario) => scenario === paymentFactor?.inStorePaymentScenario);
}

const scenarioField = "paymentFactor.inStorePaymentScenario";

/** The required fields of an in-store payment, in the order in which they are checked. */
export const inStoreRequiredFields: readonly RequiredField[] = [
  requireField(scenarioField),
  requireField("paymentNotifyUrl"),
  requireField("order.merchant.merchantName"),
  requireField("order.merchant.merchantMCC"),
  requireField("order.merchant.store.referenceStoreId"),
  requireField("order.merchant.store.storeName"),
  requireField("order.merchant.store.storeMCC"),
  requireField("paymentMethod.paymentMethodId", { [scenarioField]: ["PaymentCode"] }),
  requireField("order.env.storeTerminalId", { [scenarioField]: ["PaymentCode"] }),
  requireField("order.env.storeTerminalRequestTime", { [scenarioField]: ["PaymentCode"] }),
  requireField("order.env.userAgent", { [scenarioField]: ["EntryCode"] }),
];

/** `isPaymentCode` checks only the format. Only the payment provider knows whether the code is valid. */
export function isPaymentCode(text: string): boolean {
  return /^\d{16,32}$/.test(text);
}

/**
 * `hasIssuedCode` returns whether an unpaid payment has its code for the buyer to scan, or its page for the buyer. Then the
 * response to the point of sale is `S`.
 */
export function hasIssuedCode({ scenario, status, order }: Payment): boolean {
  if (status !== "PROCESSING") return false;
  if (scenario === "OrderCode") return order?.nextAction?.type === "QR_CODE";
  return scenario === "EntryCode" && addressOf(order?.nextAction) !== undefined;
}

/** The address that the buyer's phone opens for an action; undefined if the action has none. */
export function addressOf(action: NextAction | undefined): string | undefined {
  switch (action?.type) {
    case "REDIRECT":
    case "QR_CODE":
      return action.url;
    case "APP":
      return action.url ?? action.appUrl;
    case "IN_PAGE":
    case "WAIT":
    case undefined:
      return undefined;
  }
}
