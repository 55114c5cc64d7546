import { sessionRequest } from "../shop/test-session.ts";
import { payRequest, tillRequest } from "../start/test-stack.ts";
import type { Real } from "./run-context.ts";
import type { PayContent } from "./merchant-model.ts";
import type { Answer } from "./world.ts";

/** Sends the payment request for the given content. */
export function sendPay({ world, merchant }: Real, requestId: string, content: PayContent): Promise<Answer> {
  const { amountMinor, currency, product, paymentMethodType, paymentMethodId } = content;
  const amount = { currency, value: String(amountMinor) };
  const method = { paymentMethodType, ...(paymentMethodId && { paymentMethodId }) };
  const isHeld = content.isManual ? { isAuthorization: true, captureMode: "MANUAL" } : {};
  const asked = { paymentAmount: amount, paymentMethod: method, paymentFactor: isHeld };
  const order = {
    referenceOrderId: content.referenceOrderId,
    orderDescription: "Two coffees",
    orderAmount: amount,
  };
  switch (product) {
    case "session": {
      const { paymentMethod: _, ...session } = { ...asked, order, ...offered };
      return world.call(merchant, "createPaymentSession", sessionRequest(requestId, session));
    }
    case "page":
      return world.call(merchant, "pay", payRequest(requestId, { ...asked, order }));
    case "token": {
      const alone = { productCode: "AGREEMENT_PAYMENT", paymentRedirectUrl: undefined, env: undefined };
      return world.call(merchant, "pay", payRequest(requestId, { ...asked, order, ...alone }));
    }
    case "PaymentCode":
    case "OrderCode":
    case "EntryCode": {
      const usual = tillRequest(requestId, product) as { readonly order: object };
      const inStore = {
        ...asked,
        order: { ...usual.order, ...order },
        paymentFactor: { ...isHeld, inStorePaymentScenario: product },
        paymentNotifyUrl: world.shop.notifyUrl,
      };
      return world.call(merchant, "pay", tillRequest(requestId, product, inStore));
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
