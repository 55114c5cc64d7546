import { html, type Html } from "../formats/html.ts";
import { isProviderNamed, methodOf } from "../payments/payment-method.ts";
import type { Checkout } from "./checkout.ts";

/** The merchant's name, isolated (`bdi`) so that a sentence in another script can contain it. */
export function merchantIn({ merchantName, language }: Checkout): Html {
  return html`<bdi>${merchantName || language.texts.theShop}</bdi>`;
}

/** The name of the payment method, for texts that must say which one, because a buyer may use several. */
export function providerIn({ payment: { paymentMethodType }, language }: Checkout): string {
  return paymentMethodType !== undefined && isProviderNamed(paymentMethodType)
    ? methodOf(paymentMethodType).name
    : language.texts.yourWallet;
}
