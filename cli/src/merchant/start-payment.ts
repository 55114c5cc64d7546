import type { Answer } from "../../../clients/typescript/src/call.ts";
import type { Amount, PayResponse } from "../../../clients/typescript/src/generated/models.ts";
import { newRequestId } from "../../../clients/typescript/src/request-id.ts";
import type { Tollgate } from "../../../clients/typescript/src/tollgate.ts";

export interface WantedPayment {
  readonly amount?: Amount;
  readonly method?: string | undefined;
  /** Held only, to be captured. */
  readonly isHeld?: boolean;
  readonly notifyUrl?: string | undefined;
  readonly redirectUrl?: string | undefined;
  /** The demo shop, which is told and thanks the buyer unless said otherwise. */
  readonly shopUrl: string | undefined;
}

export interface StartedPayment {
  readonly paymentId: string;
  /** On which the buyer pays. */
  readonly page: string;
  readonly answer: Answer<PayResponse>;
}

/** Starts a payment for two coffees. */
export async function startPayment(client: Tollgate, wanted: WantedPayment): Promise<StartedPayment> {
  const { amount = { currency: "EUR", value: "1250" }, method = "GCASH", shopUrl } = wanted;
  const paymentRequestId = newRequestId("cli");
  const shop = shopUrl === undefined ? undefined : shopAddresses(shopUrl, paymentRequestId);
  const notifyUrl = wanted.notifyUrl ?? shop?.notifyUrl;
  const answer = await client.payments.pay({
    productCode: "CASHIER_PAYMENT",
    paymentRequestId,
    order: { referenceOrderId: newRequestId("order"), orderDescription: "Two coffees", orderAmount: amount },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: method },
    paymentRedirectUrl: wanted.redirectUrl ?? shop?.redirectUrl ?? "https://shop.example/thanks",
    env: { terminalType: "WEB" },
    ...(wanted.isHeld && { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } }),
    ...(notifyUrl !== undefined && { paymentNotifyUrl: notifyUrl }),
  });
  const { paymentId = "", normalUrl: page = "" } = answer;
  return { paymentId, page, answer };
}

/** Where the demo shop thanks the buyer, and where it is told. */
function shopAddresses(
  shopUrl: string,
  paymentRequestId: string,
): { readonly redirectUrl: string; readonly notifyUrl: string } {
  return {
    redirectUrl: `${shopUrl}/orders/${paymentRequestId}`,
    notifyUrl: shopNotifyUrl(shopUrl),
  };
}

/**
 * Where the demo shop is told: on this machine's own address, also when phones find it under another, because the gateway's
 * way out leads nowhere else in here.
 */
export function shopNotifyUrl(shopUrl: string): string {
  return `http://127.0.0.1:${new URL(shopUrl).port}/notifications`;
}
