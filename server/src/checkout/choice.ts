import { html, type Html } from "../core/html.ts";
import { isOffered, type PaymentOption } from "../payments/payment-option.ts";
import type { Checkout } from "./checkout.ts";
import { deadline } from "./deadline.ts";

/** The ways to pay, each a button of one form: it works without any script, and one tap is enough. */
export function choice(checkout: Checkout): Html {
  const offered = (checkout.options ?? []).filter(isOffered);
  return html`${deadline("Choose by", checkout)}
    ${hasChoice(checkout) ? undefined : html`<p class="text">${nothing}</p>`}
    <form method="post" class="methods" aria-label="Ways to pay">${offered.map(methodButton)}</form>`;
}

const nothing = "No way to pay can be used right now. This page keeps trying by itself.";

export function hasChoice({ options = [] }: Checkout): boolean {
  return options.some(({ disableReason }) => disableReason === undefined);
}

function methodButton({ paymentMethodType, name, region, disableReason }: PaymentOption): Html {
  const note = disableReason ? "Not available right now" : regionName(region);
  return html`<button
    class="method"
    name="paymentMethodType"
    value="${paymentMethodType}"
    ${disableReason ? html`disabled` : undefined}
  >
    <bdi>${name}</bdi> ${note && html`<span class="note">${note}</span>`}
  </button>`;
}

const regions = new Intl.DisplayNames("en", { type: "region", fallback: "none" });

/** Wallets of several countries share a name. */
function regionName(region: string): string | undefined {
  return /^[A-Z]{2}$/.test(region) ? regions.of(region) : undefined;
}
