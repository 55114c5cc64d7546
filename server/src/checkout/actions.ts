import { html, type Html } from "../core/html.ts";
import type { Checkout, CheckoutState } from "./checkout.ts";
import { choice } from "./choice.ts";
import { deadline } from "./deadline.ts";
import { merchantLink, walletLink } from "./link.ts";
import { qrCode } from "./qr-code.ts";

/** What the buyer can do in a state, if anything. */
export function actionOf(state: CheckoutState, checkout: Checkout, merchant: Html): Html | undefined {
  switch (state) {
    case "choosing":
      return choice(checkout);
    case "waiting":
      return waysToPay(checkout);
    case "paid":
    case "failed":
    case "expired":
    case "cancelled":
      return wayBack(state, checkout, merchant);
    case "preparing":
    case "closing":
    case "pending":
      return undefined;
  }
}

/** On a phone the button comes first, on a larger screen the code; the style sheet reorders them. */
function waysToPay(checkout: Checkout): Html {
  const { order } = checkout.payment;
  const link = walletLink(order?.url);
  const code = order?.code === undefined ? undefined : qrCode(order.code, "QR code of this payment");
  const ways = [
    link &&
      html`<a class="button" href="${link.url}" rel="noreferrer"
        >Pay with your wallet<span class="here"> on this device</span></a
      >`,
    link && code && html`<p class="or">or</p>`,
    code &&
      html`<figure>
        ${code}
        <figcaption>Scan this code with your wallet app</figcaption>
      </figure>`,
    link || code ? undefined : html`<p>Open your wallet app: the payment waits for you there.</p>`,
  ];
  return html`${deadline("Pay by", checkout)}
    <div class="ways">${ways}</div>`;
}

const returnAfterSeconds = 5;

function wayBack(state: CheckoutState, checkout: Checkout, merchant: Html): Html | undefined {
  const link = merchantLink(checkout.payment.redirectUrl, checkout);
  if (!link) return undefined;
  const goesAlone = state === "paid" && link.isWebPage;
  return html`<a class="button back" href="${link.url}" rel="noreferrer">Back to ${merchant}</a>
    ${goesAlone ? autoReturn : undefined}`;
}

/** The script shows it and counts down; a buyer who wants to read on can stop it. */
const autoReturn = html`<p class="return" data-seconds="${returnAfterSeconds}" hidden>
  <span>You go back in <span class="remaining">${returnAfterSeconds}</span> s</span>
  <button type="button">Stay here</button>
</p>`;
