import { html, type Html } from "../formats/html.ts";
import type { Checkout, CheckoutState } from "./checkout.ts";
import { methodChoice } from "./method-choice.ts";
import { pluralText, fillTemplate } from "./language.ts";
import { renderNextAction } from "./next-action-view.ts";
import { merchantLink } from "./safe-link.ts";
import { canChange } from "../sessions/session.ts";
import { merchantNameHtml } from "./display-names.ts";

/** The actions that the buyer has in a state, if any. */
export function renderActions(state: CheckoutState, checkout: Checkout): Html | undefined {
  switch (state) {
    case "choosing":
      return html`${methodChoice(checkout)} ${leaveLink(checkout)}`;
    case "waiting":
      return html`${renderNextAction(checkout)} ${changeMethodForm(checkout)} ${leaveLink(checkout)}`;
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
