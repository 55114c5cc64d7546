import { html, type Html } from "../formats/html.ts";
import type { Checkout, CheckoutState } from "./checkout.ts";
import { methodChoice } from "./method-choice.ts";
import { deadlineNote } from "./deadline.ts";
import { pluralText, fillTemplate } from "./language.ts";
import { merchantLink, walletLink } from "./safe-link.ts";
import { canChange } from "../sessions/session.ts";
import { merchantNameHtml, methodName } from "./display-names.ts";
import { qrCode } from "./qr-code.ts";

/** The actions that the buyer has in a state, if any. */
export function renderActions(state: CheckoutState, checkout: Checkout): Html | undefined {
  switch (state) {
    case "choosing":
      return html`${methodChoice(checkout)} ${leaveLink(checkout)}`;
    case "waiting":
      return html`${paymentActions(checkout)} ${changeMethodForm(checkout)} ${leaveLink(checkout)}`;
    case "paid":
    case "failed":
    case "expired":
    case "cancelled":
      return returnLink(state, checkout);
    case "preparing":
      return html`${changeMethodForm(checkout)} ${leaveLink(checkout)}`;
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
function paymentActions(checkout: Checkout): Html {
  const { order } = checkout.payment;
  const { texts } = checkout.language;
  const wallet = html`<bdi>${methodName(checkout)}</bdi>`;
  const link = walletLink(order?.url);
  const code = order?.code === undefined ? undefined : qrCode(order.code, texts.qrCodeLabel);
  const button =
    link &&
    html`<a class="button" href="${link.url}" rel="noreferrer"
      ><span class="anywhere">${fillTemplate(texts.payWith, { wallet })}</span
      ><span class="here">${fillTemplate(texts.payWithHere, { wallet })}</span></a
    >`;
  const qrFigure =
    code &&
    html`<figure>
      ${code}
      <figcaption>${fillTemplate(texts.scan, { wallet })}</figcaption>
    </figure>`;
  const qrToggle = html`<p class="or">${texts.or}</p>
    <input type="checkbox" id="other-device" class="fold" />
    <label for="other-device" class="unfold">${texts.otherDevice}</label>`;
  const openAppNote = html`<p class="text">${fillTemplate(texts.openApp, { wallet })}</p>`;
  return html`${deadlineNote("payBy", checkout)}
    <div class="ways">
      ${button} ${button && qrFigure && qrToggle} ${qrFigure} ${button || qrFigure ? undefined : openAppNote}
    </div>`;
}

/** A form with which the buyer chooses another payment method, until money moves. */
function changeMethodForm({ payment, now, language }: Checkout): Html | undefined {
  if (!canChange(payment, now)) return undefined;
  return html`<form method="post" class="change">
    <button name="change" value="yes">${language.texts.change}</button>
  </form>`;
}

const returnAfterSeconds = 5;

/** A link back to the shop before anything is paid, for a buyer who does not want to pay. */
function leaveLink(checkout: Checkout): Html | undefined {
  const link = merchantLink(checkout.payment.redirectUrl, checkout);
  const text = fillTemplate(checkout.language.texts.backWithoutPaying, {
    merchant: merchantNameHtml(checkout),
  });
  return link && html`<a class="out" href="${link.url}" rel="noreferrer">${text}</a>`;
}

function returnLink(state: CheckoutState, checkout: Checkout): Html | undefined {
  const { texts } = checkout.language;
  const link = merchantLink(checkout.payment.redirectUrl, checkout);
  const merchant = merchantNameHtml(checkout);
  if (!link) return state === "paid" ? undefined : startAgainNote(checkout);
  const redirectsByItself = state === "paid" && link.isWebPage;
  return html`${state === "failed" ? startAgainNote(checkout) : undefined}
    <a class="button back" href="${link.url}" rel="noreferrer">${fillTemplate(texts.back, { merchant })}</a>
    ${redirectsByItself ? autoReturnNote(checkout) : undefined}`;
}

function startAgainNote(checkout: Checkout): Html {
  const text = fillTemplate(checkout.language.texts.startAgain, { merchant: merchantNameHtml(checkout) });
  return html`<p class="text">${text}</p>`;
}

/**
 * The note that the page returns to the shop by itself. The script shows the note and counts down. A buyer who wants to
 * read on can stop the countdown.
 */
function autoReturnNote({ language }: Checkout): Html {
  const { returning, stayOnPage } = language.texts;
  return html`<p
    class="return"
    data-seconds="${returnAfterSeconds}"
    data-forms="${JSON.stringify(returning)}"
    hidden
  >
    <span class="remaining">${pluralText(language, returning, returnAfterSeconds)}</span>
    <button type="button">${stayOnPage}</button>
  </p>`;
}
