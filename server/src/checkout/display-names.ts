import { html, type Html } from "../formats/html.ts";
import { isMethodNamed, methodOf } from "../payments/payment-method.ts";
import type { Checkout } from "./checkout.ts";

/** The merchant's name, isolated (`bdi`) so that a sentence in another script can contain it. */
export function merchantNameHtml({ merchantName, language }: Checkout): Html {
  return html`<bdi>${merchantName || language.texts.defaultMerchantName}</bdi>`;
}

/** The name of the payment method, for texts that must say which one, because a buyer may use several. */
export function methodName({ payment: { paymentMethodType }, language }: Checkout): string {
  return paymentMethodType !== undefined && isMethodNamed(paymentMethodType)
    ? methodOf(paymentMethodType).name
    : language.texts.defaultMethodName;
}
