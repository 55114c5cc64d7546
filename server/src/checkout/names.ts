import { html, type Html } from "../core/html.ts";
import { isWalletNamed, methodOf } from "../payments/payment-method.ts";
import type { Checkout } from "./checkout.ts";

/** The merchant's name, as it may stand in a sentence of another script. */
export function merchantIn({ merchantName, language }: Checkout): Html {
  return html`<bdi>${merchantName || language.texts.theShop}</bdi>`;
}

/** The wallet's name. A buyer who has three has to know which. */
export function walletIn({ payment: { paymentMethodType }, language }: Checkout): string {
  return paymentMethodType !== undefined && isWalletNamed(paymentMethodType)
    ? methodOf(paymentMethodType).name
    : language.texts.yourWallet;
}
