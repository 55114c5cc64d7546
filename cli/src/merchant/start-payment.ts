import type { Answer } from "../../../clients/typescript/src/call.ts";
import type { Amount, PayResponse } from "../../../clients/typescript/src/generated/models.ts";
import { newRequestId } from "../../../clients/typescript/src/request-id.ts";
import type { Tollgate } from "../../../clients/typescript/src/tollgate.ts";

export interface PaymentOptions {
  readonly amount?: Amount;
  readonly method?: string | undefined;
  /** Whether the payment's money is only held, so that it can be captured later. */
  readonly isHeld?: boolean;
  readonly notifyUrl?: string | undefined;
  readonly redirectUrl?: string | undefined;
  /** The demo shop's address. By default the demo shop receives the webhook, and the buyer returns to it. */
  readonly shopUrl: string | undefined;
}

export interface StartedPayment {
  readonly paymentId: string;
  /** The page on which the buyer pays. */
  readonly page: string;
  readonly answer: Answer<PayResponse>;
}

/** Starts a payment for two coffees. */
export async function startPayment(client: Tollgate, options: PaymentOptions): Promise<StartedPayment> {
  const { amount = { currency: "EUR", value: "1250" }, method = "GCASH", shopUrl } = options;
  const paymentRequestId = newRequestId("cli");
  const shop = shopUrl === undefined ? undefined : shopAddresses(shopUrl, paymentRequestId);
  const notifyUrl = options.notifyUrl ?? shop?.notifyUrl;
  const answer = await client.payments.pay({
    productCode: "CASHIER_PAYMENT",
    paymentRequestId,
    order: { referenceOrderId: newRequestId("order"), orderDescription: "Two coffees", orderAmount: amount },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: method },
    paymentRedirectUrl: options.redirectUrl ?? shop?.redirectUrl ?? "https://shop.example/thanks",
    env: { terminalType: "WEB" },
    ...(options.isHeld && { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } }),
    ...(notifyUrl !== undefined && { paymentNotifyUrl: notifyUrl }),
  });
  const { paymentId = "", normalUrl: page = "" } = answer;
  return { paymentId, page, answer };
}

/** The demo shop's page for the buyer, and its webhook address. */
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
 * The demo shop's webhook address. It uses the loopback address also when phones reach the shop under another address,
 * because the gateway's egress permits no other local address.
 */
export function shopNotifyUrl(shopUrl: string): string {
  return `http://127.0.0.1:${new URL(shopUrl).port}/notifications`;
}
