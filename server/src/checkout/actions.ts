import { html, type Html } from "../formats/html.ts";
import type { Checkout, CheckoutState } from "./checkout.ts";
import { choice } from "./choice.ts";
import { deadline } from "./deadline.ts";
import { counted, fill } from "./language.ts";
import { merchantLink, walletLink } from "./link.ts";
import { canChange } from "../sessions/session.ts";
import { merchantIn, providerIn } from "./names.ts";
import { qrCode } from "./qr-code.ts";

/** The actions that the buyer has in a state, if any. */
export function actionOf(state: CheckoutState, checkout: Checkout): Html | undefined {
  switch (state) {
    case "choosing":
      return html`${choice(checkout)} ${wayOut(checkout)}`;
    case "waiting":
      return html`${waysToPay(checkout)} ${change(checkout)} ${wayOut(checkout)}`;
    case "paid":
    case "failed":
    case "expired":
    case "cancelled":
      return wayBack(state, checkout);
    case "preparing":
      return html`${change(checkout)} ${wayOut(checkout)}`;
    case "changing":
    case "closing":
    case "pending":
      return undefined;
  }
}

/**
 * On a phone the button comes first and the QR code is collapsed, because a phone cannot scan its own screen. On a
 * larger screen the style sheet moves the QR code before the button.
 */
function waysToPay(checkout: Checkout): Html {
  const { order } = checkout.payment;
  const { texts } = checkout.language;
  const wallet = html`<bdi>${providerIn(checkout)}</bdi>`;
  const link = walletLink(order?.url);
  const code = order?.code === undefined ? undefined : qrCode(order.code, texts.codeOfPayment);
  const button =
    link &&
    html`<a class="button" href="${link.url}" rel="noreferrer"
      ><span class="anywhere">${fill(texts.payWith, { wallet })}</span
      ><span class="here">${fill(texts.payWithHere, { wallet })}</span></a
    >`;
  const picture =
    code &&
    html`<figure>
      ${code}
      <figcaption>${fill(texts.scan, { wallet })}</figcaption>
    </figure>`;
  const fold = html`<p class="or">${texts.or}</p>
    <input type="checkbox" id="other-device" class="fold" />
    <label for="other-device" class="unfold">${texts.otherDevice}</label>`;
  const byHand = html`<p class="text">${fill(texts.openApp, { wallet })}</p>`;
  return html`${deadline("payBy", checkout)}
    <div class="ways">
      ${button} ${button && picture && fold} ${picture} ${button || picture ? undefined : byHand}
    </div>`;
}

/** A form with which the buyer chooses another payment method, until money moves. */
function change({ payment, now, language }: Checkout): Html | undefined {
  if (!canChange(payment, now)) return undefined;
  return html`<form method="post" class="change">
    <button name="change" value="yes">${language.texts.change}</button>
  </form>`;
}

const returnAfterSeconds = 5;

/** A link back to the shop before anything is paid, for a buyer who does not want to pay. */
function wayOut(checkout: Checkout): Html | undefined {
  const link = merchantLink(checkout.payment.redirectUrl, checkout);
  const text = fill(checkout.language.texts.backWithoutPaying, { merchant: merchantIn(checkout) });
  return link && html`<a class="out" href="${link.url}" rel="noreferrer">${text}</a>`;
}

function wayBack(state: CheckoutState, checkout: Checkout): Html | undefined {
  const { texts } = checkout.language;
  const link = merchantLink(checkout.payment.redirectUrl, checkout);
  const merchant = merchantIn(checkout);
  if (!link) return state === "paid" ? undefined : startAgain(checkout);
  const goesAlone = state === "paid" && link.isWebPage;
  return html`${state === "failed" ? startAgain(checkout) : undefined}
    <a class="button back" href="${link.url}" rel="noreferrer">${fill(texts.back, { merchant })}</a>
    ${goesAlone ? autoReturn(checkout) : undefined}`;
}

function startAgain(checkout: Checkout): Html {
  const text = fill(checkout.language.texts.startAgain, { merchant: merchantIn(checkout) });
  return html`<p class="text">${text}</p>`;
}

/**
 * The note that the page returns to the shop by itself. The script shows the note and counts down. A buyer who wants to
 * read on can stop the countdown.
 */
function autoReturn({ language }: Checkout): Html {
  const { returning, stay } = language.texts;
  return html`<p
    class="return"
    data-seconds="${returnAfterSeconds}"
    data-forms="${JSON.stringify(returning)}"
    hidden
  >
    <span class="remaining">${counted(language, returning, returnAfterSeconds)}</span>
    <button type="button">${stay}</button>
  </p>`;
}
