import { sessionRequest } from "../shop/test-session.ts";
import { payRequest, inStorePayRequest } from "../start/test-stack.ts";
import type { Real } from "./run-context.ts";
import type { PayContent } from "./merchant-model.ts";
import type { Answer } from "./real-system.ts";

/** Sends the payment request for the given content. */
export function sendPay({ system, merchant }: Real, requestId: string, content: PayContent): Promise<Answer> {
  const { amountMinor, currency, product, paymentMethodType, paymentMethodId } = content;
  const amount = { currency, value: String(amountMinor) };
  const method = { paymentMethodType, ...(paymentMethodId && { paymentMethodId }) };
  const captureFields = content.isManual ? { isAuthorization: true, captureMode: "MANUAL" } : {};
  const paymentFields = { paymentAmount: amount, paymentMethod: method, paymentFactor: captureFields };
  const order = {
    referenceOrderId: content.referenceOrderId,
    orderDescription: "Two coffees",
    orderAmount: amount,
  };
  switch (product) {
    case "session": {
      const { paymentMethod: _, ...session } = { ...paymentFields, order, ...offered };
      return system.call(merchant, "createPaymentSession", sessionRequest(requestId, session));
    }
    case "page":
      return system.call(merchant, "pay", payRequest(requestId, { ...paymentFields, order }));
    case "token": {
      const tokenFields = { productCode: "AGREEMENT_PAYMENT", paymentRedirectUrl: undefined, env: undefined };
      return system.call(merchant, "pay", payRequest(requestId, { ...paymentFields, order, ...tokenFields }));
    }
    case "PaymentCode":
    case "OrderCode":
    case "EntryCode": {
      const defaultRequest = inStorePayRequest(requestId, product) as { readonly order: object };
      const inStore = {
        ...paymentFields,
        order: { ...defaultRequest.order, ...order },
        paymentFactor: { ...captureFields, inStorePaymentScenario: product },
        paymentNotifyUrl: system.shop.notifyUrl,
      };
      return system.call(merchant, "pay", inStorePayRequest(requestId, product, inStore));
    }
  }
}

/** Payment methods that the buyer of a session can choose. */
export const offeredMethods = ["GCASH", "DANA"] as const;

const offered = {
  availablePaymentMethod: {
    paymentMethodTypeList: offeredMethods.map((paymentMethodType) => ({ paymentMethodType })),
  },
};
